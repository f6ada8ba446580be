"""The cumulative errors over the standard deviation of all residuals added up."""

import numpy as np

from ....metrics._cumulative.cumulative_error import CumulativeError
from ..one_event import OneEvent, ratio


class CumulativeResiduals(OneEvent):
    r"""A summary, as in `CumulativeError`, of partial sums of the residuals.

    .. math:: S(t) = \sum_{p_i \le t} w_i (y_i - p_i) \Big/ \sqrt{\sum_i w_i^2 p_i (1 - p_i)}

    For a calibrated model and many rows the sums follow a Brownian motion whose time is the share
    of the variance.
    """

    def __init__(self, predictions, target, summary):
        super().__init__(predictions, target)
        self.error = CumulativeError(predictions, target=self.target, summary=summary)
        self.spread = np.sqrt(predictions.share**2 @ self.variance)

    def __call__(self, codes):
        values = self.error(codes)
        return ratio(values, np.full(values.size, self.spread))
