"""Positions that are hard in different ways, and the accuracy every way has to reach."""

import numpy as np

from tests._oracles import loop_pair_form


def positions(name, n=70, seed=0):
    """Return positions by name: (n,) for one dimension, (n, d) where the name ends in a number."""
    rng = np.random.default_rng(seed)
    half = n // 2
    if name.startswith("simplex"):
        return rng.dirichlet(np.ones(int(name.removeprefix("simplex"))), size=n)
    if name.startswith("normal"):
        return rng.normal(size=(n, int(name.removeprefix("normal"))))
    if name.startswith("tied rows"):
        return rng.integers(0, 2, size=(n, int(name.removeprefix("tied rows")))).astype(float)
    return {
        "uniform": lambda: rng.uniform(size=n),
        "tied": lambda: rng.integers(0, 5, size=n) / 4.0,
        "all equal": lambda: np.full(n, 0.3),
        "zero and one": lambda: rng.integers(0, 2, size=n).astype(float),
        "clustered": lambda: np.r_[1e-5 * rng.normal(size=half), 1 + 1e-7 * rng.normal(size=half)],
        "crowd and outlier": lambda: np.r_[1e-6 * rng.uniform(size=n - 1), 1.0],
        "offset": lambda: 1e4 + rng.uniform(size=n),
        "negative": lambda: -rng.exponential(size=n),
    }[name]()


ON_THE_LINE = (
    "uniform",
    "tied",
    "all equal",
    "zero and one",
    "clustered",
    "crowd and outlier",
    "offset",
    "negative",
)


def residual_columns(n, n_columns, weighted, seed=1):
    """Return columns of residual size, all but the first with a mean, weighted or not."""
    rng = np.random.default_rng(seed)
    columns = rng.uniform(-1.0, 1.0, size=(n, n_columns)) + 0.2 * (np.arange(n_columns) > 0)
    return columns * rng.exponential(size=(n, 1)) if weighted else columns


def assert_same_form(actual, expected, columns):
    """Assert agreement to 1e-10 of ``|value| + sum v^2``; the sum itself may cancel."""
    expected = np.asarray(expected)
    assert actual.shape == expected.shape
    assert actual.dtype == np.float64
    allowed = 1e-10 * (np.abs(expected) + (np.asarray(columns) ** 2).sum(axis=0))
    assert np.all(np.abs(actual - expected) <= allowed), (actual, expected)


def form_by_loops(points, columns, kernel, bandwidth):
    """Return the pair form of positions with any number of coordinates by plain loops."""
    points = points.reshape(len(points), -1)
    bandwidth = np.broadcast_to(bandwidth, points.shape[1])
    return loop_pair_form(points.tolist(), columns.tolist(), kernel, bandwidth.tolist())
