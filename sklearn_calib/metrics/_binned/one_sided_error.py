"""One side of the gap between confidence and accuracy."""

import numpy as np

from ..._utils.options import check_flag
from .binned_error import BinnedError


class OneSidedError(BinnedError):
    """The mean over the bins of the positive or the negative part of confidence minus accuracy.

    Parameters
    ----------
    predictions : Predictions
        Validated data.
    sign : {1, -1}
        Which part counts: too much confidence, or too little.
    by_confidence : bool
        As documented in `overconfidence`.
    **binning : dict
        `n_bins`, `bins`, `strategy` and `closed` as documented in `ece`.
    """

    def __init__(self, predictions, *, sign, by_confidence, **binning):
        self.sign = sign
        self.by_confidence = check_flag(by_confidence, "by_confidence")
        super().__init__(predictions, norm="l1", target="confidence", **binning)

    def _error(self, weight, center, rate, size):
        gaps = np.maximum(self.sign * (center - rate), 0.0)
        if self.by_confidence:
            gaps = gaps * center
        return (weight / weight.sum(axis=0) * np.where(weight > 0.0, gaps, 0.0)).sum(axis=0)
