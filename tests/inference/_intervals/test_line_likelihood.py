"""The two intervals of a calibration line come from one likelihood, with and without a factor."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from scipy.stats import norm

from sklearn_calib.inference import calibration_ci, calibration_line
from sklearn_calib.inference._intervals.inversion import end_of_interval


def curved(n=300):
    rng = np.random.default_rng(3)
    p = rng.beta(0.5, 0.5, size=n).clip(0.002, 0.998)
    y = (rng.random(n) < expit(0.35 * logit(p) ** 2 - 1.5)).astype(int)
    return y, p, rng.uniform(0.2, 3.0, size=n)


@pytest.mark.parametrize("parameter", ["slope", "intercept"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_robust_interval_is_the_profile_interval_of_a_larger_level(parameter, weighted):
    """The factor on the deviance is the same as a longer normal quantile."""
    y, p, weight = curved()
    weight = weight if weighted else None
    wald, robust = (
        getattr(calibration_line(y, p, method=method, sample_weight=weight), f"{parameter}_se")
        for method in ("wald", "robust")
    )
    z = 1.959963984540054 * (robust / wald if weighted else max(1.0, robust / wald))
    profile = calibration_line(
        y, p, method="profile", confidence_level=2 * norm.cdf(z) - 1, sample_weight=weight
    )
    interval = calibration_ci(y, p, metric=f"calibration_{parameter}", sample_weight=weight)
    assert_allclose(
        (interval.low, interval.high), getattr(profile, f"{parameter}_interval"), rtol=1e-7
    )


def test_both_are_equal_where_the_line_holds_and_the_robust_variance_is_the_smaller_one():
    rng = np.random.default_rng(1)
    p = rng.uniform(0.05, 0.95, size=200)
    y = (rng.random(200) < p).astype(int)
    wald, robust = (calibration_line(y, p, method=one).slope_se for one in ("wald", "robust"))
    assert robust < wald
    interval = calibration_ci(y, p, metric="calibration_slope")
    assert_allclose(
        (interval.low, interval.high), calibration_line(y, p).slope_interval, rtol=1e-12
    )


@pytest.mark.parametrize("step", [1e-6, 0.3, 1.0, 50.0, np.nan, 0.0])
def test_ends_are_found_from_any_first_step(step):
    distance = lambda value: abs(np.expm1(value - 2.0))  # noqa: E731
    for side in (-1.0, 1.0):
        end = end_of_interval(distance, 2.0, side, 0.5, step)
        assert_allclose(end, 2.0 + np.log1p(side * 0.5), rtol=1e-11)


def test_ends_that_do_not_exist_or_border_on_the_impossible():
    assert end_of_interval(lambda value: 0.1, 0.0, 1.0, 1.0, 1.0) == np.inf
    assert end_of_interval(lambda value: 0.1, np.inf, 1.0, 1.0, 1.0) == np.inf
    step = end_of_interval(lambda value: 0.0 if value < 3.0 else np.inf, 0.0, 1.0, 1.0, 1.0)
    assert_allclose(step, 3.0, rtol=1e-11)
    one_sided = end_of_interval(lambda value: np.exp(-value), np.inf, -1.0, 1.0, 1.0)
    assert_allclose(one_sided, 0.0, atol=1e-11)


@pytest.mark.parametrize("metric", ["calibration_intercept", "calibration_slope"])
@pytest.mark.parametrize("weight", [1.0, 3.0, 1e-9])
def test_equal_weights_are_no_weights_also_for_residuals_smaller_than_promised(metric, weight):
    y = np.array([0, 0, 0, 1, 1, 1, 0, 1])
    p = np.where(y == 1, 0.7, 0.2)
    p[-2:] = 0.4
    plain = calibration_ci(y, p, metric=metric)
    weighted = calibration_ci(y, p, metric=metric, sample_weight=np.full(8, weight))
    assert_allclose(tuple(weighted), tuple(plain), rtol=1e-6)
