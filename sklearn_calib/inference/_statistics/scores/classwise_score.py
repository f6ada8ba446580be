"""The largest score test of calibration slope and intercept over the classes."""

from functools import partial

from ...._data.targets import reduce_target
from ...._utils.docs import fill_doc
from ..one_event import relative_weights
from ..statistic import statistic
from .cox_score import cox_design
from .score_form import EventScore
from .score_sums import cox_value, merge_scores


@statistic(
    "classwise_score",
    label="class-wise Cox score",
    meaning="do slope and intercept of each class fit? The largest statistic of a class",
    mergeable=partial(merge_scores, value=cox_value, every_class=True),
)
@fill_doc()
def prepare_classwise_score(predictions):
    r"""Prepare the largest score test of slope and intercept over the classes.

    For each class the statistic of "cox_score" is computed for the event that this class occurs;
    for two classes that is "cox_score" itself. The values of the classes depend on each other, so
    there is no limiting distribution in closed form, but the simulated one is exact.

    <<parameters_predictions>>

    References
    ----------
    <<reference_cox>>
    .. [2] K. Van Hoorde, Y. Vergouwe, D. Timmerman, S. Van Huffel, E. W. Steyerberg, B. Van
       Calster, "Assessing calibration of multinomial risk prediction models", Statistics in
       Medicine 33 (2014), doi:10.1002/sim.6114.
    """
    reductions = reduce_target(predictions.proba, "classwise")
    designs = [cox_design(reduction.proba[:, 0]) for reduction in reductions]
    return EventScore(reductions, designs, relative_weights(predictions), "classwise")
