"""Slope and intercept from sums lie within their bound of those of the rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.metrics import calibration_intercept, calibration_slope
from sklearn_calib.metrics._line.log_odds_sums import interpolation_error
from sklearn_calib.metrics._metric import METRICS

FORMS = [("calibration_slope", {}), ("calibration_intercept", {})]
FORMS += [("calibration_intercept", {"joint": True})]
FUNCTIONS = {
    "calibration_slope": calibration_slope,
    "calibration_intercept": calibration_intercept,
}


def merged(name, options, y, p, weight=None):
    """Return the value and the bound from the totals of two halves."""
    mergeable = METRICS[name].mergeable(2, **{**METRICS[name].options, **options})
    total = mergeable.sums.zero()
    for part in np.array_split(np.arange(len(y)), 2):
        own = None if weight is None else weight[part]
        data = check_predictions(y[part], p[part], sample_weight=own, labels=[0, 1])
        total = total + mergeable.sums.of_batch(data)
    return mergeable.value(total), mergeable.bound(total)


def _data(kind, n=400, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = (rng.random(n) < expit(1.2 * x - 0.3)).astype(int)
    p = {
        "plain": expit(x),
        "rare": expit(x - 9.0),
        "timid": expit(x / 6.0),
        "very timid": expit(x / 12.0),
        "extreme": expit(9.0 * x),
        "beyond floating point": np.clip(expit(30.0 * x), 1e-300, 1.0),
        "with 0 and 1": np.where(x > 1.2, 1.0, np.where(x < -1.2, 0.0, expit(x))),
        "few values": expit(np.round(x)),
        "next to each other": 0.3 + 0.01 * expit(x),
    }[kind]
    return y, p


KINDS = [
    "plain", "rare", "timid", "very timid", "extreme", "beyond floating point", "with 0 and 1",
    "few values", "next to each other",
]  # fmt: skip


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "options"), FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_bound_holds(kind, name, options, weighted):
    y, p = _data(kind)
    weight = np.random.default_rng(1).uniform(0.2, 3.0, y.size) if weighted else None
    value, bound = merged(name, options, y, p, weight)
    expected = FUNCTIONS[name](y, p, sample_weight=weight, **options)
    if np.isinf(bound):  # the sums do not determine it, and nobody is told a number
        assert np.isnan(value)
        assert kind in ("next to each other", "very timid")
    else:
        assert abs(value - expected) <= bound
    if kind in ("plain", "rare", "with 0 and 1", "few values"):
        assert bound <= 1e-9
        assert_allclose(value, expected, rtol=1e-11, atol=1e-12)


SPECIAL = {
    "separated": ([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.9]),
    "separated the other way": ([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.9]),
    "separated but for a tie": ([0, 0, 1, 1], [0.1, 0.3, 0.3, 0.9]),
    "separated by 0 and 1": ([0, 0, 1, 1], [0.0, 0.2, 0.9, 1.0]),
    "only 0 and 1": ([0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0]),
    "0 and 1, one wrong": ([0, 1, 0, 1, 1], [0.0, 0.0, 1.0, 1.0, 1.0]),
    "wrong at 0": ([1, 0, 1, 0], [0.0, 0.2, 0.9, 0.3]),
    "one class": ([1, 1, 1, 1], [0.1, 0.2, 0.3, 0.9]),
    "the other class": ([0, 0, 0, 0], [0.0, 0.2, 0.3, 0.9]),
    "one value": ([0, 1, 0, 1], [0.3, 0.3, 0.3, 0.3]),
    "one value up to rounding": ([0, 1, 0, 1], [0.3, 0.3, 0.3, 0.3 + 1e-16]),
    "one value and one class": ([0, 0], [0.3, 0.3]),
}


@pytest.mark.parametrize(("name", "options"), FORMS)
@pytest.mark.parametrize("case", SPECIAL)
def test_where_there_is_no_finite_maximum(case, name, options):
    y, p = map(np.array, SPECIAL[case])
    value, _ = merged(name, options, y, p)
    expected = FUNCTIONS[name](y, p, labels=[0, 1], **options)
    assert_allclose(value, expected, rtol=1e-9, atol=1e-12)


def test_the_floor_of_exact_values_is_that_of_all_rows():
    """The smallest distance to 0 may be in another part than the rows at 0."""
    y, p = np.array([0, 1, 0, 1, 0, 1]), np.array([0.0, 0.6, 0.5, 1e-4, 0.7, 0.8])
    value, bound = merged("calibration_slope", {}, y, p)
    assert abs(value - calibration_slope(y, p)) <= bound
    assert bound < 1e-9


@pytest.mark.parametrize("slope", [0.5, 1.0, 4.0, 8.0])
def test_the_error_of_interpolation_is_not_underestimated(slope):
    """Against the largest error found on a fine grid of shifts of the logistic function."""
    angle = np.pi * (np.arange(20) + 0.5) / 20
    t = np.linspace(-1.0, 1.0, 101)
    # Interpolation at Chebyshev nodes by the barycentric formula.
    nodes, factor = np.cos(angle), (-1.0) ** np.arange(20) * np.sin(angle)
    terms = factor / (t[:, np.newaxis] + 1e-14 - nodes)
    worst = 0.0
    for shift in np.linspace(-3.0, 3.0, 61):
        values = expit(shift + slope * 0.25 * nodes)
        found = terms @ values / terms.sum(axis=1)
        worst = max(worst, np.abs(found - expit(shift + slope * 0.25 * t)).max())
    error, beyond = interpolation_error(slope)
    assert worst <= error + 1e-12
    assert beyond > 0.0
    assert interpolation_error(0.0) == (0.0, 0.0)


@pytest.mark.parametrize("slope", [0.5, 1.0, 4.0, 8.0])
def test_the_error_and_the_reach_are_those_of_one_ellipse(slope):
    """An ellipse of half axes a, b around a panel has a**2 - b**2 = 1 and the size a + b.

    Inside it the logistic function is below 1 / sin(h) if its height is h < pi on the scale of the
    function; of 20 nodes, Trefethen's theorem 8.2 then gives the error.
    """
    error, beyond = interpolation_error(slope)
    long = 1.0 + beyond / 0.25
    short = np.sqrt(long**2 - 1.0)
    height, size = slope * 0.25 * short, long + short
    assert 0.0 < height < np.pi
    assert_allclose(error, 4.0 / np.sin(height) * size**-19.0 / (size - 1.0), rtol=1e-6)
    for share in (0.5, 0.75, 0.9, 0.99):  # no other ellipse has a smaller one
        axis = share * np.pi / (slope * 0.25)
        size = axis + np.sqrt(axis**2 + 1.0)
        assert error <= 4.0 / np.sin(share * np.pi) * size**-19.0 / (size - 1.0) * (1 + 1e-9)


def test_the_bound_of_an_intercept_is_four_newton_steps_for_the_error_of_interpolation():
    """The excess of events is at most that error off, and the slope of it is the mean variance."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.1, 0.9, size=500)
    y = (rng.random(500) < p).astype(int)
    value, bound = merged("calibration_intercept", {"joint": False}, y, p)
    q = expit(value + logit(p))
    expected = 4.0 * (interpolation_error(1.0)[0] + 1e-14) / np.mean(q * (1 - q))
    assert_allclose(bound, expected, rtol=1e-6)
