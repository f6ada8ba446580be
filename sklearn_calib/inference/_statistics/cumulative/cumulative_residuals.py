"""Sums of residuals in the order of the predictions."""

import numpy as np

from ..one_event import OneEvent, ratio


class CumulativeResiduals(OneEvent):
    r"""Partial sums of the residuals, in the order of the predictions, on a common scale.

    .. math:: S(t) = \sum_{p_i \le t} w_i (y_i - p_i) \Big/ \sqrt{\sum_i w_i^2 p_i (1 - p_i)}

    Rows with equal predictions have no order, so the sums are looked at where a block of equal
    predictions ends. For a calibrated model and many rows they follow a Brownian motion whose time
    is the share of the variance.
    """

    def __init__(self, predictions, target):
        super().__init__(predictions, target)
        self.order = np.argsort(self.p, kind="stable")
        ordered = self.p[self.order]
        self.last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
        self.spread = np.sqrt(self.weight**2 @ self.variance)

    def extremes(self, codes):
        """Return the smallest and the largest sum of each column of labels, or zero."""
        sums = self.residuals(codes)[self.order].cumsum(axis=0)[self.last]
        low, high = np.minimum(sums.min(axis=0), 0.0), np.maximum(sums.max(axis=0), 0.0)
        spread = np.full(low.size, self.spread)
        return ratio(low, spread), ratio(high, spread)
