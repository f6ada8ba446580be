"""Binned errors against plain loops, known values and scikit-learn's curve."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.calibration import calibration_curve

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.metrics import average_calibration_error, calibration_bins, ece, mce
from sklearn_calib.metrics._binned.binned_error import BinnedError
from tests._oracles import loop_binned_error, loop_bins

EXACT = {"rtol": 1e-12, "atol": 1e-14}
FUNCTIONS = {
    "l1": ece,
    "l2": lambda *data, **options: ece(*data, norm="l2", **options),
    "max": mce,
    "mean": average_calibration_error,
}


def _matrix(kind, n_classes, seed):
    """Return labels and probabilities: smooth, tied, on the edges of ten bins, or 0 and 1."""
    rng = np.random.default_rng(seed)
    n = 60
    if kind == "smooth":
        P = rng.dirichlet(np.ones(n_classes), size=n)
    elif kind == "hard":
        P = np.eye(n_classes)[rng.integers(0, n_classes, n)]
    elif kind == "tenths":
        P = rng.multinomial(10, rng.dirichlet(np.ones(n_classes)), size=n) / 10
    else:
        P = rng.dirichlet(np.ones(n_classes), size=4)[rng.integers(0, 4, n)]
    return rng.integers(0, n_classes, n), P


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
        y, P = _matrix(kind, n_classes, seed)
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
    y, P = _matrix("smooth", 3, seed)
    for target in ("confidence", "classwise"):
        options = {"strategy": strategy, "target": target, "n_bins": 7}
        l1, l2, largest = (ece(y, P, norm=norm, **options) for norm in ("l1", "l2", "max"))
        assert l1 < l2 < largest
        assert mce(y, P, **options) == largest
        assert average_calibration_error(y, P, **options) < largest


def test_one_bin_compares_the_overall_rate_with_the_overall_mean():
    y, P = _matrix("smooth", 2, 0)
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
    y, P = _matrix("smooth", 2, 1)
    assert ece(y, P, closed="left") == ece(y, P, closed="right")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["smooth", "tenths", "tied"])
def test_the_table_is_what_the_errors_are_made_of(kind, weighted):
    y, P = _matrix(kind, 2, 2)
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
    y, P = _matrix(kind, 2, 3)
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
    y, P = _matrix("smooth", 4, 4)
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


def test_the_default_target():
    y, P = _matrix("smooth", 4, 5)
    assert ece(y, P) == ece(y, P, target="confidence")
    y, P = _matrix("smooth", 2, 5)
    assert ece(y, P) == ece(y, P, target="binary") == ece(y, P[:, 1])
    assert ece(y, P) != ece(y, P, target="confidence")


def test_ties_take_the_first_column():
    P = [[0.4, 0.4, 0.2]] * 4
    assert_allclose(ece([0, 0, 0, 0], P, labels=[0, 1, 2]), 0.6, **EXACT)
    assert_allclose(ece([1, 1, 1, 1], P, labels=[0, 1, 2]), 0.4, **EXACT)
    assert_allclose(ece([1, 1], [0.5, 0.5], target="confidence"), 0.5, **EXACT)


# Quantile bins.


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
    y, P = _matrix("tied", 2, 8)
    left, right = (
        ece(y, P, strategy="quantile", closed=side, n_bins=5) for side in ("left", "right")
    )
    assert left == right


# Several draws of the labels at once, which the tests of calibration use.


@pytest.mark.parametrize("norm", FUNCTIONS)
@pytest.mark.parametrize("target", ["confidence", "classwise"])
def test_columns_of_labels_give_the_errors_of_each(norm, target):
    y, P = _matrix("smooth", 3, 9)
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
