"""The metrics give the reference numbers, computed with other software."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import metrics
from sklearn_calib.metrics import average_calibration_error, calibration_bins, ece, kce, mce
from tests._reference import parametrize_cases
from tests.metrics._cases import BINNED, KERNEL, expected_values, reference_data


@parametrize_cases("ece")
def test_binned_errors_and_table(case):
    y, p, options = reference_data(case, case["params"]["type"])
    options["n_bins"] = case["params"]["bins"]
    expected = expected_values(case)
    assert_allclose(ece(y, p, **options), expected["ece"], **BINNED)
    assert_allclose(mce(y, p, **options), expected["mce"], **BINNED)
    assert_allclose(average_calibration_error(y, p, **options), expected["ace"], **BINNED)
    if "table" in expected and not _moves_between_edge_rules(p, options["n_bins"]):
        table = {name: np.array(v, dtype=float) for name, v in expected["table"].items()}
        bins = calibration_bins(y, p, **options)
        assert bins.count.tolist() == table["count"].tolist()
        assert_allclose(bins.edges[:-1], table["lower"], **BINNED)
        assert_allclose(bins.edges[1:], table["upper"], **BINNED)
        assert_allclose(bins.prob_pred, table["mean_predicted"], **BINNED)
        assert_allclose(bins.prob_true, table["observed_rate"], **BINNED)


def _moves_between_edge_rules(p, n_bins):
    """Tell whether the edges of the source, ``linspace(0, 1, n_bins + 1)``, move a value."""
    edges, source_edges = np.arange(n_bins + 1) / n_bins, np.linspace(0, 1, n_bins + 1)
    return not np.array_equal(
        np.searchsorted(edges, p, side="right"), np.searchsorted(source_edges, p, side="right")
    )


def _has_labels(case):
    return set(case["inputs"]["y"]) <= {0, 1}


@parametrize_cases("binary_metrics", keep=lambda case: not _has_labels(case))
def test_fractional_labels_are_refused(case):
    with pytest.raises(ValueError, match="y_true must hold class labels, got the continuous value"):
        ece(case["inputs"]["y"], case["inputs"]["p"])


@parametrize_cases("binary_metrics", keep=_has_labels)
def test_binary_metrics(case):
    y, p, _ = reference_data(case, None)
    n_bins, expected = case["params"]["n_bins"], expected_values(case)
    assert_allclose(ece(y, p, n_bins=n_bins), expected["expected_calibration_error"], **BINNED)
    assert_allclose(mce(y, p, n_bins=n_bins), expected["maximum_calibration_error"], **BINNED)
    width = case["params"]["prob_kernel_width"]
    unbiased = case["expected"]["kernel_calibration_error"]
    assert_allclose(kce(y, p, bandwidth=width), unbiased, **KERNEL)


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
