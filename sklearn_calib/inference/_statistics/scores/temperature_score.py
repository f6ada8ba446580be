"""The score test of the temperature of a softmax."""

import numpy as np

from ...._utils.docs import fill_doc
from ...._utils.links import probability_floor
from ....metrics._metric import Prepared
from ..limits import standard_normal
from ..one_event import ratio, relative_weights
from ..statistic import statistic


class TemperatureScore(Prepared):
    """The standardised derivative of the log-likelihood by the inverse temperature."""

    target = "canonical"

    def __init__(self, predictions):
        p = predictions.proba
        # The floor lets a certain class that does not occur count as a large error.
        logarithm = np.log(np.maximum(p, probability_floor(p)))
        mean = np.einsum("ik,ik->i", p, logarithm)
        self.gain = logarithm - mean[:, np.newaxis]
        variance = np.einsum("ik,ik->i", p, self.gain**2)
        self.weight = relative_weights(predictions)
        self.spread = np.sqrt(self.weight**2 @ variance)

    def __call__(self, codes):
        columns = codes.reshape(codes.shape[0], -1).astype(np.intp)
        total = self.weight @ np.take_along_axis(self.gain, columns, axis=1)
        return ratio(total, self.spread)


@statistic(
    "temperature_score",
    label="temperature score",
    meaning="is the temperature one? Negative: the predictions are too extreme",
    alternative="two-sided",
    reference=lambda prepared, codes: standard_normal(),
)
@fill_doc()
def prepare_temperature_score(predictions):
    r"""Prepare the score test of the temperature.

    In the model :math:`P(Y = k) \propto p_k^{\,b}` of temperature scaling [1]_ with the
    temperature 1 / b, calibrated predictions have b = 1. The derivative of the log-likelihood by b
    is the sum of :math:`\log p_Y - \sum_k p_k \log p_k`, and the statistic is this sum over its
    standard deviation, which approaches a standard normal distribution. Negative values say that
    b < 1, so that the predictions are too extreme. Probabilities of zero count as half the smallest
    distance to 0 or 1 that occurs.

    <<parameters_predictions>>

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, "On Calibration of Modern Neural Networks",
       ICML 2017, arXiv:1706.04599.
    """
    return TemperatureScore(predictions)
