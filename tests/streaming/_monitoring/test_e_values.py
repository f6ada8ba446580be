"""The mixture over alternatives and starts: right, fair, and never above its mean."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from sklearn_calib._data.sums import Totals
from sklearn_calib.streaming._monitoring.alternatives import WEIGHTS
from sklearn_calib.streaming._monitoring.cells import CellTable, Series
from sklearn_calib.streaming._monitoring.e_values import (
    log_e_values,
    running_pvalue,
    segment_shares,
    series_shares,
    start_log_weights,
    start_weights,
)
from sklearn_calib.streaming._monitoring.monitor_sums import N_SUMS


def test_start_weights_sum_to_at_most_one_for_ever():
    """The rest of the sum is about the integral of 1 / (m log(m)^2), which is 1 / log(m)."""
    n = 10**6
    weights = start_weights(n)
    m = np.arange(2, n + 2)
    assert (np.diff(weights) < 0.0).all()
    ever = weights[-1] * m[-1] * np.log(m[-1]) ** 2  # constant beyond the first thousand
    assert_allclose(weights[1000:] * m[1000:] * np.log(m[1000:]) ** 2, ever, rtol=1e-12)
    lower, upper = (weights.sum() + ever / np.log(edge) for edge in (n + 2, n + 1))
    assert lower <= 1.0 + 1e-12
    assert upper >= 1.0 - 1e-12
    assert upper - lower < 1e-8


def _slow_e_value(log_ratios):
    """Return the e-value after the last period as a sum over all starts and alternatives."""
    n_periods = len(log_ratios)
    prior = start_weights(n_periods)
    value = 1.0 - prior.sum()
    for start in range(n_periods):
        for j, weight in enumerate(WEIGHTS):
            value += prior[start] * weight * np.exp(log_ratios[start:, j].sum())
    return value


def test_the_recursion_is_the_sum_over_all_starts():
    rng = np.random.default_rng(0)
    log_ratios = rng.normal(-0.1, 0.5, (3, 12, WEIGHTS.size))
    present = np.ones((3, 12), bool)
    present[1, [0, 4, 5, 11]] = False
    present[2, :10] = False
    found = log_e_values(log_ratios, present)
    for series in range(3):
        for period in range(12):
            known = np.flatnonzero(present[series, : period + 1])
            expected = _slow_e_value(log_ratios[series, known]) if known.size else 1.0
            assert_allclose(np.exp(found[series, period]), expected, rtol=1e-12)


def test_huge_evidence_stays_finite_in_the_logarithm():
    log_ratios = np.full((1, 5, WEIGHTS.size), 1e5)
    log_e = log_e_values(log_ratios, np.ones((1, 5), bool))
    assert_allclose(log_e[0], 1e5 * np.arange(1, 6), rtol=1e-4)
    low = log_e_values(-log_ratios, np.ones((1, 5), bool))
    assert_allclose(np.exp(low[0]), 1.0 - np.cumsum(start_weights(5)), rtol=1e-12)


def test_masses_of_starts_are_the_terms_of_the_mixture():
    rng = np.random.default_rng(1)
    log_ratios = rng.normal(0.0, 0.5, (7, WEIGHTS.size))
    terms = np.append(start_log_weights(log_ratios), np.log(1.0 - start_weights(7).sum()))
    expected = log_e_values(log_ratios[np.newaxis], np.ones((1, 7), bool))[0, -1]
    assert_allclose(logsumexp(terms), expected, rtol=1e-12)


def test_declared_segments_have_equal_shares():
    assert segment_shares({"b": 3}, ("a", "b")) == {"a": 0.5, "b": 0.5}


def test_all_rows_together_have_one_half_and_events_share_equally():
    totals = Totals.zero(N_SUMS)
    table = CellTable({(1, Series(name, event)): totals for name in "ab" for event in (0, 1)})
    assert table.followed[:2] == [Series(None, 0), Series(None, 1)]
    assert_allclose(series_shares(table, ("a", "b")), [0.25, 0.25, 0.125, 0.125, 0.125, 0.125])
    assert series_shares(CellTable({(1, Series(None, None)): totals}), None).tolist() == [1.0]


def test_segments_that_come_later_get_what_is_kept_for_them():
    shares = segment_shares({"a": 0, "b": 0, "c": 4, "d": 9, "e": 9}, None)
    assert shares == pytest.approx({"a": 0.4, "b": 0.4, "c": 0.1, "d": 1 / 60, "e": 1 / 60})
    many = segment_shares({str(k): k for k in range(500)}, None)
    assert 0.99 < sum(many.values()) < 1.0


def test_a_share_does_not_change_when_others_come_later():
    """The evidence of a segment must not grow because another one appears."""
    first = {"a": 0, "b": 0}
    for later in ({"c": 1}, {"c": 1, "d": 2}, {"c": 5, "d": 5}):
        shares = segment_shares({**first, **later}, None)
        assert (shares["a"], shares["b"]) == (0.4, 0.4)


def test_pvalues_never_grow():
    found = running_pvalue(np.log([0.5, 4.0, 2.0, 25.0, 0.1]))
    assert_allclose(found, [1.0, 0.25, 0.25, 0.04, 0.04], rtol=1e-15)
    assert running_pvalue(np.array([0.0, np.inf]))[-1] == 0.0


def test_the_mean_is_one_by_enumeration_of_all_outcomes():
    """Predictions may depend on earlier outcomes; that is what the hypothesis allows."""
    from sklearn_calib.streaming import CalibrationMonitor

    mean = np.zeros(3)
    for outcomes in product([0, 1], repeat=6):
        proba, chance = [], 1.0
        for row, y in enumerate(outcomes):
            p = 0.15 + 0.6 * np.mean(outcomes[:row]) if row else 0.15
            proba.append(p)
            chance *= p if y else 1.0 - p
        segment = ["a", "b", "b", "a", "c", "c"]
        monitor = CalibrationMonitor(segments=list("abcd"))
        monitor.update(outcomes, proba, period=[1, 1, 2, 2, 3, 3], segment=segment)
        e_values = monitor.to_frame("period")["e_value"].to_numpy()
        mean += chance * e_values
    assert_allclose(mean, 1.0, rtol=1e-12)
