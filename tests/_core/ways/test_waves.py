"""Sums of waves over unevenly spaced points against the sums written out."""

import numpy as np
import pytest

from sklearn_calib._core import WaveSums


def positions(n, n_waves, seed=0):
    """Return places on the circle: ends of cells, ties, a crowd, and places anywhere."""
    rng = np.random.default_rng(seed)
    anywhere = 2 * n_waves * rng.random(n)
    crowd = n_waves * (1.0 + 1e-6 * rng.random(n))
    return np.concatenate([[0.0, 1.0, 1.0, n_waves, 2 * n_waves - 1e-9], anywhere, crowd])


def written_out(position, n_waves, values):
    """Return ``sum_i v_i exp(-i pi m x_i / M)``, with the angle reduced to one turn exactly."""
    turns = np.arange(n_waves)[:, np.newaxis] * position / (2 * n_waves)
    return np.exp(-2j * np.pi * (turns % 1.0)) @ values


@pytest.mark.parametrize("n_waves", [1, 2, 13, 64, 1024])
@pytest.mark.parametrize("n", [1, 40, 3000])
def test_equals_the_sums_written_out(n, n_waves):
    position = positions(n, n_waves)
    values = np.random.default_rng(1).normal(size=(position.size, 3))
    found = WaveSums(position, n_waves)(values)
    error = np.abs(found - written_out(position, n_waves, values))
    assert error.max() <= 5e-15 * np.sqrt(n_waves) * np.abs(values).sum(axis=0).max()


@pytest.mark.parametrize("n_draws", [1, 5, 300])
def test_residuals_are_weighted_differences(n_draws):
    """Cells that go over several blocks of rows, and draws in several portions."""
    rng = np.random.default_rng(2)
    position = positions(2500, 8)
    p, weight = rng.random(position.size), rng.exponential(size=position.size)
    happened = rng.random((position.size, n_draws)) < p[:, np.newaxis]
    residuals = weight[:, np.newaxis] * (happened - p[:, np.newaxis])
    found = WaveSums(position, 8)(happened, p, weight)
    error = np.abs(found - written_out(position, 8, residuals))
    assert error.max() <= 1e-14 * np.abs(residuals).sum(axis=0).max()


def test_portions_of_columns_change_nothing(monkeypatch):
    position = positions(50, 16)
    values = np.random.default_rng(3).normal(size=(position.size, 7))
    at_once = WaveSums(position, 16)(values)
    monkeypatch.setattr("sklearn_calib._core.ways.waves._PORTION", 2 * 16 * 16)
    np.testing.assert_allclose(WaveSums(position, 16)(values), at_once, rtol=0, atol=1e-13)


def test_a_residual_near_zero_loses_no_digits():
    """A certain event that happens leaves 1e-9 of a row, and many rows 1e-9 of their number."""
    p, position = np.full(5000, 1.0 - 1e-9), np.full(5000, 0.5)
    (total,) = WaveSums(position, 4)(np.ones((5000, 1), dtype=bool), p)[0]
    np.testing.assert_allclose(total.real, 5000 * (1.0 - p[0]), rtol=1e-13)
