"""The cumulative errors over the standard deviation of all residuals added up."""

import numpy as np

from ....metrics._cumulative.cumulative_error import CumulativeError
from ..one_event import OneEvent, ratio


class CumulativeResiduals(OneEvent):
    r"""A summary of partial sums of the residuals, in the order of the predictions.

    .. math:: S(t) = \sum_{p_i \le t} w_i (y_i - p_i) \Big/ \sqrt{\sum_i w_i^2 p_i (1 - p_i)}

    For a calibrated model and many rows the sums follow a Brownian motion whose time is the share
    of the variance.

    Parameters
    ----------
    predictions : Predictions
        Validated data.
    target : str
        One event.
    summary : callable
        As in `CumulativeError`.
    """

    def __init__(self, predictions, target, summary):
        super().__init__(predictions, target)
        self.error = CumulativeError(predictions, target=self.target, summary=summary)
        self.spread = np.sqrt(predictions.share**2 @ self.variance)

    def __call__(self, codes):
        values = self.error(codes)
        return ratio(values, np.full(values.size, self.spread))
