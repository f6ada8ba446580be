"""Cumulative errors from sums over the cells of a fine grid, with a bound."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from ..._data.bins import bin_index
from ..._data.sums import Mergeable, Sums, add_by_cell, add_up, joined
from ..._data.targets import reduce_target
from .._event_errors import resolve_events

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
class CumulativeGrid(Sums):
    """The sum of the weights, and positive and negative residuals of each event and cell.

    Attributes
    ----------
    target : str
        "binary", "confidence" or "classwise".
    n_classes : int
        Number of classes.
    """

    target: str
    n_classes: int

    @property
    def n_events(self) -> int:
        """Number of events whose errors are averaged."""
        return self.n_classes if self.target == "classwise" else 1

    @property
    def size(self) -> int:
        """Number of sums."""
        return 1 + self.n_events * 2 * (grid_edges().size - 1)

    def of_batch(self, predictions):
        """Return the totals of a batch of `Predictions`."""
        n, n_cells = predictions.n_samples, grid_edges().size - 1
        weight = np.ones(n) if predictions.weight is None else predictions.weight
        parts = [add_up(weight)]
        for reduction in reduce_target(predictions.proba, self.target):
            residuals = weight * reduction.residuals(predictions.codes)[:, 0, 0]
            cell = bin_index(reduction.proba[:, 0], grid_edges())
            for one in (np.maximum(residuals, 0.0), np.maximum(-residuals, 0.0)):
                parts.append(add_by_cell(one, cell, n_cells))
        return joined(parts)

    def limits(self, totals):
        """Return the extremes of the cumulative sums at the edges, and those anywhere at most.

        Returns
        -------
        low, high : ndarray of shape (n_events,)
            Smallest and largest sum at an edge, zero included.
        lowest, highest : ndarray of shape (n_events,)
            What the sums inside a cell cannot exceed, whatever the order of its rows.
        """
        weight = totals.values[0]
        shape = self.n_events, 2, -1
        up, down = (totals.values[1:].reshape(shape) / weight).swapaxes(0, 1)
        sums = np.cumsum(up - down, axis=1)
        before = np.concatenate([np.zeros((self.n_events, 1)), sums[:, :-1]], axis=1)
        return (
            sums.min(axis=1, initial=0.0),
            sums.max(axis=1, initial=0.0),
            (before - down).min(axis=1, initial=0.0),
            (before + up).max(axis=1, initial=0.0),
        )


def merge_cumulative(n_classes, *, summary, target):
    """Return a cumulative error as a function of sums.

    The value is that of the sums at the edges of the cells, which is never too large; the bound is
    the distance to what they could reach in between.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    summary, target : object
        As `CumulativeError` takes them.
    """
    grid = CumulativeGrid(resolve_events(target, n_classes), n_classes)
    return Mergeable(grid, partial(_value, grid, summary), partial(_bound, grid, summary))


def _value(grid, summary, totals):
    low, high, _, _ = grid.limits(totals)
    return float(summary(low, high).mean())


def _bound(grid, summary, totals):
    low, high, lowest, highest = grid.limits(totals)
    return float((summary(lowest, highest) - summary(low, high)).mean())
