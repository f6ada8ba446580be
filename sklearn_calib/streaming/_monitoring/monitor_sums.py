"""The sums that a monitor keeps for each period, segment and event."""

from typing import NamedTuple

import numpy as np

from ..._data.sums import Totals, add_by_cell
from .alternatives import ALTERNATIVES, log_ratios

_CHUNK = 1 << 14
_NAMES = (
    "rows",
    "events",
    "impossible",
    "predicted",
    "variance",
    "score",
    "variance_odds",
    "variance_odds_squared",
)
N_SUMS = len(_NAMES) + len(ALTERNATIVES)


class MonitorSums(NamedTuple):
    """Sums over rows by name; each entry has one number per cell.

    Attributes
    ----------
    rows, events : ndarray
        Number of rows, and of those whose event happened.
    impossible : ndarray
        Rows whose outcome had been given the probability zero.
    predicted, variance : ndarray
        Sums of the probabilities p, and of p (1 - p).
    score : ndarray
        Sum of (y - p) times the log-odds of p.
    variance_odds, variance_odds_squared : ndarray
        Sums of p (1 - p) times the log-odds, and times their square.
    log_ratios : ndarray of shape (..., n_alternatives)
        Sums of the logarithms of the likelihood ratios.
    """

    rows: np.ndarray
    events: np.ndarray
    impossible: np.ndarray
    predicted: np.ndarray
    variance: np.ndarray
    score: np.ndarray
    variance_odds: np.ndarray
    variance_odds_squared: np.ndarray
    log_ratios: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> "MonitorSums":
        """Return the sums of an array of shape (..., N_SUMS)."""
        named = dict(zip(_NAMES, np.moveaxis(values, -1, 0)))
        return cls(**named, log_ratios=values[..., len(_NAMES) :])


def add_cells(proba, happened, cell, n_cells):
    """Return the totals of each cell, as a list.

    `proba` and `happened` are the probability of the event of each row and whether it happened, and
    `cell` the number of its cell. Each of the `n_cells` cells has at least one row.
    """
    totals: dict[int, Totals] = {}
    order = np.argsort(cell, kind="stable")
    for start in range(0, order.size, _CHUNK):
        rows = order[start : start + _CHUNK]
        present, index = np.unique(cell[rows], return_inverse=True)
        terms = _terms(proba[rows], happened[rows])
        # Each kind of term has a scale of its own.
        parts = [add_by_cell(term, index, present.size) for term in terms]
        high, low = (np.array([getattr(one, name) for one in parts]) for name in ("high", "low"))
        none = np.empty(0)
        for place, *sums in zip(present.tolist(), high.T.copy(), low.T.copy()):
            one = Totals(sums[0], sums[1], none)
            totals[place] = totals[place] + one if place in totals else one
    return [totals[place] for place in range(n_cells)]


def _terms(proba, happened):
    """Return what is added up, an array of shape (N_SUMS, n_samples)."""
    certain = (proba == 0.0) | (proba == 1.0)
    inside = np.where(certain, 0.5, proba)
    log_odds = np.log(inside) - np.log1p(-inside)
    variance = proba * (1.0 - proba)
    terms = np.empty((N_SUMS, proba.size))
    terms[0] = 1.0
    terms[1] = happened
    terms[2] = certain & (happened != (proba == 1.0))
    terms[3] = proba
    terms[4] = variance
    terms[5] = (happened - proba) * log_odds
    terms[6] = variance * log_odds
    terms[7] = variance * log_odds**2
    terms[8:] = np.where(certain, 0.0, log_ratios(log_odds, happened))
    return terms
