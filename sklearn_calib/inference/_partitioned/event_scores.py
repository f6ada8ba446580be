"""The scores and the rank kernel of the omnibus test, from rows in sorted ranges."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..._data.partitions import Partitions
from ..._utils.links import logit, probability_floor
from ...metrics._kernel.line_sums import LineTotals

STATISTICS = ("slope_score", "cox_score", "rank_skce")
RANK_BANDWIDTH = 0.05
# A line has no slope if the log-odds vary by less than this share of their mean square.
_COLLINEAR = 4e-10


@dataclass(frozen=True, eq=False)
class _Extent:
    """What is known of one or more neighbouring ranges.

    Attributes
    ----------
    n : int
        Number of rows.
    weight : float
        Their weight.
    floor : float
        As `probability_floor` of the rows.
    information, moment : float
        Sums of ``w**2 p (1 - p)``, and of that times the log-odds with machine epsilon as floor.
    ends : tuple of (float, float)
        Smallest and largest probability, each with the weight of the rows that have it.
    """

    n: int
    weight: float
    floor: float
    information: float
    moment: float
    ends: tuple

    @classmethod
    def of(cls, rows):
        w, p = rows.weights, rows.p
        variance = w**2 * p * (1.0 - p)
        ends = tuple((float(p[k]), float(w[p == p[k]].sum())) for k in (0, -1))
        inside = (p > 0.0) & (p < 1.0)
        floor = probability_floor(p) if inside.any() else 0.5
        moment = float(variance @ logit(p))
        return cls(p.size, float(w.sum()), floor, float(variance.sum()), moment, ends)


@dataclass(frozen=True, eq=False)
class EventTotals:
    """The sums behind the statistics, for several columns of labels.

    Attributes
    ----------
    ranks : LineTotals
        The standardised residuals along the ranks.
    scores : ndarray of shape (2, n_columns)
        The sums of the residuals, and of these times the centred log-odds.
    information : ndarray of shape (3,)
        The sums of ``w**2 p (1 - p)`` times one, the centred log-odds, and their square.
    """

    ranks: LineTotals
    scores: np.ndarray
    information: np.ndarray

    def __add__(self, other):
        """Return the totals of these ranges and those above."""
        return EventTotals(
            self.ranks + other.ranks,
            self.scores + other.scores,
            self.information + other.information,
        )

    def value(self, name):
        """Return a statistic by name, shape (n_columns,)."""
        if name == "rank_skce":
            return self.ranks.unbiased()
        shift, tilt = self.scores
        information, first, second = self.information
        if information <= 0.0:  # all predictions are certain, and right or wrong
            wrong = np.where(self.ranks.diagonal > 0.0, np.inf, 0.0)
            return (
                wrong if name == "cox_score" else np.where(tilt == 0.0, 0.0, np.sign(tilt) * wrong)
            )
        mean = first / information
        tilt = tilt - mean * shift
        spread = max(second - mean * first, 0.0)
        flat = spread <= _COLLINEAR * second
        if name == "slope_score":
            return np.zeros_like(tilt) if flat else tilt / np.sqrt(spread)
        return shift**2 / information + (0.0 if flat else tilt**2 / spread)


@dataclass(frozen=True)
class EventForm:
    """The totals of ranked rows for several columns of labels.

    Attributes
    ----------
    n_samples : int
        Number of rows in all ranges.
    floor : float
        Half the smallest distance of a probability to 0 or 1.
    center : float
        About the mean of the log-odds.
    """

    n_samples: int
    floor: float
    center: float

    def of_draws(self, rows, codes):
        """Return the `EventTotals` of rows for columns of labels."""
        p, w = rows.p, rows.weights
        residuals = codes - p[:, np.newaxis]
        x = logit(p, self.floor) - self.center
        variance = w**2 * p * (1.0 - p)
        powers = np.vstack([np.ones_like(x), x, x**2])
        scores = (powers[:2] * w) @ residuals
        scale = w / np.sqrt(np.maximum(p * (1.0 - p), 1.0 / self.n_samples))
        residuals *= scale[:, np.newaxis]
        ranks = LineTotals.of_rows(rows.rank, residuals, w, RANK_BANDWIDTH)
        return EventTotals(ranks, scores, powers @ variance)


def rank_rows(ranges: Partitions) -> tuple[EventForm, Partitions]:
    """Return the form of the data and the rows with their ranks among all rows.

    Parameters
    ----------
    ranges : Partitions
        `EventRows` in sorted ranges.
    """
    from dask import compute, delayed

    extents = compute(*ranges.each(_Extent.of))
    known = [one for one in extents if one is not None]
    n, weight = sum(one.n for one in known), sum(one.weight for one in known)
    information = sum(one.information for one in known)
    moment = sum(one.moment for one in known)
    floor = min(one.floor for one in known)
    form = EventForm(n, floor, moment / information if information > 0.0 else 0.0)
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
