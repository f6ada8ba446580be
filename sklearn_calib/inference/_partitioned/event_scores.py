"""The parts of the omnibus test of one event, from rows in sorted ranges."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..._data.partitions import Partitions
from ..._data.predictions import Predictions
from ..._data.sums import Totals
from ...metrics._kernel.line_sums import LineTotals
from .._statistics.rank_skce import residual_scale
from .._statistics.scores.score_sums import LogOddsScores, cox_value, slope_value

_SCORES = LogOddsScores("binary", 2)
# The statistics, each as a function of the totals of one column of labels.
STATISTICS = {
    "slope_score": lambda totals: _score(slope_value, totals),
    "cox_score": lambda totals: _score(cox_value, totals),
    "rank_skce": lambda totals: totals.ranks.unbiased()[0],
}


def _score(value, totals):
    (event,) = _SCORES.events(totals.scores)
    return value(event)


@dataclass(frozen=True, eq=False)
class _Extent:
    """What is known of a range.

    Attributes
    ----------
    n : int
        Number of rows.
    weight : float
        Their weight.
    ends : tuple of (float, float)
        Smallest and largest probability, each with the weight of the rows that have it.
    n_impossible : int
        Rows that gave probability zero to what happened.
    """

    n: int
    weight: float
    ends: tuple
    n_impossible: int

    @classmethod
    def of(cls, rows):
        w, p = rows.weights, rows.p
        ends = tuple((float(p[k]), float(w[p == p[k]].sum())) for k in (0, -1))
        return cls(p.size, float(w.sum()), ends, rows.n_impossible)


@dataclass(frozen=True, eq=False)
class EventTotals:
    """The sums behind the statistics, for several columns of labels.

    Attributes
    ----------
    ranks : LineTotals
        Of the standardised residuals along the ranks.
    scores : Totals
        Of the score tests.
    """

    ranks: LineTotals
    scores: Totals

    def __add__(self, other):
        """Return the totals of these ranges and those above."""
        return EventTotals(self.ranks + other.ranks, self.scores + other.scores)

    def column(self, b):
        """Return the totals of one of several columns of labels."""
        return EventTotals(self.ranks.column(b), self.scores.column(b))


@dataclass(frozen=True)
class EventForm:
    """The totals of ranked rows for several columns of labels.

    Attributes
    ----------
    n_samples : int
        Number of rows in all ranges.
    bandwidth : float
        Bandwidth of the kernel on the ranks.
    n_impossible : int
        Rows that gave probability zero to what happened.
    """

    n_samples: int
    bandwidth: float
    n_impossible: int

    def of_draws(self, rows, codes):
        """Return the `EventTotals` of rows for columns of labels."""
        p, w = rows.p, rows.weights
        proba = np.column_stack([1.0 - p, p])
        events = Predictions(codes[:, 0].astype(int), proba, np.array([0, 1]), rows.weight)
        scale = residual_scale(p, w, self.n_samples)
        residuals = (codes - p[:, np.newaxis]) * scale[:, np.newaxis]
        ranks = LineTotals.of_rows(rows.rank, residuals, w, self.bandwidth)
        return EventTotals(ranks, _SCORES.of_draws(events, codes))


def rank_rows(ranges: Partitions, bandwidth: float) -> tuple[EventForm, Partitions]:
    """Return the form of the data and the rows with their ranks among all rows.

    Parameters
    ----------
    ranges : Partitions
        `EventRows` in sorted ranges.
    bandwidth : float
        Bandwidth of the kernel on the ranks.
    """
    from dask import compute, delayed

    extents = compute(*ranges.each(_Extent.of))
    known = [one for one in extents if one is not None]
    n, weight = sum(one.n for one in known), sum(one.weight for one in known)
    form = EventForm(n, bandwidth, sum(one.n_impossible for one in known))
    rank = delayed(_rank, pure=True)
    parts, below = [], 0.0
    at = _weight_at(known)
    for part, one in zip(ranges.parts, extents):
        if one is None:
            continue
        parts.append(rank(part, below, {p: at[p] for p, _ in one.ends}, weight))
        below += one.weight
    return form, replace(ranges, parts=parts)


def _weight_at(extents):
    """Return the weight below and at each probability at an end of a range."""
    at: dict[float, tuple[float, float]] = {}
    below = 0.0
    for one in extents:
        (first, at_first), (last, at_last) = one.ends
        for p, mass, start in ((first, at_first, below), (last, at_last, None)):
            if p in at:
                if start is not None:
                    at[p] = at[p][0], at[p][1] + mass
            else:
                at[p] = (below if start is not None else below + one.weight - at_last), mass
        below += one.weight
    return at


def _rank(rows, below, at, total):
    """Return the rows with their ranks."""
    if rows is None:
        return None
    values, place = np.unique(rows.p, return_inverse=True)
    mass = np.bincount(place, weights=rows.weights)
    start = below + np.concatenate([[0.0], np.cumsum(mass)[:-1]])
    for k in (0, -1):
        start[k], mass[k] = at[float(values[k])]
    rank = ((start + 0.5 * mass) / total)[place]
    return replace(rows, rank=rank)
