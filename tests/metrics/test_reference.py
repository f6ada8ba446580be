"""The metrics give the reference numbers, computed with other software."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.metrics import (
    average_calibration_error,
    calibration_bins,
    ece,
    kce,
    klce,
    mce,
    mmce,
    skce,
)
from tests._reference import load_cases, parametrize_cases

BINNED = {"rtol": 0, "atol": 1e-12}
KERNEL = {"rtol": 1e-10, "atol": 1e-14}


def _data(case, target):
    """Return labels, probabilities and options; class code k belongs to column k - 1."""
    y, p = np.array(case["inputs"]["y"]), np.array(case["inputs"]["p"])
    if target is None:
        return y, p, {"target": "binary"}
    return y, p, {"target": target, "labels": np.arange(1, p.shape[1] + 1)}


def _expected(case):
    """Return the values for the edges ``k / n_bins``."""
    return case["decimal_edges"] if case.get("edge_sensitive") else case["expected"]


@parametrize_cases("skce")
def test_skce(case):
    y, p, options = _data(case, case["params"]["type"])
    params = case["params"]
    value = skce(y, p, estimator=params["estimator"], bandwidth=params["bandwidth"], **options)
    assert_allclose(value, case["expected"]["value"], **KERNEL)


def test_skce_of_the_two_printed_examples():
    printed = {
        case["name"]: skce(*_data(case, case["params"]["type"])[:2])
        for case in load_cases("skce")
        if "printed" in case["expected"]
    }
    assert f"{printed['document_example_binary']:.5e}" == "9.74756e-05"
    assert f"{printed['document_example_canonical']:.8f}" == "0.01539506"


def test_the_biased_skce_is_the_squared_mmce():
    (case,) = [c for c in load_cases("skce") if "mmce" in c["expected"]]
    y, p, _ = _data(case, None)
    biased = skce(y, p, estimator="biased")
    assert_allclose(biased, case["expected"]["value"], **KERNEL)
    assert_allclose(mmce(y, p) ** 2, biased, rtol=0, atol=1e-12)


@parametrize_cases("mmce")
def test_mmce(case):
    p = np.array(case["inputs"]["p"])
    y, p, options = _data(case, "confidence" if p.ndim == 2 else None)
    value = mmce(y, p, bandwidth=case["params"]["bandwidth"], **options)
    expected = case["expected"]["value"]
    assert_allclose(value, expected, rtol=1e-10, atol=1e-14 if expected else 1e-8)


@parametrize_cases("ece")
def test_binned_errors_and_table(case):
    y, p, options = _data(case, case["params"]["type"])
    options["n_bins"] = case["params"]["bins"]
    expected = _expected(case)
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


@parametrize_cases("ece_debiased", keep=lambda case: case["params"]["scheme"] == "equal_width")
def test_root_mean_square_error(case):
    """The bins of this source are closed on the right; the data avoid the edges."""
    y, p, options = _data(case, None)
    options["n_bins"] = case["params"]["bins"]
    assert_allclose(ece(y, p, **options), case["expected"]["plugin_l1"], **BINNED)
    assert_allclose(ece(y, p, norm="l2", **options), case["expected"]["plugin_l2"], **BINNED)
    assert_allclose(
        ece(y, p, norm="l2", closed="right", **options), case["expected"]["plugin_l2"], **BINNED
    )


def _has_labels(case):
    return set(case["inputs"]["y"]) <= {0, 1}


@parametrize_cases("binary_metrics", keep=lambda case: not _has_labels(case))
def test_fractional_labels_are_refused(case):
    with pytest.raises(ValueError, match="y_true must hold class labels, got the continuous value"):
        ece(case["inputs"]["y"], case["inputs"]["p"])


@parametrize_cases("binary_metrics", keep=_has_labels)
def test_binary_metrics(case):
    y, p, _ = _data(case, None)
    n_bins, expected = case["params"]["n_bins"], _expected(case)
    assert_allclose(ece(y, p, n_bins=n_bins), expected["expected_calibration_error"], **BINNED)
    assert_allclose(mce(y, p, n_bins=n_bins), expected["maximum_calibration_error"], **BINNED)
    width = case["params"]["prob_kernel_width"]
    unbiased = case["expected"]["kernel_calibration_error"]
    assert_allclose(kce(y, p, bandwidth=width), unbiased, **KERNEL)


@parametrize_cases("klce", keep=lambda case: case["params"]["function"] == "KLCE_test")
def test_klce(case):
    y, p, _ = _data(case, None)
    params = case["params"]
    shared = params["x_kernel_width"] is None
    width = params["prob_kernel_width"]
    value = klce(
        y,
        p,
        case["inputs"]["X"],
        prob_bandwidth=width,
        feature_bandwidth=width if shared else params["x_kernel_width"],
    )
    assert_allclose(value, case["expected"]["statistic"], **KERNEL)
