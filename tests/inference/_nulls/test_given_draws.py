"""Draws that the user gives, and which of them are refused."""

import pytest
from numpy.testing import assert_allclose

from sklearn_calib.inference import GivenDraws, check_calibration
from tests._reference import parametrize_cases

CLOSE = {"rtol": 1e-10, "atol": 1e-14}


@parametrize_cases("klce", keep=lambda case: "permutations" in case["inputs"])
def test_permutation_test_of_the_reference(case):
    params, inputs, expected = case["params"], case["inputs"], case["expected"]
    width, feature_width = params["prob_kernel_width"], params["x_kernel_width"]
    options = {
        "null": GivenDraws("permutation", inputs["permutations"]),
        "prob_bandwidth": width,
        "feature_bandwidth": width if feature_width is None else feature_width,
    }
    result = check_calibration(inputs["y"], inputs["p"], inputs["X"], **options)
    assert_allclose(result.statistic, expected["statistic"], **CLOSE)
    assert_allclose(result.null_distribution, expected["null_distribution"], **CLOSE)
    assert result.pvalue == pytest.approx(expected["pvalue"], rel=1e-14)
    assert (result.n_resamples, result.null) == (params["iterations"], "permutation")
    plain = check_calibration(inputs["y"], inputs["p"], inputs["X"], add_one=False, **options)
    assert plain.pvalue == pytest.approx(expected["pvalue_plain"], rel=1e-14)


@pytest.mark.parametrize(
    ("null", "message"),
    [
        (GivenDraws("bootstrap", [[0, 1, 2]]), "kind must be one of 'permutation', 'wild'"),
        (
            GivenDraws("wild", [[1, -1]]),
            r"one column per row of positive weight, shape \(n_draws, 3\), got \(1, 2\)",
        ),
        (GivenDraws("wild", [[1, -1, 0]]), "signs 1 and -1, got 0"),
        (GivenDraws("permutation", [[0, 1, 3]]), "row numbers from 0 to 2, got 3"),
        (GivenDraws("permutation", [[0, 1, 1]]), "each row number once"),
        (GivenDraws("centred", [[0, 1, 0.5]]), "row numbers from 0 to 2, got 0.5"),
    ],
)
def test_malformed_draws(null, message):
    with pytest.raises(ValueError, match=message):
        check_calibration([0, 1, 1], [0.2, 0.4, 0.7], null=null)
