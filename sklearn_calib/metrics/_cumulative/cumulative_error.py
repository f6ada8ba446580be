"""Cumulative sums of residuals in the order of the probabilities, prepared."""

import numpy as np

from ..._core import ResidualBlocks
from ..._data.bins import sort_blocks
from .._event_errors import EventErrors


def largest_size(low, high):
    """Return how far the sums get from zero."""
    return np.maximum(-low, high)


def whole_range(low, high):
    """Return how far apart the sums get."""
    return high - low


class CumulativeError(EventErrors):
    """A summary of the cumulative differences between labels and probabilities.

    The sums start at zero and are read off at the ends of blocks of equal probabilities only, so
    that the order of rows within a block is irrelevant.

    Parameters
    ----------
    predictions : Predictions
        Validated data.
    target : str
        As documented in `ks_calibration_error`.
    summary : callable
        ``summary(low, high)`` -> values, for the smallest and the largest sum of each draw, zero
        included.
    """

    def __init__(self, predictions, *, target, summary):
        super().__init__(predictions, target)
        self.summary = summary
        self.walks = [Walk(one, self.weight) for one in self.reductions]

    def __call__(self, codes):
        return np.mean([self.summary(*walk.extremes(codes)) for walk in self.walks], axis=0)


class Walk:
    """The cumulative sums of the weighted residuals of one event, for any labels.

    Parameters
    ----------
    reduction : Reduction
        The event.
    weight : ndarray of shape (n_samples,)
        Weights of the rows.
    """

    def __init__(self, reduction, weight):
        p = reduction.proba[:, 0]
        ties = sort_blocks(p)
        self.reduction = reduction
        self.rows = ResidualBlocks(p, ties.order)
        self.weight = weight[ties.order]
        # Where the sums are read off; None for everywhere.
        self.ends = None
        if ties.first.size < p.size:
            self.ends = np.append(ties.first[1:], p.size) - 1
        self.equal = bool((weight == weight[0]).all())

    def extremes(self, codes):
        """Return the smallest and the largest sum of each draw, zero included."""
        happened = self.reduction.happened(codes)[:, 0]
        total, low, high = np.zeros((3, happened.shape[1]))
        for rows, sums in self.rows(happened):
            if not self.equal:
                sums *= self.weight[rows, np.newaxis]
            sums[0] += total
            np.cumsum(sums, axis=0, out=sums)
            total = sums[-1].copy()
            if self.ends is not None:
                first, last = np.searchsorted(self.ends, [rows.start, rows.stop])
                sums = sums[self.ends[first:last] - rows.start]
            low = np.minimum(low, sums.min(axis=0, initial=0.0))
            high = np.maximum(high, sums.max(axis=0, initial=0.0))
        return (low * self.weight[0], high * self.weight[0]) if self.equal else (low, high)
