"""Errors against base R, and against other packages for calibration."""

import pytest
from numpy.testing import assert_allclose

from sklearn_calib import metrics
from tests._reference import parametrize_cases

OF_R = [
    "calibration_slope",
    "calibration_intercept",
    "ks_calibration_error",
    "kuiper_calibration_error",
    "observed_expected_ratio",
]


@parametrize_cases("statistics")
@pytest.mark.parametrize("name", OF_R)
def test_errors_are_those_of_r(case, name):
    value = getattr(metrics, name)(case["inputs"]["y"], case["inputs"]["p"])
    short = name.removeprefix("calibration_")
    expected = case["expected"].get(name, case["expected"].get(short))
    assert_allclose(value, expected, rtol=1e-9)


@parametrize_cases("statistics")
def test_the_joint_intercept_is_that_of_r(case):
    value = metrics.calibration_intercept(case["inputs"]["y"], case["inputs"]["p"], joint=True)
    assert_allclose(value, case["expected"]["joint_intercept"], rtol=1e-8)


@parametrize_cases("statistics")
@pytest.mark.parametrize("score", ["brier", "log_loss"])
def test_components_of_scores_are_those_of_isotonic_regression_in_r(case, score):
    parts = metrics.score_decomposition(case["inputs"]["y"], case["inputs"]["p"], score=score)
    for name, expected in case["expected"][score].items():
        assert_allclose(getattr(parts, name), expected, rtol=0, atol=1e-11)


@parametrize_cases("statistics")
@pytest.mark.parametrize("summary", ["mean", "median", "q90", "max"])
def test_smooth_curves_are_those_of_loess_in_r(case, summary):
    y, p = case["inputs"]["y"], case["inputs"]["p"]
    value = metrics.integrated_calibration_index(y, p, summary=summary)
    assert_allclose(value, case["expected"]["loess"][summary], rtol=1e-9)


@parametrize_cases("statistics")
def test_the_index_is_near_the_interpolated_one_that_r_computes_by_default(case):
    value = metrics.integrated_calibration_index(case["inputs"]["y"], case["inputs"]["p"])
    assert_allclose(value, case["expected"]["loess_interpolated"]["mean"], rtol=0.05)


@parametrize_cases("peer_errors")
@pytest.mark.parametrize("name", ["ks_calibration_error", "smooth_calibration_error"])
def test_errors_with_ties_are_those_of_other_packages(case, name):
    value = getattr(metrics, name)(case["inputs"]["y"], case["inputs"]["p"])
    assert_allclose(value, case["expected"][name], rtol=1e-9)


@parametrize_cases("peer_errors")
@pytest.mark.parametrize("name", ["ece_sweep", "kuiper_calibration_error"])
def test_errors_without_ties_are_those_of_other_packages(case, name):
    """The packages split ties in the order of the rows."""
    value = getattr(metrics, name)(case["inputs"]["distinct_y"], case["inputs"]["distinct_p"])
    assert_allclose(value, case["expected"][name], rtol=1e-10)


@parametrize_cases("peer_errors")
def test_the_smooth_error_is_near_that_of_its_authors(case):
    """Their search for the width stops at a step of 1/1024."""
    value = metrics.smooth_ece(case["inputs"]["y"], case["inputs"]["p"])
    assert_allclose(value, case["expected"]["smooth_ece"], rtol=0, atol=1 / 1024)


@parametrize_cases("peer_errors")
def test_the_largest_kuiper_distance_over_groups_is_that_of_mcgrad(case):
    value = metrics.multicalibration_error(
        *(case["inputs"][one] for one in ("distinct_y", "distinct_p", "X")),
        distance="kuiper",
        max_interaction=2,
    )
    assert_allclose(value, case["expected"]["multicalibration_error"], rtol=1e-9)
