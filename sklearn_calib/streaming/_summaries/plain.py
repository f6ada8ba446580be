"""Parts of a summary as plain values for a document."""

import numpy as np

from ..._data.sums import Totals
from .event_summary import EventSummary, Extreme
from .grid_cells import GridCells
from .row_sample import RowSample


def plain_event(column):
    """Return a column as plain values."""
    return {
        "key": column.cells.key.tolist(),
        "totals": _plain_totals(column.cells.totals),
        "extremes": [
            None if np.isnan(one.probability) else [one.probability, _plain_totals(one.totals)]
            for one in (column.lowest, column.highest)
        ],
    }


def read_event(content):
    """Return the column of `plain_event`."""
    key = np.array(content["key"], dtype=np.int64)
    totals = _read_totals(content["totals"], (5, key.size), (2, key.size))
    extremes = [
        Extreme(np.nan, Totals.zero(4))
        if one is None
        else Extreme(float(one[0]), _read_totals(one[1], (4,), (0,)))
        for one in content["extremes"]
    ]
    return EventSummary(GridCells(key, totals), *extremes)


def plain_sample(sample):
    """Return a sample as plain values."""
    return {
        "priority": sample.priority.tolist(),
        "proba": sample.proba.tolist(),
        "totals": _plain_totals(sample.totals),
        "complete": sample.complete,
    }


def read_sample(content, n_columns):
    """Return the sample of `plain_sample`."""
    priority = np.array(content["priority"], dtype=np.uint64)
    proba = np.array(content["proba"], dtype=float).reshape(priority.size, n_columns)
    totals = _read_totals(content["totals"], (priority.size,), (0,))
    return RowSample(priority, proba, totals, content["complete"])


def _plain_totals(totals):
    return [totals.high.tolist(), totals.low.tolist(), totals.least.tolist()]


def _read_totals(content, shape, least):
    shapes = (shape, shape, least)
    return Totals(*(np.array(one, dtype=float).reshape(of) for one, of in zip(content, shapes)))
