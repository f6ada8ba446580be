"""One side of the gap between confidence and accuracy."""

import numpy as np

from ..._utils.options import check_flag
from .._metric import Prepared
from .binned_error import bin_predictions


class ConfidenceGap(Prepared):
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
        self.target, (self.curve,) = bin_predictions(predictions, target="confidence", **binning)
        share = self.curve.count / self.curve.count.sum()
        self.factor = np.where(share > 0.0, share, 0.0)
        if check_flag(by_confidence, "by_confidence"):
            self.factor = self.factor * np.nan_to_num(self.curve.prob_pred)

    def __call__(self, codes):
        gaps = self.sign * (self.curve.prob_pred[:, np.newaxis] - self.curve.prob_true(codes))
        return self.factor @ np.maximum(np.nan_to_num(gaps), 0.0)
