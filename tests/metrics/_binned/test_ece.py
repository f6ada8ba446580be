"""The expected calibration error: known values, its norms, and reference values."""

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
from tests._reference import parametrize_cases
from tests.metrics._cases import BINNED, close, reference_data

P4 = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.5, 0.25, 0.25]]
Y4 = [0, 1, 1, 2]
Y6, P6 = [0, 0, 1, 1, 1, 0], [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]


def test_confidence_of_exactly_one_falls_into_the_last_bin():
    close(ece([1, 0, 1], [0.92, 1.0, 0.98], n_bins=10), 0.3)
    close(ece([1, 0, 1], [0.92, 1.0, 0.98], n_bins=10, closed="right"), 0.3)


def test_probability_of_exactly_zero_falls_into_the_first_bin():
    for closed in ("left", "right"):
        options = {"n_bins": 10, "closed": closed}
        close(ece([1, 1, 0], [0, 0, 0.04], **options), 2 / 3 - 0.04 / 3)
        close(mce([1, 1, 0], [0, 0, 0.04], **options), 2 / 3 - 0.04 / 3)
    assert ece([0, 1], np.array([0, 1])) == 0.0


def test_two_classes_are_judged_by_the_positive_class_unless_confidence_is_asked_for():
    close(ece(Y6, P6, n_bins=5), 0.345)
    close(ece(Y6, P6, n_bins=5, target="confidence"), 0.635 / 3)
    close(ece(Y6, P6, n_bins=2), 0.37 / 6)
    close(ece(Y6, P6, n_bins=2, target="confidence"), 0.37 / 6)
    for function in (ece, mce, average_calibration_error, calibration_bins, skce, kce, mmce, klce):
        text = " ".join(function.__doc__.split())
        assert "A 1-D array or a single column holds the probability of the positive class" in text


def test_an_absent_class_keeps_its_column():
    close(ece([0, 0], [[0.9, 0.1], [0.8, 0.2]], target="confidence", n_bins=10), 0.15)
    P = [[0.9, 0.1, 0.0], [0.8, 0.2, 0.0]]
    close(ece([0, 0], P, labels=[0, 1, 2], n_bins=10), 0.15)
    close(ece([0, 0], P, labels=[0, 1, 2], target="classwise", n_bins=1), (0.15 + 0.15 + 0) / 3)


def test_debiased_is_no_norm_and_one_row_a_bin_is_finite():
    close(ece([0, 1], [0.1, 0.9], n_bins=10, norm="l2"), 0.1)
    with pytest.raises(ValueError, match="norm must be one of"):
        ece([0, 1], [0.1, 0.9], norm="debiased")


def test_classwise_error_is_the_mean_over_the_classes():
    for k, expected in enumerate([0.1, 0.4625, 0.3125]):
        close(ece(np.array(Y4) == k, np.array(P4)[:, k], n_bins=5, closed="right"), expected)
    close(ece(Y4, P4, n_bins=5, closed="right", target="classwise"), 0.875 / 3)
    close(ece(Y4, P4, n_bins=5, closed="right"), 0.275)
    assert "mean over the classes" in ece.__doc__


@parametrize_cases("ece_debiased", keep=lambda case: case["params"]["scheme"] == "equal_width")
def test_root_mean_square_error(case):
    """The bins of this source are closed on the right; the data avoid the edges."""
    y, p, options = reference_data(case, None)
    options["n_bins"] = case["params"]["bins"]
    assert_allclose(ece(y, p, **options), case["expected"]["plugin_l1"], **BINNED)
    assert_allclose(ece(y, p, norm="l2", **options), case["expected"]["plugin_l2"], **BINNED)
    assert_allclose(
        ece(y, p, norm="l2", closed="right", **options), case["expected"]["plugin_l2"], **BINNED
    )
