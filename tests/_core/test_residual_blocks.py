"""Residuals in blocks of rows against the whole matrix."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._core import ResidualBlocks


def data(n, n_draws, seed=0):
    rng = np.random.default_rng(seed)
    p = np.concatenate([[0.0, 1.0], rng.random(n - 2)])
    happened = rng.random((n, n_draws)) < p[:, np.newaxis]
    return p, happened, rng.permutation(n), rng.exponential(size=n)


SIZES = [(2, 1), (65, 3), (2049, 2), (5000, 1), (700, 900), (3000, 0)]


@pytest.mark.parametrize(("n", "n_draws"), SIZES)
def test_blocks_are_the_rows_of_the_matrix_in_their_order(n, n_draws):
    p, happened, order, _ = data(n, n_draws)
    residuals = happened - p[:, np.newaxis]
    for rows, expected in ((None, residuals), (order, residuals[order])):
        blocks = list(ResidualBlocks(p, rows)(happened))
        np.testing.assert_array_equal(np.concatenate([block for _, block in blocks]), expected)
        assert [row for part, _ in blocks for row in range(n)[part]] == list(range(n))
    (_, first), *_ = ResidualBlocks(None)(happened)
    np.testing.assert_array_equal(first, happened[: len(first)])


@pytest.mark.parametrize(("n", "n_draws"), SIZES)
def test_products_are_those_of_matrices(n, n_draws):
    p, happened, order, weight = data(n, n_draws)
    matrix = np.stack([np.ones(n), weight])
    expected = matrix @ (happened - p[:, np.newaxis])[order]
    for some in (matrix, matrix[:1]):
        found = ResidualBlocks(p, order).products(some, happened)
        assert_allclose(found, expected[: len(some)], atol=1e-11)


@pytest.mark.parametrize(("n", "n_draws"), SIZES)
def test_square_sums_keep_the_digits_of_certain_events(n, n_draws):
    _, happened, order, weight = data(n, n_draws)
    expected = (weight[:, np.newaxis] * (happened[order] - 1e-9) ** 2).sum(axis=0)
    p = np.full(n, 1e-9)
    assert_allclose(ResidualBlocks(p, order).square_sums(weight, happened), expected, rtol=1e-12)
    (certain,) = ResidualBlocks(1.0 - p).square_sums(weight, np.ones((n, 1), dtype=bool))
    assert_allclose(certain, weight.sum() * 1e-18, rtol=1e-6)


@pytest.mark.parametrize(("n", "n_draws"), SIZES)
@pytest.mark.parametrize("n_groups", [1, 2, 60])
def test_group_sums_are_those_of_masks(n, n_draws, n_groups):
    """Groups of one row, groups within a block, and groups that go over several blocks."""
    p, happened, order, weight = data(n, n_draws)
    rng = np.random.default_rng(1)
    first = np.unique(np.append(0, rng.integers(n, size=n_groups - 1) ** 2 // n))
    group = np.repeat(np.arange(first.size), np.diff(np.append(first, n)))
    residuals = (happened - p[:, np.newaxis])[order]
    for some in (None, weight):
        weighted = residuals if some is None else some[:, np.newaxis] * residuals
        expected = [weighted[group == k].sum(axis=0) for k in range(first.size)]
        found = ResidualBlocks(p, order).group_sums(first, happened, some)
        assert_allclose(found, expected, atol=1e-11)
