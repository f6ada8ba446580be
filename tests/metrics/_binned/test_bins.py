"""The table of bins: edges, sides, quantiles and empty bins."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.calibration import calibration_curve

from sklearn_calib.metrics import average_calibration_error, calibration_bins, ece, mce
from tests._oracles import loop_bins
from tests.metrics._binned._data import binned_data

EXACT = {"rtol": 1e-12, "atol": 1e-14}


@pytest.mark.parametrize("n_bins", [1, 2, 5, 7, 10, 15, 64])
@pytest.mark.parametrize("seed", range(5))
def test_closed_right_is_the_rule_of_calibration_curve(n_bins, seed):
    rng = np.random.default_rng(seed)
    p = rng.random(200)
    p[:20] = rng.integers(0, 3, 20) / 2
    y = (rng.random(200) < p).astype(int)
    prob_true, prob_pred = calibration_curve(y, p, n_bins=n_bins)
    bins = calibration_bins(y, p, n_bins=n_bins, closed="right")
    filled = bins.count > 0
    assert_allclose(bins.prob_true[filled], prob_true, rtol=1e-12)
    assert_allclose(bins.prob_pred[filled], prob_pred, rtol=1e-12)
    share = bins.count[filled] / 200
    gaps = np.abs(prob_true - prob_pred)
    assert_allclose(ece(y, p, n_bins=n_bins, closed="right"), share @ gaps, **EXACT)


def test_the_sides_differ_on_an_edge_only():
    y, p = [0, 1, 1, 0], [0.25, 0.5, 0.5, 0.75]
    left, right = (calibration_bins(y, p, n_bins=2, closed=side) for side in ("left", "right"))
    assert left.count.tolist() == [1, 3]
    assert right.count.tolist() == [3, 1]
    y, P = binned_data("smooth", 2, 1)
    assert ece(y, P, closed="left") == ece(y, P, closed="right")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["smooth", "tenths", "tied"])
def test_the_table_is_what_the_errors_are_made_of(kind, weighted):
    y, P = binned_data(kind, 2, 2)
    w = np.arange(1, 61) / 2 if weighted else None
    for options in ({}, {"strategy": "quantile"}, {"closed": "right"}):
        bins = calibration_bins(y, P, sample_weight=w, n_bins=12, **options)
        filled = bins.count > 0
        assert_array_equal(np.isnan(bins.prob_pred), ~filled)
        assert_array_equal(np.isnan(bins.prob_true), ~filled)
        gaps = np.abs(bins.prob_true - bins.prob_pred)[filled]
        share = bins.count[filled] / bins.count.sum()
        error = {"n_bins": 12, "sample_weight": w, **options}
        assert_allclose(ece(y, P, **error), share @ gaps, **EXACT)
        assert_allclose(mce(y, P, **error), gaps.max(), **EXACT)
        assert_allclose(average_calibration_error(y, P, **error), gaps.mean(), **EXACT)
        assert bins.count.sum() == (60 if w is None else w.sum())
        assert {name: len(bins[name]) for name in bins} == {
            "edges": 13,
            "count": 12,
            "prob_pred": 12,
            "prob_true": 12,
        }


def test_counts_are_whole_numbers_without_weights():
    assert calibration_bins([0, 1], [0.2, 0.8]).count.dtype.kind == "i"
    assert calibration_bins([0, 1], [0.2, 0.8], sample_weight=[1, 2]).count.dtype.kind == "f"


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("kind", ["smooth", "tied", "hard"])
def test_every_value_lies_between_the_edges_of_its_bin(strategy, kind):
    y, P = binned_data(kind, 2, 3)
    bins = calibration_bins(y, P, n_bins=8, strategy=strategy)
    assert bins.edges[0] == 0.0
    assert bins.edges[-1] == 1.0
    assert np.all(np.diff(bins.edges) >= 0)
    p = P[:, 1]
    for b, count in enumerate(bins.count):
        inside = (p >= bins.edges[b]) & (p < bins.edges[b + 1])
        last = b == np.flatnonzero(bins.count)[-1]
        if last:
            inside |= p == bins.edges[b + 1]
        assert count == inside.sum()


def test_classwise_tables_have_a_leading_axis_of_classes():
    y, P = binned_data("smooth", 4, 4)
    table = calibration_bins(y, P, target="classwise", n_bins=6)
    assert table.count.shape == (4, 6)
    assert table.edges.shape == (4, 7)
    for k in range(4):
        one = calibration_bins(y == k, P[:, k], n_bins=6)
        for name in one:
            assert_array_equal(table[name][k], one[name])
    per_class = [ece(y == k, P[:, k], n_bins=6) for k in range(4)]
    assert_allclose(ece(y, P, target="classwise", n_bins=6), np.mean(per_class), **EXACT)
    largest = [mce(y == k, P[:, k], n_bins=6) for k in range(4)]
    assert mce(y, P, target="classwise", n_bins=6) == max(largest)


def test_quantile_bins_by_hand():
    """With 6 rows and 3 bins: two rows a bin, and ties stay together."""
    p = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert calibration_bins([0, 1] * 3, p, n_bins=3, strategy="quantile").count.tolist() == [
        2,
        2,
        2,
    ]
    p = [0.1, 0.2, 0.2, 0.2, 0.5, 0.6]
    bins = calibration_bins([0, 1] * 3, p, n_bins=3, strategy="quantile")
    assert bins.count.tolist() == [4, 0, 2]
    assert_allclose(bins.edges, [0, 0.5, 0.5, 1])


@pytest.mark.parametrize("weighted", [False, True])
def test_quantile_bins_do_not_depend_on_the_order_of_rows_in_a_single_bit(weighted):
    rng = np.random.default_rng(6)
    p = rng.choice(rng.random(40), 300)
    y = rng.integers(0, 2, 300)
    w = rng.random(300) * 10.0 ** rng.integers(-3, 4, 300) if weighted else None
    reference = calibration_bins(y, p, strategy="quantile", sample_weight=w)
    for _ in range(20):
        order = rng.permutation(300)
        bins = calibration_bins(
            y[order],
            p[order],
            strategy="quantile",
            sample_weight=None if w is None else w[order],
        )
        assert_array_equal(bins.edges, reference.edges)
        assert_allclose(bins.count, reference.count, rtol=1e-13)


@pytest.mark.parametrize("n_bins", [3, 7, 10, 15, 49])
def test_quantile_bins_of_tenth_weights_are_those_of_whole_ones(n_bins):
    """0.1 + 0.1 + 0.1 exceeds 0.3: rounding must not move a row across a bin."""
    p = np.sort(np.random.default_rng(7).random(49))
    y = np.arange(49) % 2
    whole = calibration_bins(y, p, n_bins=n_bins, strategy="quantile")
    assert_array_equal(
        np.searchsorted(whole.edges[1:-1], p, side="right"), loop_bins(p, n_bins, "quantile")
    )
    for scale in (0.1, 0.3, 1 / 3, 1e-7):
        w = np.full(49, scale)
        bins = calibration_bins(y, p, n_bins=n_bins, strategy="quantile", sample_weight=w)
        assert_array_equal(bins.edges, whole.edges)
        assert_allclose(bins.count, whole.count * scale, rtol=1e-12)


def test_closed_has_no_effect_on_quantile_bins():
    y, P = binned_data("tied", 2, 8)
    left, right = (
        ece(y, P, strategy="quantile", closed=side, n_bins=5) for side in ("left", "right")
    )
    assert left == right
