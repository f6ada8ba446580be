"""Score statistics: against differentiated likelihoods, by hand, and in special cases."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from scipy.stats import chi2, norm

from sklearn_calib.inference import check_calibration
from tests.inference._data import binary_data, multiclass_data


def value(statistic, *data, **options):
    return check_calibration(*data, statistic=statistic, n_resamples=9, **options).statistic


def gradient_and_information(likelihood, at, step=1e-4):
    """Differentiate numerically: the gradient, and minus the second derivatives."""
    size = len(at)
    shifts = step * np.eye(size)
    gradient = [(likelihood(at + h) - likelihood(at - h)) / (2 * step) for h in shifts]
    second = [
        [
            likelihood(at + a + b) - likelihood(at + a - b) - likelihood(at - a + b)
            + likelihood(at - a - b)
            for b in shifts
        ]
        for a in shifts
    ]  # fmt: skip
    return np.array(gradient), -np.array(second) / (4 * step**2)


def log_likelihood(y, design):
    def of(coefficients):
        rate = expit(design @ coefficients)
        return np.sum(y * np.log(rate) + (1 - y) * np.log(1 - rate))

    return of


def test_cox_score_is_the_score_test_of_the_likelihood():
    y, p, _ = binary_data()
    design = np.column_stack([np.ones(p.size), logit(p)])
    gradient, information = gradient_and_information(log_likelihood(y, design), np.array([0, 1.0]))
    expected = gradient @ np.linalg.solve(information, gradient)
    assert_allclose(value("cox_score", y, p), expected, rtol=1e-4)


def test_logistic_score_is_the_score_test_of_the_likelihood():
    y, p, X = binary_data()
    design = np.column_stack([np.ones(p.size), logit(p), X])
    at = np.array([0, 1.0, 0, 0])
    gradient, information = gradient_and_information(log_likelihood(y, design), at)
    expected = gradient @ np.linalg.solve(information, gradient)
    assert_allclose(value("logistic_score", y, p, X), expected, rtol=1e-4)


def test_slope_score_leaves_the_intercept_free():
    """The efficient score: the gradient by the slope, less what goes with the intercept."""
    y, p, _ = binary_data()
    design = np.column_stack([np.ones(p.size), logit(p)])
    gradient, information = gradient_and_information(log_likelihood(y, design), np.array([0, 1.0]))
    ratio = information[1, 0] / information[0, 0]
    spread = np.sqrt(information[1, 1] - ratio * information[0, 1])
    expected = (gradient[1] - ratio * gradient[0]) / spread
    assert_allclose(value("slope_score", y, p), expected, rtol=1e-4)


def test_temperature_score_is_the_derivative_by_the_exponent():
    y, p, _ = multiclass_data()

    def likelihood(b):
        power = p ** b[0]
        return np.sum(np.log(power[np.arange(y.size), y] / power.sum(axis=1)))

    gradient, information = gradient_and_information(likelihood, np.array([1.0]))
    expected = gradient[0] / np.sqrt(information[0, 0])
    assert_allclose(value("temperature_score", y, p), expected, rtol=1e-4)


def test_cox_score_by_hand():
    """Two groups of rows, p = 1/4 and 3/4: both degrees of freedom are the groups themselves."""
    p = np.repeat([0.25, 0.75], [8, 16])
    y = np.concatenate([np.repeat([0, 1], [4, 4]), np.repeat([0, 1], [3, 13])])
    # Observed 4 of 8 (2 expected) and 13 of 16 (12 expected); variances 1.5 and 3.
    assert_allclose(value("cox_score", y, p), 2**2 / 1.5 + 1**2 / 3, rtol=1e-12)


def test_asymptotic_pvalues():
    y, p, X = binary_data()
    options = {"null": "asymptotic"}
    for name, data, degrees in (("cox_score", (y, p), 2), ("logistic_score", (y, p, X), 4)):
        result = check_calibration(*data, statistic=name, **options)
        assert_allclose(result.pvalue, chi2(degrees).sf(result.statistic), rtol=1e-10)
    result = check_calibration(y, p, statistic="slope_score", **options)
    assert_allclose(result.pvalue, 2 * norm.sf(abs(result.statistic)), rtol=1e-10)


def test_collinear_and_constant_features_lose_their_degrees_of_freedom():
    y, p, X = binary_data()
    redundant = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(y.size, 7.0), logit(p)])
    assert_allclose(
        value("logistic_score", y, p, redundant), value("logistic_score", y, p, X), rtol=1e-9
    )
    result = check_calibration(y, p, redundant, statistic="logistic_score", null="asymptotic")
    assert_allclose(result.pvalue, chi2(4).sf(result.statistic), rtol=1e-9)


@pytest.mark.parametrize(
    "name", ["cox_score", "slope_score", "classwise_score", "temperature_score", "rank_skce"]
)
def test_only_ratios_of_weights_matter(name):
    y, p, _ = multiclass_data()
    weight = np.random.default_rng(0).uniform(0.5, 3.0, size=y.size)
    expected = value(name, y, p, sample_weight=weight)
    assert_allclose(value(name, y, p, sample_weight=1e5 * weight), expected, rtol=1e-10)
    assert abs(expected - value(name, y, p)) > 1e-6


def test_equal_weights_of_any_size_are_no_weights():
    y, p, _ = binary_data()
    equal = np.full(y.size, 3.0)
    assert_allclose(
        value("cox_score", y, p, sample_weight=equal), value("cox_score", y, p), rtol=1e-12
    )


def test_confident_and_wrong_predictions_are_found():
    y, p = np.array([0, 1] * 10), np.array([1.0, 0.0] * 10)
    for name in ("cox_score", "slope_score", "classwise_score", "temperature_score"):
        result = check_calibration(y, p, statistic=name, n_resamples=19)
        assert result.pvalue <= 0.1
        assert np.isinf(result.statistic)


def test_signs_say_which_way():
    """Labels that vary more than predicted: too extreme, negative."""
    p = np.repeat([0.1, 0.9], 50)
    y = np.concatenate([np.repeat([0, 1], [35, 15]), np.repeat([0, 1], [15, 35])])
    assert value("slope_score", y, p) < 0
    assert value("temperature_score", y, p) < 0


def test_rank_statistics_do_not_depend_on_the_scale_of_features():
    y, p, X = binary_data()
    expected = value("feature_rank_skce", y, p, X)
    assert_allclose(value("feature_rank_skce", y, p, np.exp(X)), expected, rtol=1e-10)
    assert_allclose(value("feature_rank_skce", y, p, X[:, ::-1]), expected, rtol=1e-12)


def test_weighted_ranks_count_weights_as_copies():
    from sklearn_calib.inference._statistics.rank_skce import weighted_ranks

    values, weight = np.array([0.3, 0.1, 0.3, 0.7]), np.array([1.0, 2.0, 3.0, 4.0])
    # Below 0.1: 0 and half of 2; below 0.3: 2 and half of 4; below 0.7: 6 and half of 4.
    assert_allclose(weighted_ranks(values, weight), [0.4, 0.1, 0.4, 0.8], rtol=1e-14)


@pytest.mark.parametrize("p", [0.3, 0.1234, 0.5])
def test_equal_predictions_have_no_slope(p):
    y = np.arange(100) % 3 == 0
    result = check_calibration(y, np.full(100, p), statistic="slope_score", n_resamples=19)
    assert (result.statistic, result.pvalue) == (0.0, 1.0)
