"""What all binned errors share: plain loops, order of the norms, known values."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.metrics import average_calibration_error, calibration_bins, ece, mce
from sklearn_calib.metrics._binned.binned_error import BinnedError
from tests._oracles import loop_binned_error
from tests.metrics._binned._data import FUNCTIONS, binned_data
from tests.metrics._cases import close


def test_certain_and_wrong_rows_have_an_error_of_one():
    y, P = [0] * 4, [[0, 1]] * 4
    for target in ("binary", "confidence"):
        close(ece(y, P, target=target), 1.0)
        close(mce(y, P, target=target), 1.0)
    close(ece(y, [1, 1, 1, 1]), 1.0)


def test_equal_probabilities_stay_in_one_quantile_bin():
    y, p = [1] * 6 + [0] * 2, [0.25] * 8
    for n_bins in (1, 2, 5, 8, 15, 100):
        for function in (ece, mce, average_calibration_error):
            close(function(y, p, n_bins=n_bins, strategy="quantile"), 0.5)


def test_bins_of_different_size_by_hand():
    y, p = [0, 0, 0, 0, 1], [0.1, 0.1, 0.1, 0.1, 0.6]
    close(ece(y, p, n_bins=2), 0.16)
    close(mce(y, p, n_bins=2), 0.4)
    close(average_calibration_error(y, p, n_bins=2), 0.25)


def test_more_bins_than_rows_are_fine_and_less_than_one_is_refused():
    for strategy in ("uniform", "quantile"):
        close(ece([0, 1, 0, 1], [0.1, 0.2, 0.6, 0.9], n_bins=100, strategy=strategy), 0.4)
    for n_bins in (0, -1):
        with pytest.raises(ValueError, match="n_bins must be a whole number of at least 1"):
            ece([0, 1], [0.1, 0.9], n_bins=n_bins)


def test_empty_bins_give_no_warning_and_no_nan():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        close(ece([0, 1], [0.05, 0.95], n_bins=10), 0.05)
        close(mce([0, 1], [0.05, 0.95], n_bins=10), 0.05)
        close(calibration_bins([0, 1], [0.05, 0.95], n_bins=10).prob_pred[[0, 9]], [0.05, 0.95])


def test_certain_and_right_rows_have_no_error_at_any_number_of_bins():
    for n_bins in (1, 10, 15):
        for strategy in ("uniform", "quantile"):
            assert ece([1, 1, 0], [1, 1, 0], n_bins=n_bins, strategy=strategy) == 0
    bins = calibration_bins([1, 1, 0], [1, 1, 0], n_bins=10)
    assert (bins.prob_pred[0], bins.prob_pred[9]) == (0, 1)


EXACT = {"rtol": 1e-12, "atol": 1e-14}


@pytest.mark.parametrize("norm", FUNCTIONS)
@pytest.mark.parametrize("kind", ["smooth", "hard", "tenths", "tied"])
@pytest.mark.parametrize(
    ("n_classes", "target"),
    [(2, "binary"), (2, "confidence"), (2, "classwise"), (4, "confidence"), (4, "classwise")],
)
@pytest.mark.parametrize(
    "binning",
    [
        {"strategy": "uniform", "closed": "left"},
        {"strategy": "uniform", "closed": "right"},
        {"strategy": "quantile"},
    ],
    ids=["left", "right", "quantile"],
)
def test_plain_loops_agree(norm, kind, n_classes, target, binning):
    for seed, n_bins in enumerate([1, 4, 10, 15, 100]):
        y, P = binned_data(kind, n_classes, seed)
        options = {"n_bins": n_bins, "target": target, **binning}
        labels = np.arange(n_classes)
        value = FUNCTIONS[norm](y, P, labels=labels, **options)
        assert_allclose(value, loop_binned_error(y, P, norm=norm, **options), **EXACT)
        w = np.random.default_rng(seed).integers(1, 5, len(y)) / 4
        value = FUNCTIONS[norm](y, P, labels=labels, sample_weight=w, **options)
        assert_allclose(value, loop_binned_error(y, P, norm=norm, weight=w, **options), **EXACT)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("seed", range(10))
def test_norms_are_ordered(strategy, seed):
    y, P = binned_data("smooth", 3, seed)
    for target in ("confidence", "classwise"):
        options = {"strategy": strategy, "target": target, "n_bins": 7}
        l1, l2, largest = (ece(y, P, norm=norm, **options) for norm in ("l1", "l2", "max"))
        assert l1 < l2 < largest
        assert mce(y, P, **options) == largest
        assert average_calibration_error(y, P, **options) < largest


def test_one_bin_compares_the_overall_rate_with_the_overall_mean():
    y, P = binned_data("smooth", 2, 0)
    gap = abs(y.mean() - P[:, 1].mean())
    for norm in ("l1", "l2", "max"):
        for strategy in ("uniform", "quantile"):
            assert_allclose(ece(y, P, n_bins=1, norm=norm, strategy=strategy), gap, **EXACT)


def test_tenths_open_their_bins():
    """Edges are the doubles nearest to k / 10, so none of the tenths slips a bin lower."""
    p = np.arange(11) / 10
    assert calibration_bins(p >= 0.5, p, n_bins=10).count.tolist() == [1] * 9 + [2]
    right = calibration_bins(p >= 0.5, p, n_bins=10, closed="right")
    assert right.count.tolist() == [2] + [1] * 9


def test_the_default_target():
    y, P = binned_data("smooth", 4, 5)
    assert ece(y, P) == ece(y, P, target="confidence")
    y, P = binned_data("smooth", 2, 5)
    assert ece(y, P) == ece(y, P, target="binary") == ece(y, P[:, 1])
    assert ece(y, P) != ece(y, P, target="confidence")


def test_ties_take_the_first_column():
    P = [[0.4, 0.4, 0.2]] * 4
    assert_allclose(ece([0, 0, 0, 0], P, labels=[0, 1, 2]), 0.6, **EXACT)
    assert_allclose(ece([1, 1, 1, 1], P, labels=[0, 1, 2]), 0.4, **EXACT)
    assert_allclose(ece([1, 1], [0.5, 0.5], target="confidence"), 0.5, **EXACT)


# Several draws of the labels at once, which the tests of calibration use.
@pytest.mark.parametrize("norm", FUNCTIONS)
@pytest.mark.parametrize("target", ["confidence", "classwise"])
def test_columns_of_labels_give_the_errors_of_each(norm, target):
    y, P = binned_data("smooth", 3, 9)
    w = np.random.default_rng(9).random(60)
    error = BinnedError(
        check_predictions(y, P, sample_weight=w),
        n_bins=6,
        strategy="quantile",
        closed="left",
        target=target,
        norm=norm,
    )
    draws = np.random.default_rng(10).integers(0, 3, (60, 5))
    options = {"n_bins": 6, "strategy": "quantile", "target": target, "sample_weight": w}
    each = [FUNCTIONS[norm](d, P, labels=[0, 1, 2], **options) for d in draws.T]
    assert_allclose(error(draws), each, rtol=1e-14)


def test_a_calibrated_model_has_a_positive_expected_error():
    """The docstring says the estimate is biased upwards, more so with more bins."""
    rng = np.random.default_rng(11)
    p = rng.random(200)
    draws = (rng.random((200, 300)) < p[:, np.newaxis]).astype(int)
    data = check_predictions(draws[:, 0], p, labels=[0, 1])
    options = {"strategy": "uniform", "closed": "left", "target": "auto", "norm": "l1"}
    few, many = (BinnedError(data, n_bins=n, **options)(draws).mean() for n in (5, 50))
    assert 0.02 < few < many / 2
