"""The p-value, the effect size and what else the result of a test holds."""

import dataclasses
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2, norm

from sklearn_calib.inference import CalibrationTestResult, check_calibration
from sklearn_calib.inference._pvalues import asymptotic_pvalue, monte_carlo_pvalue
from sklearn_calib.metrics import ece
from tests.inference._data import binary_data


def test_pvalue_formulas():
    values = np.array([1.0, 2.0, 3.0, 4.0])
    assert monte_carlo_pvalue(3.0, values) == 3 / 5
    assert monte_carlo_pvalue(3.0, values, add_one=False) == 1 / 4
    assert monte_carlo_pvalue(9.0, values) == 1 / 5
    assert monte_carlo_pvalue(9.0, values, add_one=False) == 1 / 4
    assert monte_carlo_pvalue(0.0, values) == 1.0


def test_ties_up_to_rounding_count_as_at_least_as_large():
    near = 3.0 * (1 - 4e-13)
    assert monte_carlo_pvalue(3.0, np.array([near, 1.0])) == 2 / 3
    assert monte_carlo_pvalue(near, np.array([3.0, 1.0]), add_one=False) == 1 / 2
    assert monte_carlo_pvalue(3.0, np.array([3.0 * (1 - 1e-11), 1.0])) == 1 / 3
    # The tolerance goes with the largest value in size.
    assert monte_carlo_pvalue(1e-14, np.array([0.0, -1.0])) == 2 / 3


def test_nan_and_infinity_never_make_a_small_pvalue_by_accident():
    assert monte_carlo_pvalue(1.0, np.array([np.nan, np.nan, 0.0])) == 3 / 4
    assert monte_carlo_pvalue(np.inf, np.array([1.0, 2.0, np.inf])) == 2 / 4
    assert monte_carlo_pvalue(1.0, np.array([-np.inf, np.inf, 0.0])) == 2 / 4


def test_strong_evidence_has_the_smallest_pvalue_and_not_zero():
    y, p = np.repeat([0, 1], 50), np.repeat([0.9, 0.1], 50)
    assert check_calibration(y, p, n_resamples=99).pvalue == 0.01
    assert check_calibration(y, p, n_resamples=99, add_one=False).pvalue == 1 / 99


def test_result():
    y, p, X = binary_data()
    result = check_calibration(y, p, X, n_resamples=99, random_state=0)
    statistic, pvalue = result
    assert (statistic, pvalue) == (result.statistic, result.pvalue)
    assert result.null_distribution.shape == (99,)
    assert result.expected == result.null_distribution.mean()
    assert result.effect_size == np.sqrt(max(statistic, 0))
    assert (result.n_samples, result.n_resamples, result.null) == (60, 99, "simulation")
    assert isinstance(result, CalibrationTestResult)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.pvalue = 0.0
    text = repr(result)
    for part in (
        f"statistic={statistic:.4g}, pvalue={pvalue:.4g}",
        f"expected={result.expected:.4g}",
        f"effect_size={result.effect_size:.4g}",
        f"detectable_error={result.detectable_error:.4g}, statistic_name='klce'",
        "null='simulation'",
        "n_samples=60",
        "n_resamples=99",
        f"prob_bandwidth={result.prob_bandwidth:.4g}",
    ):
        assert part in text


def test_effect_size_is_on_the_scale_of_probabilities():
    y, p, _ = binary_data()
    for statistic, params in (("ece", {}), ("mmce", {}), ("kce", {"squared": False})):
        result = check_calibration(
            y, p, statistic=statistic, statistic_params=params, n_resamples=9
        )
        assert result.effect_size == result.statistic
    y = 1 - y
    squared = check_calibration(y, p, statistic="kce", n_resamples=9)
    assert squared.effect_size == np.sqrt(squared.statistic)


def test_expected_value_under_calibration():
    """A binned error is biased upwards; the mean over all label vectors is enumerated."""
    p = np.array([0.2, 0.5, 0.9])
    truth = sum(
        np.prod(np.where(y, p, 1 - p)) * ece(np.array(y), p) for y in product([0, 1], repeat=3)
    )
    result = check_calibration([0, 1, 1], p, statistic="ece", n_resamples=20_000, random_state=0)
    assert_allclose(result.expected, truth, rtol=0.01)


def test_two_sided_pvalue_is_twice_the_smaller_side():
    values = np.array([1.0, 2.0, 3.0, 4.0])
    two_sided = {"alternative": "two-sided"}
    assert monte_carlo_pvalue(3.5, values, **two_sided) == 4 / 5
    assert monte_carlo_pvalue(9.0, values, **two_sided) == 2 / 5
    assert monte_carlo_pvalue(0.0, values, **two_sided) == 2 / 5
    assert monte_carlo_pvalue(2.5, values, **two_sided) == 1.0
    assert monte_carlo_pvalue(0.5, values, add_one=False, **two_sided) == 2 / 4


def test_asymptotic_pvalue():
    assert asymptotic_pvalue(0.0, norm(), "two-sided") == 1.0
    assert_allclose(asymptotic_pvalue(-1.959963984540054, norm(), "two-sided"), 0.05, rtol=1e-12)
    assert_allclose(asymptotic_pvalue(3.841458820694124, chi2(1), "greater"), 0.05, rtol=1e-12)
    assert_allclose(asymptotic_pvalue(-1.6448536269514722, norm(), "greater"), 0.95, rtol=1e-12)
