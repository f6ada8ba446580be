"""Bins with everything that depends on the probabilities prepared."""

from functools import cached_property

import numpy as np

from ..._core import ResidualBlocks
from ..._data.bins import check_binning
from ..._data.targets import EVENTS, Reduction, reduce_target, resolve_target
from .._metric import Prepared
from .bin_norm import BinNorm
from .bin_sums import BinSums, bins_are_fixed

BINNED_TARGETS = (*EVENTS, "top_label")


class BinnedCurve:
    """Bins of one event's probabilities; the observed rates follow for any labels.

    Parameters
    ----------
    reduction : Reduction
        Probabilities of one event.
    weight : ndarray of shape (n_samples,) or None
        Positive weights.
    binning : Binning
        The bins.
    rows : ndarray, default=None
        Numbers of the rows that `reduction` and `weight` hold; None for all.

    Attributes
    ----------
    index : ndarray of shape (n_samples,)
        Bin of each row.
    count : ndarray of shape (n_bins,)
        Rows, or weight, in each bin.
    prob_pred : ndarray of shape (n_bins,)
        Mean probability in each bin, NaN where it is empty.
    """

    def __init__(self, reduction, weight, binning, rows=None):
        p = reduction.proba[:, 0]
        self.reduction = reduction
        self.weight = weight
        self.rows = rows
        self.n_bins = binning.n_bins
        self.index = binning.assign(p, weight)
        self.edges = binning.edges
        if self.edges is None:
            self.edges = _lower_ends(p, self.index, self.n_bins)
        self.count = np.bincount(self.index, weight, minlength=self.n_bins)
        self.prob_pred = self._mean(p)

    def _mean(self, values):
        weighted = values if self.weight is None else values * self.weight
        total = np.bincount(self.index, weighted, minlength=self.n_bins)
        return np.divide(total, self.count, out=np.full(self.n_bins, np.nan), where=self.count > 0)

    def prob_true(self, codes):
        """Return the observed rates, shape (n_bins, n_draws), for columns of label codes."""
        hits = self.hits(codes)
        if self.weight is not None or hits.shape[1] == 1:
            return np.stack([self._mean(column) for column in hits.T], axis=1)
        rate = np.full((self.n_bins, hits.shape[1]), np.nan)
        order, first = self._in_order
        if order.size:
            filled = self.count > 0
            events = ResidualBlocks(None, order).group_sums(first, hits)
            rate[filled] = events / self.count[filled, np.newaxis]
        return rate

    @cached_property
    def _in_order(self):
        """The rows bin by bin, and where each bin that is not empty begins."""
        small = np.uint16 if self.n_bins <= 1 << 16 else np.intp  # short numbers are sorted fast
        order = np.argsort(self.index.astype(small), kind="stable")
        return order, np.cumsum(np.append(0, self.count))[:-1][self.count > 0].astype(np.intp)

    def hits(self, codes):
        """Return whether the event happened, shape (n_rows, n_draws), for columns of codes."""
        codes = codes if self.rows is None else codes[self.rows]
        return self.reduction.happened(codes)[:, 0]

    def effective_count(self):
        """Return the rows of each bin, with weights the effective ones ``(sum w)^2 / sum w^2``."""
        if self.weight is None or self.weight.size == 0:
            return self.count
        share = self.weight / self.weight.max()  # squares of the weights themselves may overflow
        total = np.bincount(self.index, share, minlength=self.n_bins)
        squares = np.bincount(self.index, share**2, minlength=self.n_bins)
        return np.divide(total**2, squares, out=np.zeros_like(squares), where=squares > 0)


def _lower_ends(p, index, n_bins):
    """Return edges such that bin b holds the values from edge b up to edge b + 1."""
    lowest = np.full(n_bins, np.inf)
    np.minimum.at(lowest, index, p)
    lowest = np.minimum.accumulate(lowest[::-1])[::-1]
    return np.concatenate([[0.0], np.minimum(lowest[1:], 1.0), [1.0]])


class BinnedError(Prepared):
    """A binned error, prepared.

    Parameters
    ----------
    predictions : Predictions
        Validated data.
    norm : str or BinNorm
        How the gaps are put together; text stands for the `BinNorm` of that name.
    **binning : dict
        `n_bins`, `strategy`, `closed`, `bins` and `target` as documented in `ece`.
    """

    def __init__(self, predictions, *, norm, **binning):
        self.form = norm if isinstance(norm, BinNorm) else BinNorm(norm)
        self.norm = self.form.norm
        self.debiased, self.squared = self.form.debiased, self.form.squared
        self.target, curves = bin_predictions(predictions, **binning)
        # The bins of all predicted classes count together; other targets average their curves.
        self.groups = [curves] if self.target == "top_label" else [[curve] for curve in curves]
        if bins_are_fixed(predictions.weight, **binning):
            self.sums_of_rows = BinSums(self, predictions)

    def __call__(self, codes):
        return self.of_bins(self.bins(codes))

    def bins(self, codes):
        """Return the bins of each group of curves for label codes, as `of_bins` takes them."""
        return [self._bins(curves, codes) for curves in self.groups]

    def of_bins(self, groups):
        """Return the error of each draw from its bins, see `BinNorm.of_bins`."""
        return self.form.of_bins(groups)

    def _bins(self, curves, codes):
        """Return the bins of several curves together."""
        columns = [
            np.concatenate([curve.count for curve in curves]),
            np.concatenate([curve.prob_pred for curve in curves]),
        ]
        size = None
        if self.debiased:
            size = np.concatenate([curve.effective_count() for curve in curves])[:, np.newaxis]
        rate = np.concatenate([curve.prob_true(codes) for curve in curves])
        return *(column[:, np.newaxis] for column in columns), rate, size


def bin_predictions(predictions, *, n_bins, strategy, closed, target, bins=None):
    """Validate the binning options; return the target and the `BinnedCurve` of each event."""
    binning = check_binning(
        n_bins, strategy, closed, bins, predictions.n_samples, predictions.weight
    )
    target = resolve_binned_target(target, predictions.n_classes)
    events = binned_events(predictions, target)
    return target, [BinnedCurve(one, weight, binning, rows) for one, weight, rows in events]


def resolve_binned_target(target, n_classes):
    """Return the name of a target of a binned error."""
    return resolve_target(target, n_classes, multiclass="confidence", allowed=BINNED_TARGETS)


def binned_events(predictions, target):
    """Return the events whose probabilities are put into bins.

    Returns
    -------
    events : list of (Reduction, ndarray or None, ndarray or None)
        The event, the weights of its rows and the numbers of these rows, None for all.
    """
    proba, weight = predictions.proba, predictions.weight
    if target != "top_label":
        return [(one, weight, None) for one in reduce_target(proba, target)]
    events, top = [], proba.argmax(axis=1)
    for k in range(predictions.n_classes):
        rows = np.flatnonzero(top == k)
        reduction = Reduction(proba[rows][:, [k]], np.array([[k]]))
        events.append((reduction, None if weight is None else weight[rows], rows))
    return events
