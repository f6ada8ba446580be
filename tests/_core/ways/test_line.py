"""The line is cut into blocks and chunks of blocks; where they meet, nothing may be lost."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._core import pair_form
from sklearn_calib._core.ways import line


def _loop(points, columns, bandwidth):
    kernel = np.exp(-np.abs(points[:, np.newaxis] - points) / bandwidth)
    np.fill_diagonal(kernel, 0.0)
    return np.einsum("ic,ic->c", columns, kernel @ columns)


# One row, one block, blocks that are not full, one chunk, and several of them.
@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 130, 1000])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n_steps", "n_blocks"), [(64, 128), (8, 4), (1, 1)])
def test_sums_over_blocks_are_the_sums_over_all_pairs(n, ties, n_steps, n_blocks, monkeypatch):
    monkeypatch.setattr(line, "_N_STEPS", n_steps)
    monkeypatch.setattr(line, "_N_BLOCKS", n_blocks)
    rng = np.random.default_rng(n)
    points = rng.beta(0.3, 1.0, size=n)
    if ties:
        points = points.round(2)
    happened = rng.random((n, 3)) < points[:, np.newaxis]
    weight = rng.uniform(0.1, 2.0, size=n)
    columns = weight[:, np.newaxis] * (happened - points[:, np.newaxis])
    form = pair_form(points, kernel="laplacian", bandwidth=0.2, algorithm="line")
    expected = _loop(points, columns, 0.2)
    close = {"rtol": 1e-10, "atol": 1e-12 * np.einsum("ic,ic->c", columns, columns).max()}
    assert_allclose(form(columns), expected, **close)
    assert_allclose(form.of_events(happened, points, weight), expected, **close)


def test_a_tiny_bandwidth_leaves_ties_only():
    points = np.repeat([0.1, 0.5, 0.9], [2, 3, 1])
    columns = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])[:, np.newaxis]
    form = pair_form(points, kernel="laplacian", bandwidth=1e-9, algorithm="line")
    assert_allclose(form(columns), [2.0 * (1 * 2 + 3 * 4 + 3 * 5 + 4 * 5)], rtol=1e-14)
