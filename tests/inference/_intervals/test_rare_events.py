"""Level and coverage where events are rare.

If all rows have one predicted value, the number of events is the only statistic, so that level and
coverage are sums of binomial probabilities and need no simulated data.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from scipy.stats import binom

from sklearn_calib import check_calibration, check_relevant_miscalibration
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib._data.targets import reduce_target
from sklearn_calib.inference import calibration_ci
from sklearn_calib.inference._intervals.means import MeanOfRows
from sklearn_calib.inference._intervals.norms import _part_of_uniform
from sklearn_calib.inference._intervals.surprises import Surprises

NORMS = (
    "ks_calibration_error",
    "smooth_calibration_error",
    "ucme",
    pytest.param("smooth_ece", marks=pytest.mark.slow),
)
KERNELS = ("skce", "mmce")
# Predicted value, true rate, rows: few or no events where fewer, more or as many are promised.
CASES = [
    (0.001, 0.021, 30),
    (1e-9, 0.02, 50),
    (1e-4, 0.002, 500),
    (0.04, 0.02, 100),
    (0.02, 0.02, 50),
    (0.98, 1.0, 20),
    (0.5, 0.52, 10),
]


def _outcomes(n, rate):
    """Yield each number of events that is not negligible, with its probability and labels."""
    for events in range(n + 1):
        probability = binom.pmf(events, n, rate)
        if probability > 1e-4:
            yield probability, (np.arange(n) < events).astype(int)


def _interval(y, p, metric, level=0.95):
    return calibration_ci(
        y, np.full(y.size, p), metric=metric, labels=[0, 1], n_resamples=99,
        confidence_level=level, random_state=0,
    )  # fmt: skip


@pytest.mark.parametrize("metric", ["ks_calibration_error", "skce"])
@pytest.mark.parametrize(("p", "truth", "n"), CASES)
def test_a_relevant_error_is_not_claimed_more_often_than_promised(metric, p, truth, n):
    delta = max(abs(truth - p), 1e-6) * (1.0 + 1e-9)
    rejected = 0.0
    for probability, y in _outcomes(n, truth):
        result = check_relevant_miscalibration(
            y, np.full(n, p), metric=metric, delta=delta, labels=[0, 1], n_resamples=99,
            random_state=0,
        )  # fmt: skip
        rejected += probability * result.relevant
    assert rejected <= 0.05


@pytest.mark.parametrize("metric", [*NORMS, *KERNELS, "brier", "log_loss"])
@pytest.mark.parametrize(
    ("p", "truth", "n"), [(0.001, 0.035, 100), (0.001, 0.021, 30), (0.02, 0.02, 50)]
)
def test_each_end_is_missed_with_half_the_rest(metric, p, truth, n):
    size = abs(truth - p)
    true = {
        "skce": size**2,
        "brier": truth * (1 - p) ** 2 + (1 - truth) * p**2,
        "log_loss": -truth * np.log(p) - (1 - truth) * np.log1p(-p),
    }.get(metric, size)
    outcomes = [(share, _interval(y, p, metric)) for share, y in _outcomes(n, truth)]
    assert sum(share for share, made in outcomes if made.low > true + 1e-12) <= 0.025
    assert sum(share for share, made in outcomes if made.high < true - 1e-12) <= 0.025


@pytest.mark.parametrize("metric", KERNELS)
def test_a_calibrated_kernel_error_starts_at_zero(metric):
    """No event where one or two are promised is no evidence, whatever resamples of it say."""
    for n in (50, 100):
        outcomes = [(share, _interval(y, 0.02, metric)) for share, y in _outcomes(n, 0.02)]
        assert sum(share for share, made in outcomes if made.low > 0.0) <= 0.025


def test_the_lower_end_is_zero_unless_the_test_of_calibration_rejects():
    rng = np.random.default_rng(0)
    decisions = set()
    for seed in range(12):
        p = rng.beta(1, 20, 80)
        y = (rng.random(80) < p + 0.05).astype(int)
        options = {"n_resamples": 199, "random_state": seed}
        low = calibration_ci(y, p, metric="skce", **options).low
        pvalue = check_calibration(y, p, statistic="skce", **options).pvalue
        decisions.add(bool(low > 0.0))
        assert low <= 0.0 or pvalue <= 0.06
    assert decisions == {False, True}


@pytest.mark.parametrize("metric", [*NORMS, *KERNELS, "kce", "brier", "log_loss"])
def test_no_event_leaves_open_what_the_exact_limit_leaves_open(metric):
    """Without an event in n rows the rate may be 1 - 0.025 ** (1 / n), the exact limit."""
    n, p = 40, 0.001
    limit = 1 - 0.025 ** (1 / n)
    y = np.zeros(n, dtype=int)
    at_limit = {
        "skce": (limit - p) ** 2,
        "kce": (limit - p) ** 2,
        "brier": limit * (1 - p) ** 2 + (1 - limit) * p**2,
        "log_loss": -limit * np.log(p) - (1 - limit) * np.log1p(-p),
    }.get(metric, limit - p)
    made = _interval(y, p, metric)
    assert made.high >= at_limit * (1 - 1e-9)
    mirrored = _interval(1 - y, 1 - p, metric)
    assert_allclose([mirrored.low, mirrored.high], [made.low, made.high], rtol=1e-9, atol=1e-12)


def test_a_score_without_surprises_has_the_exact_limits():
    made = _interval(np.zeros(100, dtype=int), 0.001, "brier")
    limit = 1 - 0.025 ** (1 / 100)
    expected = limit * 0.999**2 + (1 - limit) * 0.001**2
    assert_allclose([made.low, made.high], [1e-6, expected], rtol=1e-9)


def test_ordinary_scores_keep_the_interval_of_a_mean():
    rng = np.random.default_rng(0)
    p = rng.beta(2, 2, 500)
    y = (rng.random(500) < p).astype(int)
    made = calibration_ci(y, p, metric="brier")
    mean = MeanOfRows((y - p) ** 2, None)
    assert_allclose([made.low, made.high], [mean.lower(0.025), mean.upper(0.025)], rtol=1e-12)


def test_surprises_are_the_less_likely_labels():
    data = check_predictions([1, 0, 1, 0], [0.1, 0.2, 0.7, 0.9])
    (binary,) = reduce_target(data.proba, "binary")
    made = Surprises(binary, data.codes, np.array([1.0, 1.0, 1.0, 1.0]))
    assert made.rate == 0.5
    assert made.expected == pytest.approx((0.1 + 0.2 + 0.3 + 0.1) / 4)
    variances = np.array([0.09, 0.16, 0.21, 0.09])
    assert_allclose(
        made.direction[:, 0, 0], [1, 1, -1, -1] * variances / variances.mean(), rtol=1e-12
    )
    proba = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    (classes,) = reduce_target(proba, "canonical")
    made = Surprises(classes, np.array([0, 1]), None)
    assert (made.rate, made.count) == (0.5, 2.0)
    assert_allclose(made.direction.sum(axis=1), 0.0, atol=1e-15)
    assert_allclose(made.direction[0, :, 0] / made.profile[0], [-1, 2 / 3, 1 / 3], rtol=1e-12)


@pytest.mark.parametrize("uniform", [0.5, 0.1])
def test_a_mixture_has_the_variance_that_was_asked_for(uniform):
    p, weight = np.array([0.001, 0.01, 0.02]), np.array([1.0, 2.0, 0.5])
    part = _part_of_uniform(p, weight, uniform, 0.2)
    mixed = (1 - part) * p + part * uniform
    assert weight @ (mixed * (1 - mixed)) == pytest.approx(0.2, rel=1e-9)
    assert _part_of_uniform(p, weight, uniform, 0.001) == 0.0
    assert _part_of_uniform(p, weight, 0.5, 10.0) == 1.0


@pytest.mark.parametrize("p", [0.3, 1.0, 1e-300])
@pytest.mark.parametrize("n", [1, 2, 10])
def test_the_ratio_of_rows_whose_events_all_happened_is_the_largest_one(p, n):
    made = _interval(np.ones(n, dtype=int), p, "observed_expected_ratio")
    assert_allclose([made.estimate, made.high], [1 / p, 1 / p], rtol=1e-12)
    # The score test of n events in n rows: Wilson's lower limit, zero if zero is not rejected.
    wilson = n / (n + 1.959963984540054**2)
    assert made.low * p == pytest.approx(wilson if n == 10 else 0.0, rel=1e-6)


def test_the_ratio_of_no_events_has_the_score_limit():
    made = _interval(np.zeros(10, dtype=int), 0.3, "observed_expected_ratio")
    z2 = 1.959963984540054**2
    assert_allclose([made.low, made.high * 0.3], [0.0, z2 / (10 + z2)], rtol=1e-6)


def test_hard_predictions_that_all_came_true_leave_an_infinite_log_loss_open():
    y = np.ones(20, dtype=int)
    low, high = _interval(y, 1.0, "log_loss")
    assert (low, high) == (0.0, np.inf)
    # The limit of the rate of the other label, spread evenly over the classes that are left.
    proba = np.tile([0.0, 1.0, 0.0], (20, 1))
    limit = 1 - 0.025 ** (1 / 20)
    made = calibration_ci(y, proba, metric="skce", labels=[0, 1, 2], n_resamples=99, random_state=0)
    assert made.high == pytest.approx(1.5 * limit**2, rel=1e-9)


@pytest.mark.parametrize("happened", [0, 1])
def test_the_intercept_without_events_ends_where_they_are_missed_as_rarely_as_promised(happened):
    p = np.array([0.05, 0.1, 0.02, 0.3, 0.1, 0.08, 0.2])
    p = 1 - p if happened else p
    y = np.full(7, happened)
    given = {"metric": "calibration_intercept", "labels": [0, 1]}
    for weight in (None, np.full(7, 3.0)):
        low, high = calibration_ci(y, p, sample_weight=weight, **given)
        end = low if happened else high
        rate = expit(end + logit(p))
        assert np.prod(rate if happened else 1 - rate) == pytest.approx(0.025, rel=1e-6)
        assert (high if happened else low) == (np.inf if happened else -np.inf)
