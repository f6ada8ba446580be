"""Rows that stand for the rows of a summary."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logit

from sklearn_calib.streaming._summaries.event_summary import summarise_event
from sklearn_calib.streaming._summaries.grid_cells import Grid

GRID = Grid(1, (0.5,))


def _rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.55, 0.7, n)  # log-odds from 0.2 to 0.85: one cell
    event = rng.random(n) < p
    return p, event, rng.uniform(0.5, 2.0, n)


def test_the_extremes_stand_apart_with_their_weights():
    p, event, weight = _rows()
    p[:3] = 0.55
    points = summarise_event(GRID, p, event, weight).points()
    assert points.probability.size == 3
    assert points.probability[0] == 0.55
    assert points.probability[-1] == p.max()
    for k, rows in ((0, p == 0.55), (1, (p > 0.55) & (p < p.max())), (2, p == p.max())):
        expected = [weight[rows & ~event].sum(), weight[rows & event].sum()]
        assert_allclose(points.weight[:, k], expected, rtol=1e-12)
    inner = (p > 0.55) & (p < p.max())
    for k, rows in ((0, inner & ~event), (1, inner & event)):
        mean = np.average(logit(p[rows]), weights=weight[rows])
        variance = np.average((logit(p[rows]) - mean) ** 2, weights=weight[rows])
        assert_allclose(points.log_odds[k, 1], mean, rtol=1e-12)
        assert_allclose(points.variance[k, 1], variance, rtol=1e-9)


def test_separate_and_pooled_rows_have_the_means():
    p, event, weight = _rows()
    points = summarise_event(GRID, p, event, weight).points()
    inner = (p > p.min()) & (p < p.max())
    place, label, total = points.pooled_rows()
    assert_allclose(
        place[(place > p.min()) & (place < p.max())], np.average(p[inner], weights=weight[inner])
    )
    assert_allclose(total.sum(), weight.sum())
    place, label, total = points.separate_rows()
    for k in (0, 1):
        rows = inner & (event == k)
        expected = np.average(logit(p[rows]), weights=weight[rows])
        own = (label == k) & (place > p.min()) & (place < p.max())
        assert_allclose(logit(place[own]), expected)
        assert_allclose(total[own], weight[rows].sum())


def test_spread_rows_have_the_means_variances_and_numbers():
    p, event, weight = _rows()
    place, label, total = summarise_event(GRID, p, event, weight).points().spread_rows()
    # No row leaves the range, which makes the spread a little smaller.
    assert_allclose([place.min(), place.max()], [p.min(), p.max()], rtol=1e-12)
    for k in (0, 1):
        rows, own = event == k, label == k
        assert np.count_nonzero(own) == np.count_nonzero(rows)
        mean = np.average(logit(p[rows]), weights=weight[rows])
        variance = np.average((logit(p[rows]) - mean) ** 2, weights=weight[rows])
        spread = np.average((logit(place[own]) - mean) ** 2, weights=total[own])
        assert_allclose(np.average(logit(place[own]), weights=total[own]), mean, rtol=1e-10)
        assert 0.8 * variance < spread <= variance * (1 + 1e-9)


def test_equal_rows_stay_as_they_are():
    p = np.repeat([0.0, 0.3, 0.62, 0.63, 1.0], 20)
    event = np.arange(100) % 3 == 0
    points = summarise_event(GRID, p, event, np.ones(100)).points()
    assert_array_equal(points.probability, [0.0, 0.3, 0.62, 0.63, 1.0][: points.probability.size])
    place, _, _ = summarise_event(Grid(64, ()), p, event, np.ones(100)).points().spread_rows()
    assert_array_equal(np.unique(place), [0.0, 0.3, 0.62, 0.63, 1.0])
