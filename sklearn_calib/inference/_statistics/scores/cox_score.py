"""The score test of calibration slope and intercept."""

from functools import partial

import numpy as np

from ...._data.targets import reduce_target, resolve_event
from ...._utils.docs import fill_doc
from ..one_event import relative_weights
from ..statistic import statistic
from .score_form import EventScore, limit_of_score, log_odds
from .score_sums import cox_value, merge_scores


def cox_design(p):
    """Return the columns one and log-odds."""
    return np.column_stack([np.ones_like(p), log_odds(p)])


@statistic(
    "cox_score",
    label="Cox score",
    meaning="are the calibration slope one and the intercept zero?",
    reference=limit_of_score,
    mergeable=partial(merge_scores, value=cox_value),
)
@fill_doc()
def prepare_cox_score(predictions, *, target="auto"):
    r"""Prepare the score test of the calibration slope and intercept.

    In the model :math:`\mathrm{logit}\, P(Y = 1) = a + b\, \mathrm{logit}\, p` of Cox [1]_ the
    predictions are calibrated if a = 0 and b = 1. The statistic is the score test of this, which
    is the quadratic form of the sums of residuals :math:`e = y - p` and of
    :math:`e\, \mathrm{logit}\, p`, and needs no fit. It approaches a chi-squared distribution with
    2 degrees of freedom. Exact 0 and 1 count as half the smallest distance to 0 or 1 that occurs.

    <<parameters_predictions>>
    <<target_one_event>>

    References
    ----------
    <<reference_cox>>
    """
    target = resolve_event(target, predictions.n_classes)
    reductions = reduce_target(predictions.proba, target)
    designs = [cox_design(reduction.proba[:, 0]) for reduction in reductions]
    return EventScore(reductions, designs, relative_weights(predictions), target)
