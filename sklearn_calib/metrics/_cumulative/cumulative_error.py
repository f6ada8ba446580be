"""Cumulative sums of residuals in the order of the probabilities, prepared."""

import numpy as np

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
        self.blocks = [sort_blocks(one.proba[:, 0]) for one in self.reductions]
        self.sorted = [one.take(own.order) for one, own in zip(self.reductions, self.blocks)]

    def __call__(self, codes):
        values = []
        for reduction, blocks in zip(self.sorted, self.blocks, strict=True):
            sums = reduction.residuals(codes[blocks.order])[:, 0]
            sums *= self.weight[blocks.order, np.newaxis]
            if blocks.first.size < len(sums):
                sums = np.add.reduceat(sums, blocks.first, axis=0)
            np.cumsum(sums, axis=0, out=sums)
            low, high = sums.min(axis=0, initial=0.0), sums.max(axis=0, initial=0.0)
            values.append(self.summary(low, high))
        return np.mean(values, axis=0)
