"""Bins with everything that depends on the probabilities prepared."""

import numpy as np

from ..._data.bins import check_binning
from ..._data.targets import TARGETS, Reduction, reduce_target, resolve_target
from .._metric import Prepared
from .bin_sums import BinSums, bins_are_fixed

BINNED_TARGETS = (*(name for name in TARGETS if name != "canonical"), "top_label")


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
        return np.stack([self._mean(column) for column in self.hits(codes).T], axis=1)

    def hits(self, codes):
        """Return whether the event happened, shape (n_rows, n_draws), for columns of codes."""
        codes = codes.reshape(codes.shape[0], -1)
        return (codes if self.rows is None else codes[self.rows]) == self.reduction.event

    def effective_count(self):
        """Return the rows of each bin, with weights the effective ones ``(sum w)^2 / sum w^2``."""
        if self.weight is None:
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
    norm : {"l1", "l2", "max", "mean"}
        How the gaps are summarised; "mean" is the plain mean over the bins that are not empty.
    debiased, squared : bool, default=False
        As documented in `ece`; for ``norm="l2"`` only.
    **binning : dict
        `n_bins`, `strategy`, `closed`, `bins` and `target` as documented in `ece`.
    """

    def __init__(self, predictions, *, norm, debiased=False, squared=False, **binning):
        self.norm = norm
        self.debiased = debiased
        self.squared = squared
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
        """Return the error of each draw.

        Parameters
        ----------
        groups : list of tuple
            One per set of bins, with arrays of shape (n_bins, n_draws), or (n_bins, 1) for what all
            draws have in common: the weight of each bin, its mean probability and its observed
            rate, NaN where it is empty, and its effective number of rows or None.
        """
        errors = np.stack([self._error(*bins) for bins in groups])
        if self.norm == "max":
            return errors.max(axis=0)
        if self.debiased and not self.squared:
            return np.sqrt(np.maximum(errors.mean(axis=0), 0.0))
        return errors.mean(axis=0)

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

    def _error(self, weight, center, rate, size):
        filled = weight > 0.0
        gaps = np.where(filled, np.abs(rate - center), 0.0)
        share = weight / weight.sum(axis=0)
        if self.norm == "max":
            return gaps.max(axis=0)
        if self.norm == "mean":
            return gaps.sum(axis=0) / filled.sum(axis=0)
        if self.norm == "l1":
            return (share * gaps).sum(axis=0)
        if self.debiased:
            return (share * _debiased_squares(gaps, rate, size)).sum(axis=0)
        squares = (share * gaps**2).sum(axis=0)
        return squares if self.squared else np.sqrt(squares)


def _debiased_squares(gaps, rate, size):
    """Return the squared gaps minus the variance of the rates; 0 where one row leaves none."""
    free = size - 1.0
    several = np.broadcast_to(free > 0.0, gaps.shape)
    variance = np.divide(rate * (1.0 - rate), free, out=np.zeros_like(gaps), where=several)
    return np.where(several, gaps**2 - variance, 0.0)


def bin_predictions(predictions, *, n_bins, strategy, closed, target, bins=None):
    """Validate the binning options; return the target and the `BinnedCurve` of each event."""
    proba, weight = predictions.proba, predictions.weight
    binning = check_binning(n_bins, strategy, closed, bins, predictions.n_samples, weight)
    target = resolve_target(
        target, predictions.n_classes, multiclass="confidence", allowed=BINNED_TARGETS
    )
    if target != "top_label":
        return target, [BinnedCurve(one, weight, binning) for one in reduce_target(proba, target)]
    curves, top = [], proba.argmax(axis=1)
    for k in range(predictions.n_classes):
        rows = np.flatnonzero(top == k)
        reduction = Reduction(proba[rows][:, [k]], np.array([[k]]))
        own = None if weight is None else weight[rows]
        curves.append(BinnedCurve(reduction, own, binning, rows))
    return target, curves
