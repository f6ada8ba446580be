"""The rows by formula: known values, and the width of `calibration_ci` with so many rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from scipy.stats import beta, norm

from sklearn_calib import calibration_ci, required_sample_size
from sklearn_calib.inference._sample_size.pilot import Truth
from tests._reference import parametrize_cases

Z = norm.ppf(0.975)
QUANTILES = (np.arange(200_000) + 0.5) / 200_000
METRICS = ("calibration_slope", "calibration_intercept", "observed_expected_ratio")


def rows(p, metric, width, **truth):
    return required_sample_size(p, metric=metric, width=width, **truth).n_samples


def of_values(p, true):
    """Return a truth: the true probability of each predicted one."""
    return lambda asked: np.array(true)[np.searchsorted(p, asked)]


@parametrize_cases("sample_size")
def test_the_slope_needs_the_rows_that_other_software_finds(case):
    params, expected = case["params"], case["expected"]
    if "lpbeta" in params:
        predictions = beta(*params["lpbeta"])
    else:
        predictions = expit(norm(*params["lpnormal"]).ppf(QUANTILES))
    found = rows(predictions, "calibration_slope", params["csciwidth"])
    assert_allclose(found, expected["slope"], rtol=5e-3)


def test_equal_predictions_have_the_formula_of_a_mean_log_odds():
    """The variance of the intercept is 1 / (n p (1 - p))."""
    n = rows([0.3, 0.3], "calibration_intercept", 0.4)
    assert n == np.ceil(1.0 / 0.21 / (0.2 / Z) ** 2)
    with pytest.raises(ValueError, match="All probabilities in y_proba are equal"):
        rows([0.3, 0.3], "calibration_slope", 0.4)


def test_the_width_is_that_around_the_true_ratio():
    """Twice as many events as expected: the interval is twice as wide for the same error."""
    doubled = required_sample_size(
        [0.1], truth=lambda p: 2 * p, metric="observed_expected_ratio", width=0.4
    )
    same = required_sample_size([0.2], metric="observed_expected_ratio", width=0.2)
    assert doubled.n_samples == same.n_samples
    assert doubled.error == pytest.approx(0.1)


# Predicted probabilities, each equally frequent, and the true ones in tenths.
TRUTHS = {
    "true predictions": ([0.2, 0.8], [2, 8]),
    "one prediction": ([0.1], [1]),
    "one prediction that is wrong": ([0.1], [2]),
    "one prediction near one": ([0.9], [9]),
    "too extreme": ([0.2, 0.8], [4, 6]),
    "no line": ([0.2, 0.5, 0.8], [3, 4, 9]),
    "no line and no slope": ([0.2, 0.5, 0.8], [6, 2, 6]),
    "too many events": ([0.2, 0.9], [5, 6]),
    "a certain event": ([0.05, 0.9], [2, 10]),
}
# There is no slope of one prediction, and no finite one of a certain event.
NO_SLOPE = [name for name, (p, tenths) in TRUTHS.items() if len(p) == 1 or 10 in tenths]
CASES = [(name, metric) for name in TRUTHS for metric in METRICS]
CASES = [case for case in CASES if case[1] != "calibration_slope" or case[0] not in NO_SLOPE]


@pytest.mark.parametrize(("case", "metric"), CASES)
def test_an_interval_of_labels_as_expected_has_the_width(case, metric):
    """In each group the share of events is the true probability, so nothing is left to chance."""
    p, tenths = TRUTHS[case]
    copies = 2000
    labels = np.concatenate([np.repeat([1, 0], [k * copies, (10 - k) * copies]) for k in tenths])
    low, high = calibration_ci(labels, np.repeat(p, 10 * copies), metric=metric)
    found = rows(p, metric, high - low, truth=of_values(p, [k / 10 for k in tenths]))
    assert_allclose(found, labels.size, rtol=2e-4)


@pytest.mark.parametrize(
    ("p", "tenths", "copies"),
    [
        ([0.2, 0.8], [2, 8], 2),
        ([0.9], [9], 4),
        ([0.2, 0.9], [5, 6], 1),
        ([0.2, 0.5, 0.8], [6, 2, 6], 1),
        ([1.0], [10], 3),
        ([0.0, 1.0], [0, 10], 4),
    ],
)
@pytest.mark.filterwarnings("ignore:All values of y_proba are exactly")
def test_the_ratio_of_few_rows_has_the_width_as_well(p, tenths, copies):
    """Down to predictions of certain events, whose interval has no upper half."""
    labels = np.concatenate([np.repeat([1, 0], [k * copies, (10 - k) * copies]) for k in tenths])
    proba = np.repeat(p, 10 * copies)
    interval = calibration_ci(labels, proba, metric="observed_expected_ratio", labels=[0, 1])
    width = interval.high - interval.low
    truth = of_values(p, [k / 10 for k in tenths])
    assert abs(rows(p, "observed_expected_ratio", width, truth=truth) - labels.size) <= 1


def test_the_intercept_of_a_wrong_line_has_the_robust_variance():
    """Events at odds of 4 and 1 / 4 by the line that are even: H = 0.16, M = 0.25 + 0.3**2."""
    n = rows([0.2, 0.8], "calibration_intercept", 0.4, truth=of_values([0.2, 0.8], [0.5, 0.5]))
    assert n == np.ceil(0.34 / 0.16**2 / (0.2 / Z) ** 2)


@pytest.mark.parametrize(
    ("true", "variance"),
    [
        # The best line is level at 0.4. Two of three rows count, of residual variance
        # a (1 - a) + (a - 0.4)**2 each.
        ([0.5, 0.2, 0.5], (2 / 3 * (0.25 + 0.01)) / (2 / 3 * 0.24) ** 2),
        # A robust variance below the promised one is not used.
        ([0.3, 0.6, 0.3], 1 / (2 / 3 * 0.24)),
    ],
)
def test_the_slope_of_a_wrong_line_has_the_larger_variance(true, variance):
    p = expit([-1.0, 0.0, 1.0])
    n = rows(p, "calibration_slope", 0.4, truth=of_values(p, true))
    assert n == np.ceil(variance / (0.2 / Z) ** 2)


def test_a_true_slope_has_the_promised_variance_of_its_line():
    """Predictions at x = -1 and 1 with a slope of 0.5: the variance is 1 / v."""
    n = rows(expit([-1.0, 1.0]), "calibration_slope", 0.4, slope=0.5)
    assert n == np.ceil(1 / (expit(0.5) * expit(-0.5)) / (0.2 / Z) ** 2)


@pytest.mark.parametrize("rate", [0.5, 0.1, 0.018])
def test_a_narrow_interval_of_the_ratio_needs_the_published_rows_for_equal_predictions(rate):
    """Riley et al. (2021), section 3.1.1: (1 - rate) / (rate s**2), rounded up."""
    n = rows([rate], "observed_expected_ratio", 2e-4 * Z)
    assert_allclose(n, (1 - rate) / rate / 1e-8, rtol=2e-4)


def test_predictions_that_are_spread_need_fewer_rows():
    """For true predictions a and b the variance is the mean of a (1 - a) and b (1 - b)."""
    n = rows([0.1, 0.9], "observed_expected_ratio", 2e-4 * Z)
    assert_allclose(n, 0.09 / 0.5**2 / 1e-8, rtol=1e-3)


@pytest.mark.parametrize(("rate", "width"), [(0.9, 1.2), (0.5, 2.5)])
def test_a_ratio_that_no_interval_can_exceed_needs_the_fewest_rows(rate, width):
    """The ends are between zero and the ratio of rows whose events all happen."""
    assert rows([rate, rate], "observed_expected_ratio", width) == 2


def test_a_wide_interval_of_a_small_ratio_ends_at_zero():
    """The upper end w solves (w - r)**2 = z**2 w p (1 - w p) / (n p**2), the lower is zero."""
    p, ratio, width = 0.1, 0.01, 0.5
    n = rows([p], "observed_expected_ratio", width, truth=lambda q: ratio * q)
    assert n == np.ceil(Z**2 * width * (1 - width * p) / p / (width - ratio) ** 2)


def test_events_that_are_all_but_impossible_are_refused_without_a_warning():
    with pytest.raises(ValueError, match="No number of rows is enough: the rows have no event"):
        rows([1e-310, 1e-309], "observed_expected_ratio", 0.2)
    with pytest.raises(ValueError, match="No number of rows is enough"):
        rows([1e-99, 1e-98], "observed_expected_ratio", 0.2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("predictions", "truth"),
    [
        (beta(2, 8), {}),
        (beta(2, 2), {"slope": 0.5}),
        (beta(0.5, 0.5), {}),
        (beta(0.5, 0.5), {"slope": 0.5}),
        (beta(0.5, 0.5), {"shift": 0.1}),
    ],
)
@pytest.mark.parametrize(
    ("metric", "width", "larger"),
    [
        # The larger of two variances is used, which on average is more than either.
        ("calibration_slope", 0.25, 0.06),
        ("calibration_intercept", 0.3, 0.01),
        ("observed_expected_ratio", 0.15, 0.02),
    ],
)
def test_intervals_are_as_wide_on_average(predictions, truth, metric, width, larger):
    """The mean of 100 intervals, within three of its standard errors."""
    n = rows(predictions, metric, width, **truth)
    rng, widths = np.random.default_rng(0), []
    for _ in range(100):
        p = predictions.rvs(n, random_state=rng)
        true = Truth(**truth)(np.column_stack([1 - p, p]))[:, 1]
        low, high = calibration_ci(rng.random(n) < true, p, metric=metric)
        widths.append(high - low)
    error = 3 * np.std(widths) / 10
    assert width * 0.985 - error < np.mean(widths) < width * (1 + larger) + error
