"""The score test of the calibration slope."""

from functools import partial

import numpy as np

from ...._core import ResidualBlocks
from ...._utils.docs import fill_doc
from ..limits import standard_normal
from ..one_event import OneEvent, ratio
from ..statistic import statistic
from .score_form import log_odds
from .score_sums import merge_scores, slope_value


class SlopeScore(OneEvent):
    """The standardised sum of residuals times what an intercept leaves of the log-odds."""

    def __init__(self, predictions, target):
        super().__init__(predictions, target)
        variance = self.weight**2 * self.variance
        x = log_odds(self.p)
        if variance.any():
            rounding = 1e-12 * np.sqrt(variance @ x**2)
            x = x - np.average(x, weights=variance)
            if np.sqrt(variance @ x**2) <= rounding:  # equal predictions have no slope
                x = np.zeros_like(x)
        self.direction = x
        self.spread = np.sqrt(variance @ x**2)

    def __call__(self, codes):
        weighted = (self.weight * self.direction)[np.newaxis]
        return ratio(ResidualBlocks(self.p).products(weighted, self.events(codes))[0], self.spread)


@statistic(
    "slope_score",
    label="slope score",
    meaning="is the calibration slope one? Negative: the predictions are too extreme",
    alternative="two-sided",
    reference=lambda prepared, codes: standard_normal(),
    mergeable=partial(merge_scores, value=slope_value),
)
@fill_doc()
def prepare_slope_score(predictions, *, target="auto"):
    r"""Prepare the score test of the calibration slope, whatever the intercept.

    In the model :math:`\mathrm{logit}\, P(Y = 1) = a + b\, \mathrm{logit}\, p` of Cox [1]_ the
    slope b is one for calibrated predictions. The statistic is the sum of the residuals times the
    log-odds, from which their mean with the weights p (1 - p) is taken off, over its standard
    deviation. It approaches a standard normal distribution. Negative values say that b < 1, so that
    the predictions are too extreme, and positive ones that they are not extreme enough. Exact 0 and
    1 count as half the smallest distance to 0 or 1 that occurs.

    <<parameters_predictions>>
    <<target_one_event>>

    References
    ----------
    <<reference_cox>>
    """
    return SlopeScore(predictions, target)
