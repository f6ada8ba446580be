import numpy as np
import pytest

from sklearn_calib._core import adjacent_products, block_forms
from tests._core._data import positions, residual_columns
from tests._oracles import loop_pair_form


@pytest.mark.parametrize("kernel", ["laplacian", "rbf"])
@pytest.mark.parametrize("data", ["uniform", "tied", "offset", "simplex4"])
@pytest.mark.parametrize("block_size", [1, 2, 5, 70, 71, 140, 200])
def test_blocks_agree_with_the_loop(data, block_size, kernel):
    points, columns = positions(data, n=300), residual_columns(300, 2, True)
    bandwidth = 0.2
    actual = block_forms(points, columns, block_size, kernel=kernel, bandwidth=bandwidth)
    flat = points.reshape(300, -1)
    n_blocks = 300 // block_size
    assert actual.shape == (n_blocks, 2)
    for b in {0, n_blocks // 2, n_blocks - 1}:
        rows = slice(b * block_size, (b + 1) * block_size)
        expected = loop_pair_form(
            flat[rows].tolist(), columns[rows].tolist(), kernel, [bandwidth] * flat.shape[1]
        )
        scale = np.abs(expected) + (columns[rows] ** 2).sum(axis=0)
        assert np.all(np.abs(actual[b] - expected) <= 1e-12 * scale)


def test_blocks_in_chunks(monkeypatch):
    points, columns = positions("normal3", n=500), residual_columns(500, 2, False)
    options = {"kernel": "rbf", "bandwidth": np.array([1.0, 2.0, 3.0])}
    at_once = block_forms(points, columns, 7, **options)
    monkeypatch.setattr("sklearn_calib._core.blocks._CHUNK", 200)
    np.testing.assert_allclose(block_forms(points, columns, 7, **options), at_once, rtol=1e-14)


def test_fewer_rows_than_a_block():
    assert block_forms(np.zeros(3), np.zeros((3, 2)), 4, kernel="rbf", bandwidth=1.0).shape == (
        0,
        2,
    )


@pytest.mark.parametrize("kernel", ["laplacian", "rbf"])
@pytest.mark.parametrize("n", [1, 2, 51])
def test_adjacent_products_are_half_the_blocks_of_two(kernel, n):
    points, columns = positions("normal2", n=n), residual_columns(n, 3, False)
    actual = adjacent_products(points, columns, kernel=kernel, bandwidth=0.7)
    assert actual.shape == (n // 2, 3)
    for b in range(n // 2):
        rows = slice(2 * b, 2 * b + 2)
        expected = loop_pair_form(points[rows].tolist(), columns[rows].tolist(), kernel, [0.7, 0.7])
        np.testing.assert_allclose(2 * actual[b], expected, rtol=1e-13)
