"""The history of a monitor as a table: what happened in each period, and the evidence after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .cells import CellTable
from .e_values import EValues, running_pvalue
from .findings import slope_of
from .monitor_sums import MonitorSums
from .segments import Segment

if TYPE_CHECKING:
    import pandas as pd


def history_table(
    cells: CellTable,
    e_values: EValues,
    classes: Any,
    alpha: float,
    *,
    names: Mapping[Segment | None, str | None],
    pooled: bool,
) -> pd.DataFrame:
    """Return a row for each period and series with rows, or, if `pooled`, for each period.

    `names` are those of the segments.
    """
    import pandas as pd

    sums, present = cells.arrays(cells.series)
    log_e = e_values.log_series[-len(cells.series) :]
    if pooled:
        sums = MonitorSums(*(one.sum(axis=0, keepdims=True) for one in sums))
        present = present.any(axis=0, keepdims=True)
        log_e = e_values.log_overall[np.newaxis]
    column, row = np.nonzero(present.T)
    shown: dict[str, Any] = {"period": np.array(cells.periods, dtype=object)[column]}
    if not pooled:
        shown |= {name: key[row] for name, key in _labels(cells, classes, names).items()}
    chosen = MonitorSums(*(one[row, column] for one in sums))
    n_events = len({one.event for one in cells.series})
    if pooled and n_events > 1:  # the classes of a row sum to one, whatever they are
        shown["n"] = (chosen.rows / n_events).astype(np.int64)
    else:
        shown |= _rates(chosen)
    pvalue = running_pvalue(log_e)[row, column]
    shown |= {"e_value": exp(log_e[row, column]), "pvalue": pvalue, "alarm": pvalue <= alpha}
    return pd.DataFrame(shown).infer_objects()


def _labels(cells, classes, names):
    """Return the columns that tell series apart."""
    found = {
        "segment": [names[one.segment] for one in cells.series],
        "event": [None if one.event is None else classes[one.event] for one in cells.series],
    }
    return {
        name: np.array(values, dtype=object)
        for name, values in found.items()
        if any(one is not None for one in values)
    }


def _rates(sums):
    """Return rows, observed and predicted rates, their difference and a hint at the slope."""
    observed, predicted = sums.events / sums.rows, sums.predicted / sums.rows
    return {
        "n": sums.rows.astype(np.int64),
        "observed": observed,
        "predicted": predicted,
        "gap": observed - predicted,
        "slope": slope_of(sums),
    }


def exp(log_e):
    """Return e-values, infinite where they are too large for a float."""
    with np.errstate(over="ignore"):
        return np.exp(log_e)
