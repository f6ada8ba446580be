"""The maximum likelihood line: a general optimiser, separation, ties and weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit

from sklearn_calib.metrics import calibration_intercept, calibration_slope
from sklearn_calib.metrics._line import logistic_line
from sklearn_calib.metrics._line.logistic_line import LogisticLine, finite_logit


def _data(n, slope, n_draws, seed=0):
    rng = np.random.default_rng(seed)
    x = 2.0 * rng.normal(size=n) - 1.0
    return x, rng.random((n, n_draws)) < expit(0.3 + slope * x)[:, np.newaxis]


@pytest.mark.parametrize("slope", [-0.5, 0.0, 0.2, 1.0, 3.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_a_general_optimiser(slope, weighted):
    x, y = _data(60, slope, 8)
    w = np.random.default_rng(1).uniform(0.2, 3.0, 60) if weighted else np.ones(60)
    fit = LogisticLine(x, w if weighted else None).fit(y)
    for draw in range(8):

        def loss(theta, events=y[:, draw]):
            eta = theta[0] + theta[1] * x
            return w @ (np.logaddexp(0.0, eta) - events * eta)

        def gradient(theta, events=y[:, draw]):
            excess = w * (expit(theta[0] + theta[1] * x) - events)
            return np.array([excess.sum(), excess @ x])

        best = minimize(loss, [0.0, 1.0], jac=gradient, method="BFGS", options={"gtol": 1e-11})
        assert_allclose([fit.intercept[draw], fit.slope[draw]], best.x, rtol=1e-7, atol=1e-7)
        assert_allclose(-fit.log_likelihood[draw], best.fun, rtol=1e-12)


@pytest.mark.parametrize("slope", [0.1, 1.0, 3.0, 6.0])
def test_sums_over_nodes_are_those_over_all_points(slope, monkeypatch):
    x, y = _data(5000, slope, 5)
    w = np.random.default_rng(1).uniform(0.2, 3.0, 5000)
    fast = LogisticLine(x, w)
    assert fast.nodes.u.size < 1000
    monkeypatch.setattr(logistic_line, "_MOST_POINTS", 10**9)
    slow = LogisticLine(x, w)
    assert slow.nodes is None
    for one, other in zip(fast.fit(y), slow.fit(y)):
        assert_allclose(one, other, rtol=1e-11, atol=1e-12)
    rate = w @ y / w.sum()
    assert_allclose(fast.fit_intercept(rate), slow.fit_intercept(rate), rtol=1e-11, atol=1e-12)


def test_the_gradient_vanishes_for_steep_lines_and_many_points():
    x, y = _data(4000, 9.0, 3)
    fit = LogisticLine(x).fit(y)
    excess = expit(fit.intercept + np.multiply.outer(x, fit.slope)) - y
    assert_allclose(excess.mean(axis=0), 0.0, atol=1e-13)
    assert_allclose((excess * x[:, np.newaxis]).mean(axis=0), 0.0, atol=1e-13)


def test_separated_tied_and_equal_rows():
    line = LogisticLine(np.array([0.0, 1.0, 1.0, 2.0]))
    two = 2 * np.log(0.5)
    cases = [  # labels, slope, intercept, supremum of the log-likelihood
        ([0, 0, 0, 1], np.inf, np.nan, 0.0),
        ([0, 0, 1, 1], np.inf, np.nan, two),
        ([0, 1, 0, 1], np.inf, np.nan, two),
        ([1, 0, 1, 0], -np.inf, np.nan, two),
        ([1, 0, 0, 0], -np.inf, np.nan, 0.0),
        ([0, 0, 0, 0], np.nan, -np.inf, 0.0),
        ([1, 1, 1, 1], np.nan, np.inf, 0.0),
        ([1, 0, 0, 1], 0.0, 0.0, 2 * two),
    ]
    fit = line.fit(np.array([case[0] for case in cases]).T)
    assert_allclose(fit.slope, [case[1] for case in cases], atol=1e-14)
    assert_allclose(fit.intercept, [case[2] for case in cases], atol=1e-14)
    assert_allclose(fit.log_likelihood, [case[3] for case in cases], rtol=1e-14, atol=1e-14)
    for x in (np.ones(4), np.array([0.1 + 0.2, 0.3, 0.1 + 0.2, 0.3])):
        equal = LogisticLine(x).fit(np.array([[0, 0, 1, 1], [0, 0, 0, 0]]).T)
        assert np.isnan(equal.slope).all()
        assert_allclose(equal.log_likelihood, [2 * two, 0.0], rtol=1e-14)


def test_a_weight_equals_copies_of_the_row():
    x, y = _data(30, 0.5, 4)
    w = np.random.default_rng(2).integers(1, 4, 30)
    rows = np.repeat(np.arange(30), w)
    copies, weighted = LogisticLine(x[rows]), LogisticLine(x, w.astype(float))
    for one, other in zip(weighted.fit(y), copies.fit(y[rows])):
        assert_allclose(one, other, rtol=1e-11)


def test_the_likelihood_of_the_fitted_line_is_the_largest():
    x, y = _data(50, 1.0, 3)
    line = LogisticLine(x)
    fit = line.fit(y)
    best = line.log_likelihood(y, fit.intercept, fit.slope)
    assert_allclose(best, fit.log_likelihood, rtol=1e-13)
    p = expit(0.1 + 0.9 * x)[:, np.newaxis]
    expected = np.log(np.where(y, p, 1 - p)).sum(axis=0)
    assert_allclose(line.log_likelihood(y, 0.1, 0.9), expected, rtol=1e-13)


def test_the_intercept_of_a_given_slope_makes_the_expected_rate_the_observed_one():
    x, _ = _data(40, 1.0, 1)
    line = LogisticLine(x)
    rate = np.array([0.0, 0.01, 0.5, 0.5, 0.99, 1.0])
    intercept = line.fit_intercept(rate)
    found = expit(intercept[1:-1] + x[:, np.newaxis]).mean(axis=0)
    assert_allclose(found, rate[1:-1], rtol=1e-13)
    assert intercept[0] == -np.inf
    assert intercept[-1] == np.inf
    assert line.fit_intercept(rate[1:2]).tolist() == intercept[1:2].tolist()
    slopes = np.array([0.5, -2.0])
    found = expit(line.fit_intercept(rate[1:3], slopes) + np.multiply.outer(x, slopes))
    assert_allclose(found.mean(axis=0), rate[1:3], rtol=1e-13)


def test_certain_probabilities_count_as_half_the_smallest_distance():
    x, floor = finite_logit(np.array([0.0, 0.1, 0.5, 0.96, 1.0]))
    assert floor == pytest.approx(0.02, rel=1e-12)
    expected = np.log([0.02 / 0.98, 0.1 / 0.9, 1.0, 24.0, 49.0])
    assert_allclose(x, expected, rtol=1e-12)
    assert np.isfinite(finite_logit(np.array([0.0, 5e-324, 1e-17, 1 - 1e-16, 1.0]))[0]).all()


@pytest.mark.parametrize("n", [3, 7, 60, 61, 999])
def test_one_class_has_no_finite_intercept(n):
    """Also where the shares of the rows do not add up to exactly one."""
    p = np.random.default_rng(n).random(n)
    w = np.random.default_rng(1).random(n)
    for weight in (None, w):
        for label, expected in ((0, -np.inf), (1, np.inf)):
            y = np.full(n, label)
            assert calibration_intercept(y, p, sample_weight=weight) == expected


def test_rows_of_tiny_weight_may_decide_on_the_slope():
    """Expected values come from Newton steps in numbers of sixty digits."""
    slope = calibration_slope([1, 0, 0], [0.25, 0, 0.265625], sample_weight=[1e-12, 1, 1])
    assert_allclose(slope, 2.51811403521790074, rtol=1e-12)
    y, p = [0, 0, 1, 0, 1, 0, 0], [0.25, 0.25, 0.25, 0, 0, 0.25, 0.25]
    slope = calibration_slope(y, p, sample_weight=[1, 1, 1, 1, 1e-12, 1, 1e-12])
    assert_allclose(slope, 31.3141459074795193, rtol=1e-12)
    # The line that is best for the sums in rounding is far away from the best one.
    y, p = [0, 1, 0], [1.0, 0.71875, 0.6875]
    slope = calibration_slope(y, p, sample_weight=[1, 1e10, 1e-12])
    assert_allclose(slope, -91.6345184748634148, rtol=1e-12)


def test_certain_predictions_that_are_wrong():
    """A full Newton step would end where all rows are certain, from where no step leads back.

    Expected values come from Newton steps in numbers of seventy digits.
    """
    y, p = [0, 1, 1, 1], [0.25, 0.25, 1e-17, 0.828125]
    slope = calibration_slope(y, p, sample_weight=[1, 1, 2, 1])
    assert_allclose(slope, -0.0984016694205838645, rtol=1e-12)
    line = LogisticLine(np.array([-9, 1.5, 0.4, -39]), np.array([1e-9, 1e-7, 1e12, 10]))
    fit = line.fit(np.array([0, 1, 1, 1])[:, np.newaxis])
    assert_allclose(fit.slope, 0.6133997038216286, rtol=1e-11)
    # The best predictors are in the hundreds.
    x = np.array([2.3, -2.3, 0.9, -39.0, -1.4, -1.9, 0.9, 1.0])
    line = LogisticLine(x, np.array([1e7, 1, 1e6, 1e-6, 1, 1e-9, 9.999999999999999e-06, 1e-12]))
    fit = line.fit(np.array([0, 1, 1, 0, 1, 0, 0, 1])[:, np.newaxis])
    assert_allclose(fit.slope, -36.09876889012687, rtol=1e-11)


def test_steep_and_flat_lines_are_evaluated_together():
    """Nodes in place of points are for flat lines; a steep one beside them reads all points."""
    x, _ = _data(5000, 1.0, 1)
    line = LogisticLine(x)
    assert line.nodes is not None
    alpha, beta = np.array([0.1, -0.4, 0.3]), np.array([1.0, 20.0, -15.0])
    eta = alpha + np.multiply.outer((x - x.mean()) / x.std(), beta)
    loss = line._evaluate(alpha, beta)[0]
    assert_allclose(loss, np.logaddexp(0.0, eta).mean(axis=0), rtol=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("label", [0, 1])
def test_one_row_apart_from_equal_ones_decides_on_the_slope(sign, label):
    """The equal rows have both labels, so that only the side of the one row is known."""
    x, y = np.array([5.0, 5.0, 5.0, 5.0, 5.0 + sign]), np.array([0, 1, 0, 1, label])
    fit = LogisticLine(x).fit(y[:, np.newaxis])
    assert fit.slope[0] == (np.inf if (sign > 0) == label else -np.inf)
    assert np.isnan(fit.intercept[0])
    assert fit.log_likelihood[0] == pytest.approx(4 * np.log(0.5))
