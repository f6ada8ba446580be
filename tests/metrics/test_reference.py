"""The metrics give the reference numbers, computed with other software."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

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
