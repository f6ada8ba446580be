"""Cumulative sums of residuals in the order of the probabilities, prepared."""

import numpy as np

from ..._data.bins import sort_blocks
from ..._data.targets import TARGETS, reduce_target, resolve_target
from .._metric import Prepared

_TARGETS = tuple(name for name in TARGETS if name != "canonical")


class CumulativeError(Prepared):
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
        self.target = resolve_target(
            target, predictions.n_classes, multiclass="confidence", allowed=_TARGETS
        )
        self.summary = summary
        self.reductions = reduce_target(predictions.proba, self.target)
        self.n_columns = len(self.reductions)
        weight = np.ones(predictions.n_samples)
        if predictions.weight is not None:
            weight = predictions.weight / predictions.weight.max()
        self.share = weight / weight.sum()
        self.blocks = [sort_blocks(one.proba[:, 0]) for one in self.reductions]

    def __call__(self, codes):
        values = []
        for reduction, blocks in zip(self.reductions, self.blocks, strict=True):
            terms = self.share[:, np.newaxis] * reduction.residuals(codes)[:, 0]
            sums = np.cumsum(np.add.reduceat(terms[blocks.order], blocks.first, axis=0), axis=0)
            low, high = sums.min(axis=0, initial=0.0), sums.max(axis=0, initial=0.0)
            values.append(self.summary(low, high))
        return np.mean(values, axis=0)
