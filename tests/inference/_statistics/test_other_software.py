"""Statistics against base R, and against other packages for calibration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import check_calibration
from sklearn_calib.inference import calibration_line
from tests._reference import parametrize_cases


def asymptotic(case, statistic, X=None, **params):
    return check_calibration(
        case["inputs"]["y"],
        case["inputs"]["p"],
        X,
        statistic=statistic,
        null="asymptotic",
        statistic_params=params,
    )


@parametrize_cases("statistics")
@pytest.mark.parametrize(
    "name", ["spiegelhalter", "cox_score", "cox_likelihood_ratio", "logistic_score"]
)
def test_statistics_with_their_limits_are_those_of_r(case, name):
    X = np.array(case["inputs"]["X"]) if name == "logistic_score" else None
    result = asymptotic(case, name, X)
    # A loss of log-likelihood is a difference of numbers of about n.
    atol = 1e-11 * len(case["inputs"]["y"])
    assert_allclose(result.statistic, case["expected"][name], rtol=1e-10, atol=atol)
    assert_allclose(result.pvalue, case["expected"][f"{name}_pvalue"], rtol=1e-8)


@parametrize_cases("statistics")
def test_the_slope_score_is_what_the_slope_adds_to_the_score_of_the_intercept(case):
    value = asymptotic(case, "slope_score").statistic
    assert_allclose(value**2, case["expected"]["slope_score_squared"], rtol=1e-9)


@parametrize_cases("statistics")
def test_statistics_of_groups_are_those_of_r(case):
    expected = case["expected"]
    result = asymptotic(case, "hosmer_lemeshow")
    assert_allclose(result.statistic, expected["hosmer_lemeshow"], rtol=1e-10)
    assert_allclose(result.pvalue, expected["hosmer_lemeshow_pvalue"], rtol=1e-9)
    fitted = asymptotic(case, "hosmer_lemeshow", in_sample=True)
    assert_allclose(fitted.pvalue, expected["hosmer_lemeshow_in_sample"], rtol=1e-9)
    value = asymptotic(case, "pigeon_heyse").statistic
    assert_allclose(value, expected["pigeon_heyse"], rtol=1e-10)


@parametrize_cases("statistics")
def test_intervals_of_the_slope_are_those_of_r(case):
    y, p = case["inputs"]["y"], case["inputs"]["p"]
    for method in ("profile", "wald"):
        interval = calibration_line(y, p, method=method).slope_interval
        assert_allclose(interval, case["expected"][f"slope_{method}"], rtol=1e-7)


@parametrize_cases("peer_errors")
def test_the_kuiper_test_is_that_of_mcgrad(case):
    y, p = case["inputs"]["distinct_y"], case["inputs"]["distinct_p"]
    result = check_calibration(y, p, statistic="kuiper", null="asymptotic")
    assert_allclose(result.statistic, case["expected"]["kuiper"], rtol=1e-10)
    assert_allclose(result.pvalue, case["expected"]["kuiper_pvalue"], rtol=1e-7)


@parametrize_cases("peer_errors")
def test_groups_of_equal_size_are_those_of_probcal(case):
    y, p = case["inputs"]["distinct_y"], case["inputs"]["distinct_p"]
    value = check_calibration(y, p, statistic="hosmer_lemeshow", null="asymptotic").statistic
    assert_allclose(value, case["expected"]["hosmer_lemeshow"], rtol=1e-9)
