"""Cumulative errors from a grid are never too large, and within their bound."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.metrics import ks_calibration_error, kuiper_calibration_error
from sklearn_calib.metrics._cumulative.cumulative_grid import grid_edges
from sklearn_calib.metrics._metric import METRICS

FUNCTIONS = {
    "ks_calibration_error": ks_calibration_error,
    "kuiper_calibration_error": kuiper_calibration_error,
}


def _proba(kind, n, rng):
    return {
        "uniform": rng.random(n),
        "rare": rng.beta(1.0, 500.0, n),
        "frequent": 1.0 - rng.beta(1.0, 500.0, n),
        "one cell": 0.3 + 1e-7 * rng.random(n),
        "certain": rng.choice([0.0, 1.0, 1e-12], n),
    }[kind]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["uniform", "rare", "frequent", "one cell", "certain"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_bound_holds(name, kind, weighted):
    rng = np.random.default_rng(0)
    p = _proba(kind, 2000, rng)
    y = (rng.random(2000) < p**0.9).astype(int)
    weight = rng.uniform(0.2, 3.0, 2000) if weighted else None
    mergeable = METRICS[name].mergeable(2, target="auto")
    data = check_predictions(y, p, sample_weight=weight, labels=[0, 1])
    totals = mergeable.sums.of_batch(data)
    value, bound = mergeable.value(totals), mergeable.bound(totals)
    expected = FUNCTIONS[name](y, p, sample_weight=weight, labels=[0, 1])
    assert value <= expected + 1e-14
    assert expected <= value + bound + 1e-14
    if kind in ("uniform", "rare", "frequent"):
        assert bound < 3e-3
    if kind == "one cell":  # nothing is known but the ends
        assert bound > 1e-2


def test_the_cells_are_fine_where_events_are_rare():
    edges = grid_edges()
    assert edges[0] == 0.0
    assert edges[-1] == 1.0
    width = np.diff(edges)
    assert (width > 0.0).all()
    middle = 0.5 * (edges[1:] + edges[:-1])
    distance = np.minimum(middle, 1.0 - middle)
    assert (width <= np.maximum(np.minimum(1 / 4096, distance / 30), 2.0**-29)).all()


def test_the_cells_are_a_share_of_the_distance_to_the_nearer_end():
    """At most 1/64 of it or 2**-30, and 1/4096 in the middle; the same from both ends."""
    edges = grid_edges()
    assert_allclose(edges, 1.0 - edges[::-1], rtol=0, atol=2.0**-53)
    assert (edges[0], edges[1], edges[-1]) == (0.0, 2.0**-30, 1.0)
    low = edges[edges <= 0.5]
    width = np.diff(low)
    assert (width <= np.minimum(np.maximum(low[:-1] / 64, 2.0**-30), 1 / 4096)).all()
    assert (low > 1 / 64).sum() == 4096 // 2 - 64
