"""Totals of rows that somebody else has added up bin by bin, such as a data base."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy

from ..._data.arrays import check_numeric
from ..._data.sums import NotMergeableError, Totals, add_by_cell, add_up, joined
from ..._utils.arguments.named_errors import naming
from ...metrics._binned.bin_table import BinTable
from .measures import Plan, Table
from .row_sums import RowSums
from .scores import SCORES, ScoreSums

_COLUMNS = ("bin", "n", "events", "sum_proba", "sum_variance")
# By how much, relative to the number of rows, sums may leave their bin.
_ROUNDING = 1e-9
# The same for sums of squares and logarithms, which a data base may give with seven digits.
_ROUNDING_OF_SCORES = 5e-6


def totals_of_bins(plan: Plan, scores: set[str], table: Any) -> Table:
    """Return the totals of a table with one row per bin, as `CalibrationState.from_bins` takes it.

    The plan is that of two classes, and `scores` names the proper scores that are wanted.
    """
    wanted = [*_COLUMNS, *(f"sum_{name}" for name in sorted(scores))]
    columns = {name: _column(table, name) for name in wanted}
    if len({values.size for values in columns.values()}) > 1:
        raise ValueError("The columns of table must have one length.")
    _check_counts(columns)
    totals: Table = {}
    for sums in plan.sums:
        if isinstance(sums, RowSums):
            totals[sums] = joined([add_up(columns["n"])] * 3)
        elif isinstance(sums, ScoreSums):
            none = Totals.zero(1)
            parts = [add_up(columns[f"sum_{name}"]) if name in scores else none for name in SCORES]
            totals[sums] = joined([add_up(columns["n"]), *parts])
        elif isinstance(sums, BinTable) and sums.target == "binary":
            totals[sums] = _of_table(sums, columns)
        else:
            names = [key for key, one in plan.merged.items() if one.sums == sums]
            raise NotMergeableError(
                f"{names[0]!r} does not follow from bins of the positive class. Use metrics with "
                "bins, the ratio of events and proper scores, or update a state with the rows."
            )
    _check_scores(columns, 0.0, 1.0)
    return totals


def _column(table, name):
    """Return a column of numbers."""
    with naming("table"):
        names = list(table.columns) if hasattr(table, "columns") else list(table)
    if name not in names:
        raise ValueError(f"table must have the column {name!r}, got {names}.")
    values = check_numeric(table[name], name)
    if values.ndim != 1:
        raise ValueError(f"{name} must be one column, got an array of shape {values.shape}.")
    return values


def _of_table(sums, columns):
    """Return the totals of a `BinTable`; one of a single bin holds all rows."""
    single = sums.n_bins == 1
    number = np.zeros_like(columns["bin"]) if single else columns["bin"]
    _check(sums, number, columns)
    index = number.astype(np.intp)
    n, events, proba, variance = (
        add_by_cell(columns[name], index, sums.n_bins) for name in _COLUMNS[1:]
    )
    return joined([n, events, proba, n, proba, variance])


def _check(sums, number, columns):
    """Raise if the numbers are not those of rows in these bins."""
    n, proba = columns["n"], columns["sum_proba"]
    if np.any((number != np.floor(number)) | (number < 0) | (number >= sums.n_bins)):
        wrong = number[(number != np.floor(number)) | (number < 0) | (number >= sums.n_bins)][0]
        raise ValueError(
            f"bin must hold whole numbers from 0 to {sums.n_bins - 1}, got {wrong:g}. The last bin "
            "holds the probability 1, too."
        )
    edges, rounding = np.array(sums.edges), _ROUNDING * n
    index = number.astype(np.intp)
    outside = (proba < n * edges[index] - rounding) | (proba > n * edges[index + 1] + rounding)
    if outside.any():
        k = int(outside.argmax())
        raise ValueError(
            f"sum_proba is {proba[k]:.10g} for {n[k]:g} rows of bin {index[k]}, which holds "
            f"probabilities from {edges[index[k]]:g} to {edges[index[k] + 1]:g}. Count bins from "
            "0, and pass the edges that they were made with as n_bins or bins."
        )
    _check_scores(columns, edges[index], edges[index + 1])


def _check_counts(columns):
    """Raise if the numbers of rows and of events are none."""
    n, events = columns["n"], columns["events"]
    if np.any((n != np.floor(n)) | (n < 0)) or np.any((events < 0) | (events > n)):
        raise ValueError("n must be numbers of rows, and events at most as many.")
    if np.any(events != np.floor(events)):
        raise ValueError(
            f"events must be whole numbers, got {events[events != np.floor(events)][0]:.10g}: the "
            "rows have the labels 0 and 1 and no weights. For others, update a state with the rows."
        )


def _check_scores(columns, low, high):
    """Raise if no rows with probabilities from `low` to `high` have these sums of scores."""
    n, tolerance = columns["n"], _ROUNDING_OF_SCORES * columns["n"]
    for name, (least, most) in _limits(columns, low, high).items():
        outside = ~((columns[name] >= least - tolerance) & (columns[name] <= most + tolerance))
        if outside.any():
            k = int(outside.argmax())
            raise ValueError(
                f"{name} is {columns[name][k]:.10g} for {n[k]:g} rows of bin "
                f"{columns['bin'][k]:g}, but with their events and other sums it lies between "
                f"{least[k]:.6g} and {most[k]:.6g}. Take all columns from the same rows: the sums "
                "of p * (1 - p), (y - p)**2 and the log loss."
            )


def _limits(columns, low, high):
    """Return between which numbers the sums of scores lie, by name.

    The sum of ``p * (1 - p)`` is largest if all rows have the mean probability, and smallest if
    each has the lowest or the highest. The Brier score follows from it and from the sum of the
    probabilities of the events.
    """
    n, events, proba = columns["n"], columns["events"], columns["sum_proba"]
    variance, others = columns["sum_variance"], n - events
    square = np.divide(proba**2, n, out=np.zeros(n.size), where=n > 0)
    flat = n * low * (1.0 - low) + (proba - n * low) * (1.0 - low - high)
    limits = {"sum_variance": (flat, proba - square)}
    if "sum_brier" in columns:
        of_events = (
            np.maximum(events * low, proba - others * high),
            np.minimum(events * high, proba - others * low),
        )
        most, least = (events + proba - variance - 2.0 * one for one in of_events)
        limits["sum_brier"] = np.maximum(least, 0.0), np.minimum(most, n)
    if "sum_log_loss" in columns:
        limits["sum_log_loss"] = (
            0.0 - xlogy(events, high) - xlogy(others, 1.0 - low),
            0.0 - xlogy(events, low) - xlogy(others, 1.0 - high),
        )
    return limits
