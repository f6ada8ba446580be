"""Cumulative errors from sums over the cells of a fine grid, with a bound."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from ..._data.bins import bin_index
from ..._data.sums import Mergeable, add_by_cell, joined
from .._event_errors import EventSums, resolve_events

# Cells of equal width in the middle, and cells whose width is a share of the distance to 0 or 1
# near the ends, for rare events.
_N_EQUAL, _N_A_DOUBLING, _SMALLEST = 4096, 64, 2.0**-30


@cache
def grid_edges():
    """Return the edges of the cells."""
    equal = np.arange(_N_EQUAL + 1) / _N_EQUAL
    n_doublings = int(np.log2(_N_A_DOUBLING / _N_EQUAL / _SMALLEST))
    steps = 1.0 + np.arange(_N_A_DOUBLING) / _N_A_DOUBLING
    fine = (_SMALLEST * 2.0 ** np.arange(n_doublings)[:, np.newaxis] * steps).ravel()
    return np.unique(np.concatenate([equal, fine, 1.0 - fine]))


@dataclass(frozen=True)
class CumulativeGrid(EventSums):
    """Positive and negative residuals of each event and cell."""

    @property
    def size_of_event(self) -> int:
        """Number of cells, twice."""
        return 2 * (grid_edges().size - 1)

    def of_event(self, p, residuals):
        """Return the totals of an event."""
        cell, n_cells = bin_index(p, grid_edges()), grid_edges().size - 1
        signs = np.maximum(residuals, 0.0), np.maximum(-residuals, 0.0)
        return joined([add_by_cell(one, cell, n_cells) for one in signs])

    def limits(self, totals):
        """Return the extremes of the cumulative sums at the edges, and those anywhere at most.

        Returns
        -------
        low, high : ndarray of shape (n_events,)
            Smallest and largest sum at an edge, zero included.
        lowest, highest : ndarray of shape (n_events,)
            What the sums inside a cell cannot exceed, whatever the order of its rows.
        """
        up, down = np.split(self.shares(totals), 2, axis=1)
        sums = np.cumsum(up - down, axis=1)
        before = np.concatenate([np.zeros((self.n_events, 1)), sums[:, :-1]], axis=1)
        return (
            sums.min(axis=1, initial=0.0),
            sums.max(axis=1, initial=0.0),
            (before - down).min(axis=1, initial=0.0),
            (before + up).max(axis=1, initial=0.0),
        )


def merge_cumulative(n_classes, *, summary, target):
    """Return a cumulative error as a function of sums, with options of `CumulativeError`.

    The value is that of the sums at the edges of the cells, which is never too large; the bound is
    the distance to what they could reach in between.
    """
    grid = CumulativeGrid(resolve_events(target, n_classes), n_classes)
    return Mergeable(grid, partial(_value, grid, summary), partial(_bound, grid, summary))


def _value(grid, summary, totals):
    low, high, _, _ = grid.limits(totals)
    return float(summary(low, high).mean())


def _bound(grid, summary, totals):
    low, high, lowest, highest = grid.limits(totals)
    return float((summary(lowest, highest) - summary(low, high)).mean())
