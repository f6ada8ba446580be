"""Cumulative sums of residuals in the order of the probabilities, prepared."""

import numpy as np

from ..._core import ResidualBlocks
from ..._data.bins import sort_blocks
from .._event_errors import EventErrors

# Rows of a stretch, several of which are walked along at the same time, for many columns.
_STRETCH, _FEW_COLUMNS = 32, 8


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
        low, high, total = np.zeros((3, happened.shape[1]))
        for rows, steps in self.rows(happened):
            if not self.equal:
                steps *= self.weight[rows, np.newaxis]
            rest = 0.0
            if self.ends is not None:
                first, last = np.searchsorted(self.ends, [rows.start, rows.stop])
                ends = self.ends[first:last] - rows.start + 1
                end = ends[-1] if ends.size else 0
                rest, steps = steps[end:].sum(axis=0), steps[:end]
                if ends.size:
                    steps = np.add.reduceat(steps, np.append(0, ends[:-1]), axis=0)
            if len(steps):
                lowest, highest, change = _walked(steps)
                low = np.minimum(low, total + lowest)
                high = np.maximum(high, total + highest)
                total = total + change
            total = total + rest
        return (low * self.weight[0], high * self.weight[0]) if self.equal else (low, high)


def _walked(steps):
    """Return the smallest and the largest cumulative sum of rows, and the sum of all.

    Stretches of rows are walked along side by side.

    Parameters
    ----------
    steps : ndarray of shape (n_steps, n_columns)
        At least one row.

    Returns
    -------
    low, high, total : ndarray of shape (n_columns,)
    """
    n_steps, n_columns = steps.shape
    if n_steps < 4 * _STRETCH or n_columns < _FEW_COLUMNS:
        sums = np.cumsum(steps, axis=0)
        return sums.min(axis=0), sums.max(axis=0), sums[-1]
    whole = n_steps // _STRETCH * _STRETCH
    stretches = steps[:whole].reshape(-1, _STRETCH, n_columns)
    here = stretches[:, 0].copy()
    low, high = here.copy(), here.copy()
    for k in range(1, _STRETCH):
        here += stretches[:, k]
        np.minimum(low, here, out=low)
        np.maximum(high, here, out=high)
    ends = np.cumsum(here, axis=0)
    before, total = ends - here, ends[-1]
    low, high = (before + low).min(axis=0), (before + high).max(axis=0)
    if whole < n_steps:
        lowest, highest, change = _walked(steps[whole:])
        low, high = np.minimum(low, total + lowest), np.maximum(high, total + highest)
        total = total + change
    return low, high, total
