"""Segments of a sorted line, put together, are the line."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._core import Segments, compose, compose_all, line_segment


def _rows(n, n_columns=2, seed=0):
    rng = np.random.default_rng(seed)
    r = np.sort(np.round(rng.random(n), 2))
    return r, rng.normal(size=(n, n_columns))


def _by_hand(r, v, h):
    """Return the five parts of a segment from loops over its definition."""
    inner = np.zeros(v.shape[1])
    for i in range(r.size):
        for j in range(i + 1, r.size):
            inner += np.exp(-abs(r[i] - r[j]) / h) * v[i] * v[j]
    to_start = sum(np.exp(-(r[i] - r[0]) / h) * v[i] for i in range(r.size))
    to_end = sum(np.exp(-(r[-1] - r[i]) / h) * v[i] for i in range(r.size))
    return r[0], r[-1], to_start, to_end, inner


@pytest.mark.parametrize("n", [1, 2, 3, 8, 37])
@pytest.mark.parametrize("h", [1e-3, 0.3, np.inf])
def test_the_summary_is_its_definition(n, h):
    r, v = _rows(n)
    for found, expected in zip(line_segment(r, v, h), _by_hand(r, v, h), strict=True):
        assert_allclose(found[0], expected, rtol=1e-12, atol=1e-14)


def test_composition_is_associative():
    r, v = _rows(30, seed=1)
    a, b, c = (line_segment(r[s], v[s], 0.2) for s in (slice(0, 7), slice(7, 8), slice(8, 30)))
    left = compose(compose(a, b, 0.2), c, 0.2)
    right = compose(a, compose(b, c, 0.2), 0.2)
    for one, other, whole in zip(left, right, line_segment(r, v, 0.2), strict=True):
        assert_allclose(one, other, rtol=1e-13, atol=1e-15)
        assert_allclose(one, whole, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("m", [1, 2, 5, 6])
def test_many_segments_at_once(m):
    r, v = _rows(6 * m, seed=2)
    parts = [line_segment(r[k::1][:6], v[k:][:6], 0.1) for k in range(0, 6 * m, 6)]
    together = compose_all(Segments(*map(np.concatenate, zip(*parts))), 0.1)
    for one, whole in zip(together, line_segment(r, v, 0.1), strict=True):
        assert one.shape[0] == 1
        assert_allclose(one, whole, rtol=1e-13, atol=1e-15)


def test_more_rows_than_are_taken_at_a_time():
    r = np.linspace(0.0, 1.0, 70_000)
    v = np.where(np.arange(70_000) % 2, 1.0, -1.0)[:, np.newaxis]
    # The kernel sums of alternating signs on a grid of step s are geometric series.
    q = -np.exp(-(r[1] - r[0]) / 0.01)
    n = r.size
    expected = q / (1 - q) * (n - (1 - q**n) / (1 - q))
    assert_allclose(line_segment(r, v, 0.01).inner[0, 0], expected, rtol=1e-9)
