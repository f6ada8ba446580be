"""What all kernel errors share: pairs, bandwidths, weights, and the mean under calibration."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm as normal

from sklearn_calib import check_calibration
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.metrics import kce, klce, mmce, skce
from sklearn_calib.metrics._kernel.pair_error import PairError
from tests._oracles import loop_events, loop_median_distance
from tests.metrics._cases import close
from tests.metrics._kernel._data import kernel_data


def test_one_row_is_too_few_for_pairs_of_different_rows():
    for value in (
        lambda: skce([1], [0.4]),
        lambda: skce([1], [0.4], estimator="ul"),
        lambda: skce([1], [0.4], estimator="block", block_size=2),
        lambda: kce([1], [0.4]),
        lambda: klce([1], [0.4], [0.0]),
    ):
        with pytest.raises(ValueError, match=r"n too small.*needs at least 2 samples"):
            value()
    close(skce([1], [0.4], estimator="biased"), 0.36)
    close(kce([1], [0.4], squared=False), 0.6)


def test_three_rows_by_hand_for_each_convention_of_the_bandwidth():
    y, p = [0, 1, 0], [0.2, 0.4, 0.6]
    for options, unbiased, biased in [
        ({"bandwidth": 1.0}, -0.104184118651, 0.014988365344),
        ({"kernel": "rbf", "bandwidth": 0.2 * math.sqrt(2)}, -0.091631494224, 0.023356781628),
        ({"kernel": "rbf", "bandwidth": 0.2}, -0.058128085032, 0.045692387757),
    ]:
        close(skce(y, p, **options), unbiased)
        close(skce(y, p, estimator="biased", **options), biased)
    for function in (skce, kce):
        assert "no factor 2" in function.__doc__
        assert "negative" in function.__doc__


def test_the_biased_and_the_unbiased_sum_differ_by_the_diagonal():
    y, P, _ = kernel_data("smooth", 3)
    n = len(y)
    diagonal = np.sum((np.eye(3)[y] - P) ** 2)
    biased = skce(y, P, estimator="biased")
    assert_allclose(biased * n**2 - diagonal, skce(y, P) * n * (n - 1), rtol=1e-11)


@pytest.mark.parametrize(("n", "ones"), [(9, 5), (10, 2), (10, 4), (11, 7)])
def test_rounding_does_not_make_the_biased_form_negative(n, ones):
    """Constant predictions at the base rate: the exact value is zero."""
    y, p = np.repeat([1, 0], [ones, n - ones]), np.full(n, ones / n)
    biased = skce(y, p, estimator="biased")
    assert 0 <= biased < 1e-16
    assert mmce(y, p) ** 2 == pytest.approx(biased, abs=1e-30)
    assert 0 <= kce(y, p, squared=False) < 1e-8


def test_bandwidth_limits():
    y, P, _ = kernel_data("smooth", 2)
    e = y - P[:, 1]
    wide = (e.sum() ** 2 - (e**2).sum()) / (31 * 30)
    for kernel in ("laplacian", "rbf"):
        assert_allclose(skce(y, P, kernel=kernel, bandwidth=1e12), wide, rtol=1e-9)
        assert skce(y, P, kernel=kernel, bandwidth=1e-9) == 0.0
    biased = skce(y, P, estimator="biased", bandwidth=1e-9)
    assert_allclose(biased, (e**2).sum() / 31**2, rtol=1e-12)


def test_median_is_the_width_of_the_remaining_rows():
    y, P, w = kernel_data("smooth", 3)
    w[3:20] = 0
    keep = w > 0
    for target in ("confidence", "canonical"):
        points = loop_events(y[keep], P[keep], target)[0][0]
        options = {"target": target, "sample_weight": w}
        value = skce(y, P, bandwidth="median", **options)
        assert value == skce(y, P, bandwidth=loop_median_distance(points, w[keep]), **options)


def test_median_of_equal_predictions_is_one():
    y, p = np.array([0, 1, 1]), np.full(3, 0.3)
    assert_allclose(skce(y, p, bandwidth="median"), skce(y, p, bandwidth=1.0), rtol=1e-14)
    assert_allclose(kce(y, p), (0.7 * 0.7 - 2 * 0.3 * 0.7) / 3, rtol=1e-12)


@pytest.mark.parametrize("options", [{}, {"estimator": "ul"}, {"estimator": "block"}])
def test_a_pair_of_rows_has_the_same_error_whatever_their_weights(options):
    """``W^2 - sum w^2`` loses a weight of 1e-20 beside one; the ratio must not become 0/0."""
    if options:
        options = {**options, "block_size": 2}
    expected = skce([0, 1], [0.1, 0.2], **options)
    assert expected < 0
    for w in ([1.0, 1e-20], [1e-12, 1e12], [1e-150, 1e100], [1e-300, 1e-300], [1e300, 1e300]):
        value = skce([0, 1], [0.1, 0.2], sample_weight=w, **options)
        assert_allclose(value, expected, rtol=1e-12)


def test_a_row_of_huge_weight_leaves_its_pairs():
    y, P, _ = kernel_data("smooth", 2, n=5)
    w = np.array([1e30, 1.0, 1.0, 1.0, 1.0])
    pairs = [skce(y[[0, k]], P[[0, k]], labels=[0, 1]) for k in range(1, 5)]
    value = skce(y, P, sample_weight=w, labels=[0, 1])
    assert_allclose(value, np.mean(pairs), rtol=1e-12)


@pytest.mark.parametrize("estimator", ["uq", "ul", "block"])
@pytest.mark.parametrize("target", ["confidence", "classwise", "canonical"])
def test_unbiased_estimates_are_zero_on_average_under_calibration(estimator, target):
    rng = np.random.default_rng(7)
    P = rng.dirichlet(np.ones(3), size=30)
    draws = (rng.random((30, 1, 2000)) > P.cumsum(axis=1)[:, :2, np.newaxis]).sum(axis=1)
    error = PairError(
        check_predictions(draws[:, 0], P, labels=[0, 1, 2]),
        estimator=estimator,
        kernel="laplacian",
        bandwidth=0.2,
        target=target,
        block_size=5 if estimator == "block" else None,
    )
    values = error(draws)
    assert abs(values.mean()) < normal.isf(1e-4) * values.std() / math.sqrt(2000)
    biased = PairError(
        check_predictions(draws[:, 0], P, labels=[0, 1, 2]),
        estimator="biased",
        kernel="laplacian",
        bandwidth=0.2,
        target=target,
    )(draws)
    reductions = loop_events(draws[:, 0], P, target)
    variance = np.mean(
        [np.sum([r * (1 - r) for row in points for r in row]) / 30 for points, _ in reductions]
    )
    standard_error = biased.std() / math.sqrt(2000)
    assert abs(biased.mean() - variance / 30) < normal.isf(1e-4) * standard_error
    assert biased.min() >= 0


@pytest.mark.parametrize("estimator", ["uq", "ul", "block", "biased"])
@pytest.mark.parametrize("target", ["confidence", "classwise", "canonical"])
def test_columns_of_labels_give_the_errors_of_each(estimator, target):
    y, P, w = kernel_data("smooth", 3)
    options = {
        "estimator": estimator,
        "kernel": "laplacian",
        "bandwidth": "median",
        "target": target,
        "block_size": 3 if estimator == "block" else None,
    }
    error = PairError(check_predictions(y, P, sample_weight=w), **options)
    draws = np.random.default_rng(8).integers(0, 3, (31, 4))
    each = [skce(d, P, labels=[0, 1, 2], sample_weight=w, **options) for d in draws.T]
    assert_allclose(error(draws), each, rtol=1e-12, atol=1e-16)


def test_auto_takes_a_low_rank_beyond_the_documented_number_of_pairs_times_draws():
    """1000 rows, for three classes with three residuals each, in three dimensions."""
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), size=1000)
    predictions = check_predictions(np.arange(1000) % 3, P)
    error = PairError(predictions, estimator="uq", kernel="rbf", bandwidth=0.2, target="confidence")
    assert error._way("auto", 10**9) == "auto"  # one dimension has a quick way that is exact
    error = PairError(predictions, estimator="uq", kernel="rbf", bandwidth=0.2, target="canonical")
    assert error._way("auto", 10**12 // (1000**2 * 3)) == "auto"
    assert error._way("auto", 10**12 // (1000**2 * 3) + 1) == "low_rank"
    assert error._way("exact", 10**9) == "auto"


def bound(n, ones, **params):
    """Return the bound on the p-value of equal predictions of one half."""
    y = np.repeat([1, 0], [ones, n - ones])
    params = {"statistic_params": params, "null": "bound", "labels": [0, 1]}
    return check_calibration(y, np.full(n, 0.5), **params)


def test_a_root_below_its_largest_mean_is_no_evidence():
    """The mean residual is 0.1, and that of 20 calibrated rows is up to 1 / sqrt(20) = 0.22."""
    result = bound(20, 12, estimator="biased")
    assert_allclose(result.statistic, 0.01, rtol=1e-12)
    assert result.pvalue == 1.0


def test_rows_that_fill_no_block_or_pair_do_not_count():
    """Four blocks of five rows, with two pairs of different rows each, and two rows besides."""
    result = bound(22, 22, estimator="block", block_size=5)
    assert_allclose(result.pvalue, math.exp(-8 * 0.25**2 / 2), rtol=1e-12)
    assert_allclose(bound(21, 21, estimator="ul").pvalue, math.exp(-10 * 0.25**2 / 2), rtol=1e-12)


def test_the_root_of_vectors_has_terms_of_up_to_two():
    """The largest mean of eight calibrated rows is the root of 2 / 8."""
    predictions = check_predictions(np.zeros(8, dtype=int), np.full((8, 3), 1 / 3), labels=range(3))
    options = {"kernel": "laplacian", "bandwidth": 1.0, "target": "canonical"}
    bound = PairError(predictions, estimator="biased", **options).tail_bound
    expected = math.exp(-0.5 * (math.sqrt(2.0) * math.sqrt(8 / 2) - 1.0) ** 2)
    assert_allclose(bound(2.0), expected, rtol=1e-12)
    assert bound(0.24) == 1.0
