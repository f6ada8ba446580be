"""Sums over the rows of each bin, which all binned errors with the same bins share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.utils import Bunch

from ..._data.bins import bin_index, check_edges, check_n_bins, uniform_edges
from ..._data.sums import Mergeable, NotMergeableError, Sums, Totals, add_by_cell, add_up, joined
from ..._utils.options import check_option
from .bin_norm import BinNorm
from .binned_error import binned_events, resolve_binned_target

_CLOSED = ("left", "right")


class BinColumns(NamedTuple):
    """The sums of each bin, with the sets of bins one below the other.

    Attributes
    ----------
    weight, events, proba : ndarray of shape (n_curves, n_bins)
        Weight w of the rows, weight of those whose event happened, and sum of ``w p``.
    squares, square_proba, square_variance : ndarray of shape (n_curves, n_bins)
        Sums of ``w**2``, ``w**2 p`` and ``w**2 p (1 - p)``.
    """

    weight: np.ndarray
    events: np.ndarray
    proba: np.ndarray
    squares: np.ndarray
    square_proba: np.ndarray
    square_variance: np.ndarray


@dataclass(frozen=True)
class BinTable(Sums):
    """The sums of `BinColumns` for bins with edges that do not depend on the data.

    Attributes
    ----------
    edges : tuple of float
        Increasing edges from 0 to 1.
    closed : {"left", "right"}
        The side on which the bins are closed.
    target : str
        A target of the binned errors, never "auto".
    n_classes : int
        Number of classes.
    """

    edges: tuple[float, ...]
    closed: str
    target: str
    n_classes: int

    @property
    def n_bins(self) -> int:
        """Number of bins of one event."""
        return len(self.edges) - 1

    @property
    def n_curves(self) -> int:
        """Number of events that have bins of their own."""
        return self.n_classes if self.target in ("classwise", "top_label") else 1

    @property
    def size(self) -> int:
        """Number of sums."""
        return self.n_curves * len(BinColumns._fields) * self.n_bins

    def of_batch(self, predictions):
        """Return the totals of a batch of `Predictions`."""
        edges, parts = np.array(self.edges), []
        for reduction, weight, rows in binned_events(predictions, self.target):
            p = reduction.proba[:, 0]
            codes = predictions.codes if rows is None else predictions.codes[rows]
            events = codes == reduction.event[:, 0]
            index = None if self.n_bins == 1 else bin_index(p, edges, self.closed)
            parts += _sums_of_event(p, events, weight, index, self.n_bins)
        return joined(parts)

    def of_draws(self, predictions, codes):
        """Return the totals of a batch for several columns of labels."""
        fixed = self.of_batch(replace(predictions, codes=codes[:, 0]))
        high, low = (
            np.repeat(one[:, np.newaxis], codes.shape[1], axis=1) for one in (fixed.high, fixed.low)
        )
        shape = self.n_curves, len(BinColumns._fields), self.n_bins, codes.shape[1]
        events = high.reshape(shape)[:, 1]
        low.reshape(shape)[:, 1] = 0.0
        for k, (reduction, weight, rows) in enumerate(binned_events(predictions, self.target)):
            own = codes if rows is None else codes[rows]
            index = bin_index(reduction.proba[:, 0], np.array(self.edges), self.closed)
            of_bin = (index == np.arange(self.n_bins)[:, np.newaxis]).astype(float)
            happened = (own == reduction.event).astype(float)
            events[k] = (of_bin if weight is None else of_bin * weight) @ happened
        return Totals(high, low, np.empty((0, codes.shape[1])))

    def columns(self, totals: Totals) -> BinColumns:
        """Return the sums by name."""
        shape = self.n_curves, len(BinColumns._fields), self.n_bins
        return BinColumns(*totals.values.reshape(shape).swapaxes(0, 1))

    def bunch(self, totals: Totals) -> Bunch:
        """Return the table that `calibration_bins` returns."""
        columns = self.columns(totals)
        count = columns.weight
        if (columns.squares == count).all():  # every weight is one
            count = count.astype(np.int64)
        means = [
            np.divide(values, columns.weight, out=np.full(count.shape, np.nan), where=count > 0)
            for values in (columns.proba, columns.events)
        ]
        arrays = (np.tile(np.array(self.edges), (self.n_curves, 1)), count, *means)
        if self.n_curves == 1:
            arrays = tuple(array[0] for array in arrays)
        return Bunch(**dict(zip(("edges", "count", "prob_pred", "prob_true"), arrays)))

    def excess(self, totals: Totals) -> np.ndarray:
        """Return the weight of the events minus the sum of ``w p``, shape (n_curves, n_bins).

        The difference is taken before anything is rounded.
        """
        shape = self.n_curves, len(BinColumns._fields), self.n_bins
        high, low = (part.reshape(shape) for part in (totals.high, totals.low))
        return (high[:, 1] - high[:, 2]) + (low[:, 1] - low[:, 2])


def _sums_of_event(p, events, weight, index, n_bins):
    """Return the totals of one event, a column of `BinColumns` each."""

    def add(values):
        return add_up(values) if index is None else add_by_cell(values, index, n_bins)

    def count_up(rows):
        if index is None:
            return Totals.of(np.array([np.count_nonzero(rows)], dtype=float))
        return Totals.of(np.bincount(index[rows], minlength=n_bins).astype(float))

    if weight is None:  # counts are exact
        count, hits, proba = count_up(np.ones(p.size, dtype=bool)), count_up(events), add(p)
        return [count, hits, proba, count, proba, add(p * (1.0 - p))]
    square = weight * weight
    columns = weight, weight * events, weight * p, square, square * p, square * (p * (1.0 - p))
    return [add(column) for column in columns]


def bin_table(n_classes, *, n_bins, target, closed="left", strategy="uniform", bins=None):
    """Return the `BinTable` of the options of `ece`, or raise `NotMergeableError`."""
    closed = check_option(closed, "closed", _CLOSED)
    check_option(strategy, "strategy", ("uniform", "quantile"))
    n_bins = check_n_bins(n_bins)
    if strategy == "quantile":
        raise NotMergeableError(
            "strategy='quantile' puts the edges of the bins where the probabilities of all rows "
            "are, which no part of them knows. Give edges as bins=, such as quantiles of the "
            "probabilities of some rows, or use strategy='uniform'."
        )
    if bins is not None:
        edges = check_edges(bins)
    elif n_bins == "auto":
        raise NotMergeableError(
            "n_bins='auto' depends on the number of rows, which is not known before the last one. "
            "Pass a number, or edges as bins=."
        )
    else:
        edges = uniform_edges(n_bins)
    target = resolve_binned_target(target, n_classes)
    if target == "classwise" and n_classes == 2:
        target = "binary"  # both columns say the same
    return BinTable(tuple(edges.tolist()), closed, target, n_classes)


def merge_bins(n_classes: int, norm: str | BinNorm, **binning) -> Mergeable:
    """Return a binned error as a function of the sums of its bins.

    The gaps are put together by `norm`, and `binning` has options of `ece`.
    """
    form = norm if isinstance(norm, BinNorm) else BinNorm(norm)
    table = bin_table(n_classes, **binning)
    return Mergeable(table, partial(_error, table, form))


def _error(table, form, totals):
    """Return a binned error from the totals of its table."""
    columns = table.columns(totals)
    sums = (
        part.reshape(-1, 1)
        for part in (columns.weight, columns.events, columns.proba, columns.squares)
    )
    together = table.target == "top_label"  # whose bins all count together
    n_bins = [table.n_curves * table.n_bins] if together else [table.n_bins] * table.n_curves
    return float(form.of_sums(*sums, n_bins)[0])
