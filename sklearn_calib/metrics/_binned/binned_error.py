"""Bins with everything that depends on the probabilities prepared."""

import numpy as np

from ..._data.bins import quantile_bin_index, uniform_bin_index, uniform_edges
from ..._data.targets import TARGETS, reduce_target, resolve_target
from ..._utils.options import check_integer, check_option
from .._metric import Prepared

_TARGETS = tuple(name for name in TARGETS if name != "canonical")


class BinnedCurve:
    """Bins of one event's probabilities; the observed rates follow for any labels.

    Attributes
    ----------
    index : ndarray of shape (n_samples,)
        Bin of each row.
    count : ndarray of shape (n_bins,)
        Rows, or weight, in each bin.
    prob_pred : ndarray of shape (n_bins,)
        Mean probability in each bin, NaN where it is empty.
    """

    def __init__(self, reduction, weight, *, n_bins, strategy, closed):
        p = reduction.proba[:, 0]
        self.reduction = reduction
        self.weight = weight
        self.n_bins = n_bins
        if strategy == "uniform":
            self.index = uniform_bin_index(p, n_bins, closed)
            self.edges = uniform_edges(n_bins)
        else:
            self.index = quantile_bin_index(p, n_bins, weight)
            self.edges = _lower_ends(p, self.index, n_bins)
        self.count = np.bincount(self.index, weight, minlength=n_bins)
        self.prob_pred = self._mean(p)

    def _mean(self, values):
        weighted = values if self.weight is None else values * self.weight
        total = np.bincount(self.index, weighted, minlength=self.n_bins)
        return np.divide(total, self.count, out=np.full(self.n_bins, np.nan), where=self.count > 0)

    def prob_true(self, codes):
        """Return the observed rates, shape (n_bins, n_draws), for columns of label codes."""
        hits = codes.reshape(codes.shape[0], -1) == self.reduction.event
        return np.stack([self._mean(column) for column in hits.T], axis=1)


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
    n_bins, strategy, closed, target : object
        As documented in `ece`.
    norm : {"l1", "l2", "max", "mean"}
        How the gaps are summarised; "mean" is the plain mean over the bins that are not empty.
    """

    def __init__(self, predictions, *, n_bins, strategy, closed, target, norm):
        self.norm = norm
        self.target, self.curves = bin_predictions(
            predictions, n_bins=n_bins, strategy=strategy, closed=closed, target=target
        )

    def __call__(self, codes):
        errors = np.stack([self._error(curve, codes) for curve in self.curves])
        return errors.max(axis=0) if self.norm == "max" else errors.mean(axis=0)

    def _error(self, curve, codes):
        filled = curve.count > 0
        gaps = np.abs(curve.prob_true(codes) - curve.prob_pred[:, np.newaxis])[filled]
        if self.norm == "max":
            return gaps.max(axis=0)
        if self.norm == "mean":
            return gaps.mean(axis=0)
        share = curve.count[filled] / curve.count.sum()
        return share @ gaps if self.norm == "l1" else np.sqrt(share @ gaps**2)


def bin_predictions(predictions, *, n_bins, strategy, closed, target):
    """Validate the binning options; return the target and one `BinnedCurve` per event."""
    n_bins = check_integer(n_bins, "n_bins", 1)
    check_option(strategy, "strategy", ("uniform", "quantile"))
    check_option(closed, "closed", ("left", "right"))
    target = resolve_target(
        target, predictions.n_classes, multiclass="confidence", allowed=_TARGETS
    )
    curves = [
        BinnedCurve(reduction, predictions.weight, n_bins=n_bins, strategy=strategy, closed=closed)
        for reduction in reduce_target(predictions.proba, target)
    ]
    return target, curves
