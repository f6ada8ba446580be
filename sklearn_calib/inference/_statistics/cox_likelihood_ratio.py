"""The likelihood ratio of calibration against any intercept and slope of the log-odds."""

import numpy as np
from scipy.special import logit

from ..._utils.docs import fill_doc
from ...metrics._line.logistic_line import LogisticLine
from .limits import chi_squared
from .one_event import OneEvent
from .statistic import statistic


class LikelihoodRatio(OneEvent):
    r"""Twice the gain in log-likelihood of :math:`a + b \operatorname{logit} p` over logit p."""

    def __init__(self, predictions, target):
        super().__init__(predictions, target)
        # Equal weights count as ones: a likelihood needs rows, not a scale.
        self.certain = np.flatnonzero(self.variance == 0.0)
        self.uncertain = np.flatnonzero(self.variance > 0.0)
        self.line = None
        if self.uncertain.size:
            self.line = LogisticLine(logit(self.p[self.uncertain]), self.weight[self.uncertain])

    def __call__(self, codes):
        events = self.events(codes)
        wrong = (events[self.certain] != (self.p[self.certain, np.newaxis] == 1.0)).any(axis=0)
        values = np.where(wrong, np.inf, 0.0)
        if self.line is None:
            return values
        y = events[self.uncertain]
        gain = self.line.fit(y).log_likelihood - self.line.log_likelihood(y, 0.0, 1.0)
        return values + np.maximum(2.0 * gain, 0.0)

    def limit(self):
        """Return the chi-square distribution, or raise if the weights differ."""
        if self.weighted:
            raise ValueError(
                "null='asymptotic' is not available for cox_likelihood_ratio with weights that "
                "differ: a weighted log-likelihood is not that of the data, so its ratio has no "
                "chi-square limit. Use null='simulation', which is exact with weights."
            )
        return chi_squared(1 if self.line is None else min(self.line.start.size, 2))


@statistic(
    "cox_likelihood_ratio",
    label="Cox likelihood ratio",
    meaning="do another intercept and slope of the log-odds fit the labels better?",
    reference=lambda prepared, codes: prepared.limit(),
)
@fill_doc()
def prepare_cox_likelihood_ratio(predictions, *, target="auto"):
    r"""Prepare the likelihood ratio of Cox's recalibration model.

    The labels are fitted by :math:`\operatorname{logit} P(Y = 1) = a + b \operatorname{logit} p`
    with maximum likelihood, and the statistic is twice the gain in log-likelihood over (0, 1)
    [1]_, [2]_. It finds predictions that are too high or low (a) and too extreme or timid (b). For
    many rows it has the chi-square distribution with 2 degrees of freedom (1 if all predictions
    are equal). If a and b separate the labels, there is no finite maximum, and the supremum
    counts. Rows with p = 0 or 1 cannot be moved: they count nothing if they are right, and make
    the statistic infinite if not. Weights multiply the log-likelihood of each row and only their
    ratios matter; the chi-square limit does not hold for them.

    <<parameters_predictions>>
    <<target_one_event>>

    References
    ----------
    <<reference_cox>>
    .. [2] M. E. Miller, C. D. Langefeld, W. M. Tierney, S. L. Hui, C. J. McDonald, "Validation of
       probabilistic predictions", Medical Decision Making 13 (1993),
       doi:10.1177/0272989X9301300107.
    """
    return LikelihoodRatio(predictions, target)
