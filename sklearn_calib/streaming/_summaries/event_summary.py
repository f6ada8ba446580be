"""What is kept of the probabilities of one event."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logit

from ..._data.sums import Totals, add_by_cell
from .grid_cells import GridCells, count_cells, no_cells
from .points import Points, points_of_cells


class Extreme(NamedTuple):
    """The rows of the smallest or of the largest probability between 0 and 1.

    Calibrators learn from it where to clip, so that it is kept apart from the others of its cell.

    Attributes
    ----------
    probability : float
        NaN if there is none.
    totals : Totals
        Numbers and weights of non-events and events: two numbers, two weights.
    """

    probability: float
    totals: Totals

    def merge(self, other, larger):
        """Return the larger extreme of both, or the smaller one."""
        if np.isnan(self.probability) or np.isnan(other.probability):
            return other if np.isnan(self.probability) else self
        if self.probability == other.probability:
            return Extreme(self.probability, self.totals + other.totals)
        return self if (self.probability > other.probability) == larger else other

    def cells(self, cell):
        """Return these rows alone as parts of a cell."""
        p, z = self.probability, float(logit(self.probability))
        factors = np.array([[1.0], [z], [z**2], [p]])
        high, low = (
            np.concatenate([array[:1], array[1:] * factors])
            for array in (one.reshape(2, 2) for one in (self.totals.high, self.totals.low))
        )
        least = np.array([[p, p], [-p, -p]])
        alone = GridCells(2 * cell + np.arange(2), Totals(high, low, least))
        return alone.take(self.totals.high[:2] > 0.0)


class EventSummary(NamedTuple):
    """A summary of the probabilities of one event.

    Attributes
    ----------
    cells : GridCells
    lowest, highest : Extreme
        Of the probabilities that are neither 0 nor 1.
    """

    cells: GridCells
    lowest: Extreme
    highest: Extreme

    def merge(self, other):
        """Return the summary of the rows of both."""
        return EventSummary(
            self.cells.merge(other.cells),
            self.lowest.merge(other.lowest, larger=False),
            self.highest.merge(other.highest, larger=True),
        )

    def points(self):
        """Return a point for each cell, and others for the extremes."""
        cells, apart = self.cells, []
        number = cells.key // 2
        for extreme, ends in ((self.lowest, cells.low), (self.highest, cells.high)):
            if np.isnan(extreme.probability):
                continue
            cell = number[np.argmax(ends == extreme.probability)]
            here = number == cell
            if cells.low[here].min() < cells.high[here].max():
                alone = extreme.cells(cell)
                cells = _subtract(cells, alone)
                apart.append(points_of_cells(alone))
        points = points_of_cells(cells.take(cells.totals.high[0] > 0.0))
        together = [np.concatenate(parts, axis=-1) for parts in zip(points, *apart)]
        order = np.argsort(together[0], kind="stable")
        return Points(*(part[..., order] for part in together))


def _subtract(cells, alone):
    """Return cells without some of their rows, with the same smallest and largest values."""
    taken = alone.aligned(cells.key)
    return GridCells(cells.key, cells.totals + Totals(-taken.high, -taken.low, taken.least))


def no_rows():
    """Return the summary of no rows."""
    none = Extreme(np.nan, Totals.zero(4))
    return EventSummary(no_cells(), none, none)


def summarise_event(grid, p, event, weight):
    """Return the summary of some rows; see `count_cells`."""
    return EventSummary(
        count_cells(grid, p, event, weight),
        _find_extreme(p, event, weight, larger=False),
        _find_extreme(p, event, weight, larger=True),
    )


def _find_extreme(p, event, weight, larger):
    inside = p[(p > 0.0) & (p < 1.0)]
    if not inside.size:
        return Extreme(np.nan, Totals.zero(4))
    value = inside.max() if larger else inside.min()
    rows = p == value
    part = event[rows].astype(int)
    sums = np.concatenate([np.ones(part.size), weight[rows]])
    return Extreme(float(value), add_by_cell(sums, np.concatenate([part, part + 2]), 4))
