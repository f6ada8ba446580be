"""Bins: the edges, the two rules, and their independence of rounding and row order."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib._data.bins import (
    automatic_count,
    bin_index,
    check_n_bins,
    effective_size,
    quantile_bin_index,
    sort_blocks,
    uniform_edges,
)
from tests._oracles import loop_bins


@pytest.mark.parametrize("n_bins", [1, 2, 3, 7, 10, 15, 100])
def test_edges_are_the_nearest_doubles(n_bins):
    edges = uniform_edges(n_bins)
    assert edges.tolist() == [k / n_bins for k in range(n_bins + 1)]
    if n_bins in (10, 100):
        assert edges.tolist() == [float(f"{k / n_bins:.2f}") for k in range(n_bins + 1)]


@pytest.mark.parametrize("n_bins", range(1, 60))
def test_an_edge_opens_its_bin_or_closes_the_one_before(n_bins):
    edges = uniform_edges(n_bins)
    last = n_bins - 1
    left = bin_index(edges, uniform_edges(n_bins))
    assert left.tolist() == [*range(n_bins), last]
    right = bin_index(edges, uniform_edges(n_bins), "right")
    assert right.tolist() == [0, *range(n_bins)]
    inside = edges[1:-1]
    below, above = np.nextafter(inside, 0), np.nextafter(inside, 1)
    for closed in ("left", "right"):
        assert bin_index(below, uniform_edges(n_bins), closed).tolist() == list(range(last))
        assert bin_index(above, uniform_edges(n_bins), closed).tolist() == list(range(1, n_bins))


@pytest.mark.parametrize("closed", ["left", "right"])
def test_uniform_bins_are_the_plain_loop(closed):
    rng = np.random.default_rng(0)
    p = np.concatenate([rng.random(100), rng.integers(0, 21, 100) / 20, [0.0, 1.0, 5e-324]])
    for n_bins in (1, 3, 10, 20, 333):
        index = bin_index(p, uniform_edges(n_bins), closed)
        assert index.tolist() == loop_bins(p, n_bins, "uniform", closed)


@pytest.mark.parametrize("seed", range(20))
def test_quantile_bins_are_the_plain_loop(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 80))
    p = rng.random(n) if seed % 2 else rng.integers(0, 6, n) / 5
    w = rng.integers(1, 9, n) / 8
    for n_bins in (1, 2, 7, 15, 200):
        assert quantile_bin_index(p, n_bins).tolist() == loop_bins(p, n_bins, "quantile")
        weighted = loop_bins(p, n_bins, "quantile", weight=w)
        assert quantile_bin_index(p, n_bins, w).tolist() == weighted


@pytest.mark.parametrize("n_bins", [3, 7, 10, 15])
@pytest.mark.parametrize("scale", [0.1, 0.3, 1 / 3, 1e-200, 1e200])
def test_equal_weights_are_no_weights_whatever_their_size(n_bins, scale):
    p = np.random.default_rng(1).random(630)
    assert_array_equal(
        quantile_bin_index(p, n_bins, np.full(630, scale)), quantile_bin_index(p, n_bins)
    )


def test_a_weight_equals_copies():
    rng = np.random.default_rng(2)
    p, w = rng.integers(0, 40, 100) / 40, rng.integers(1, 5, 100)
    for n_bins in (4, 15):
        copies = quantile_bin_index(np.repeat(p, w), n_bins)
        assert_array_equal(np.repeat(quantile_bin_index(p, n_bins, w.astype(float)), w), copies)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rows_is_irrelevant_to_the_last_bit(seed):
    rng = np.random.default_rng(seed)
    p = rng.choice(rng.random(30), 400)
    w = rng.random(400) * 10.0 ** rng.integers(-8, 9, 400)
    order = rng.permutation(400)
    for weight in (None, w):
        index = quantile_bin_index(p, 15, weight)
        shuffled = quantile_bin_index(p[order], 15, None if weight is None else weight[order])
        assert_array_equal(shuffled, index[order])


def test_weights_that_vanish_beside_a_larger_one_are_added_up_first():
    """4000 weights of 1.1e-16 are lost after a weight of one, and 4.4e-13 before it."""
    p = np.repeat([0.1, 0.9], [4001, 1])
    w = np.array([*[1.1e-16] * 4000, 1.0, 1 + 4.3e-13])
    for order in (np.arange(4002), np.arange(4002)[::-1]):
        index = quantile_bin_index(p[order], 2, w[order])
        assert_array_equal(index, (p[order] > 0.5).astype(int))


def test_equal_probabilities_share_a_bin_and_bins_are_ordered():
    rng = np.random.default_rng(3)
    p = rng.integers(0, 10, 200) / 9
    index = quantile_bin_index(p, 15)
    for value in np.unique(p):
        assert len(set(index[p == value])) == 1
    assert np.all(np.diff(index[np.argsort(p)]) >= 0)
    assert index.min() == 0
    assert index.max() <= 14


def test_distinct_values_fill_bins_evenly():
    p = np.random.default_rng(4).random(150)
    assert np.bincount(quantile_bin_index(p, 15)).tolist() == [10] * 15
    assert set(np.bincount(quantile_bin_index(p, 11))) == {13, 14}


def test_signed_zeros_are_equal():
    assert quantile_bin_index(np.array([0.0, -0.0, 0.5]), 3).tolist() == [0, 0, 2]
    w = np.array([2.0, 1.0, 1.0])
    assert quantile_bin_index(np.array([0.0, -0.0, 0.5]), 4, w).tolist() == [0, 0, 3]


@pytest.mark.parametrize("weight", [None, np.ones(10), np.full(10, 0.1)])
def test_blocks_are_in_the_quantile_bins_of_what_lies_below_them(weight):
    """Equal weights count like none, whatever rounding leaves of their sums."""
    p = np.array([0.5, 0.1, 0.9, 0.3, 0.7, 0.2, 0.8, 0.4, 1.0, 0.6])
    blocks = sort_blocks(p, weight)
    assert_array_equal(p[blocks.order], np.sort(p))
    assert_array_equal(blocks.first, np.arange(10))
    assert_array_equal(blocks.quantile_bins(5), np.arange(10) // 2)
    assert_array_equal(blocks.quantile_bins(3), [0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    tied = sort_blocks(np.repeat([0.2, 0.4], 5), weight)
    assert_array_equal(tied.first, [0, 5])
    assert_array_equal(tied.quantile_bins(4), [0, 2])


def test_a_number_of_bins_that_would_fill_the_memory_is_refused():
    assert check_n_bins(10**6) == 10**6
    for too_many in (10**6 + 1, 10**12):
        with pytest.raises(ValueError, match=f"n_bins must be at most 1,000,000, got {too_many:,}"):
            check_n_bins(too_many)


@pytest.mark.parametrize("scale", [1.0, 0.3, 1e-200, 1e200])
@pytest.mark.parametrize(
    ("weight", "size"), [([2, 2, 2], 3), ([3, 1], 16 / 10), ([4, 2, 1, 1], 64 / 22), ([5], 1)]
)
def test_the_number_of_equal_weights_that_weigh_as_much(weight, size, scale):
    assert effective_size(scale * np.array(weight, float)) == pytest.approx(size, rel=1e-14)


@pytest.mark.parametrize(
    ("size", "count"),
    [(0.0, 1), (1, 1), (1.5, 2), (8, 2), (8.5, 3), (27 * (1 + 1e-15), 3), (1000, 10), (1001, 11)],
)
def test_the_automatic_number_of_bins_is_the_cube_root_rounded_up(size, count):
    assert automatic_count(size) == count
    assert automatic_count(np.inf) == automatic_count(2.0**53) == 208_064
