"""Probabilities of one event in the cells of a fixed grid, with exact sums in every cell.

The grid is one of log-odds, of which given probabilities (edges of bins, clipping points) are edges
as well. It does not depend on the data, so that tables of different rows add up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import logit

from ..._data.sums import Totals, add_by_cell

# Cells of exact 0 and 1, below and above all others.
_ZERO, _ONE = -(2**61), 2**61
# Rows are added up in blocks of this size, which bounds the memory.
_BLOCK = 2**18


@dataclass(frozen=True)
class Grid:
    """Where cells begin.

    Attributes
    ----------
    resolution : int
        Cells per unit of log-odds.
    edges : tuple of float
        Increasing probabilities that begin a cell as well.
    """

    resolution: int
    edges: tuple[float, ...]

    def numbers(self, p, log_odds):
        """Return the number of the cell of each probability; numbers increase with p."""
        inside = (p > 0.0) & (p < 1.0)
        number = np.floor(np.where(inside, log_odds, 0.0) * self.resolution).astype(np.int64)
        number = number * (len(self.edges) + 1) + np.searchsorted(self.edges, p, side="right")
        return np.where(inside, number, np.where(p > 0.5, _ONE, _ZERO))


class GridCells(NamedTuple):
    """The non-events and the events of each cell that has some, in increasing order.

    Attributes
    ----------
    key : ndarray of shape (n_parts,)
        Twice the number of the cell, plus one for events.
    totals : Totals
        Five sums of shape (n_parts,) each: number of rows, weight, weight times log-odds, weight
        times their square (log-odds of exact 0 and 1 count as 0), weight times probability. Two
        smallest values: the probability and minus the probability.
    """

    key: np.ndarray
    totals: Totals

    @property
    def low(self):
        """Smallest probability of each part."""
        return self.totals.least[0]

    @property
    def high(self):
        """Largest probability of each part."""
        return -self.totals.least[1]

    def merge(self, other):
        """Return the cells of the rows of both."""
        key = np.union1d(self.key, other.key)
        return GridCells(key, self.aligned(key) + other.aligned(key))

    def aligned(self, key):
        """Return the totals for keys among which are those of these cells."""
        totals = Totals(
            np.zeros((5, key.size)), np.zeros((5, key.size)), np.full((2, key.size), np.inf)
        )
        where = np.searchsorted(key, self.key)
        for name in ("high", "low", "least"):
            getattr(totals, name)[:, where] = getattr(self.totals, name)
        return totals

    def take(self, parts):
        """Return some of the parts, chosen by a mask or positions."""
        own = self.totals
        chosen = Totals(own.high[:, parts], own.low[:, parts], own.least[:, parts])
        return GridCells(self.key[parts], chosen)


def no_cells():
    """Return the cells of no rows."""
    return GridCells(
        np.empty(0, np.int64), Totals(np.empty((5, 0)), np.empty((5, 0)), np.empty((2, 0)))
    )


def count_cells(grid, p, event, weight):
    """Return the cells of rows with the probabilities `p`, from 0 to 1, and positive weights."""
    cells = no_cells()
    for start in range(0, p.size, _BLOCK):
        rows = slice(start, start + _BLOCK)
        cells = cells.merge(_count_block(grid, p[rows], event[rows], weight[rows]))
    return cells


def _count_block(grid, p, event, weight):
    with np.errstate(divide="ignore"):
        log_odds = logit(p)
    key, part = np.unique(2 * grid.numbers(p, log_odds) + event, return_inverse=True)
    log_odds[~np.isfinite(log_odds)] = 0.0
    terms = (weight, weight * log_odds, weight * log_odds**2, weight * p)
    sums = [add_by_cell(values, part, key.size) for values in (np.ones(p.size), *terms)]
    least = np.full((2, key.size), np.inf)
    np.minimum.at(least[0], part, p)
    np.minimum.at(least[1], part, -p)
    high, low = (np.stack([getattr(one, name) for one in sums]) for name in ("high", "low"))
    return GridCells(key, Totals(high, low, least))
