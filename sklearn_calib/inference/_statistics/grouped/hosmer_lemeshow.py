"""The Hosmer-Lemeshow statistic."""

from functools import partial

from ...._utils.docs import fill_doc
from ..statistic import statistic
from .grouped_deviation import GroupedDeviation, merge_groups


@statistic(
    "hosmer_lemeshow",
    label="Hosmer-Lemeshow",
    meaning="do groups of rows with similar predictions have the predicted numbers of events?",
    reference=lambda prepared, codes: prepared.limit(),
    mergeable=partial(merge_groups, pooled=True),
)
@fill_doc()
def prepare_hosmer_lemeshow(predictions, *, n_groups=10, bins=None, in_sample=False, target="auto"):
    r"""Prepare the Hosmer-Lemeshow statistic.

    .. math:: \hat C = \sum_g \frac{(O_g - E_g)^2}{n_g \bar p_g (1 - \bar p_g)}

    with observed and expected numbers of events and the mean probability of each group ("deciles
    of risk"). On new data it has about the chi-square distribution with as many degrees of freedom
    as groups; on the rows that a logistic regression was fitted on, with two less [1]_. Groups
    that hold different probabilities have a variance below the denominator, so the limit is
    conservative for few groups. With weights w, :math:`O_g - E_g` is the weighted sum of residuals
    and both :math:`n_g` and :math:`\bar p_g` use :math:`w^2`.

    <<parameters_predictions>>
    n_groups : int, default=10
        Number of groups of about equal size; equal probabilities share a group. A group in which
        all rows are certain counts zero if they are right, and makes the statistic infinite
        otherwise.
    bins : array-like of shape (n_edges,), default=None
        Edges of the groups from 0 to 1, closed on the left, in place of `n_groups`. They must not
        depend on the labels.
    in_sample : bool, default=False
        Whether the rows are those that the model was fitted on. This concerns the degrees of
        freedom of ``null="asymptotic"``; the other nulls do not apply to such rows.
    <<target_one_event>>

    References
    ----------
    .. [1] D. W. Hosmer, S. Lemeshow, "Goodness of fit tests for the multiple logistic regression
       model", Communications in Statistics - Theory and Methods 9 (1980),
       doi:10.1080/03610928008827941.
    """
    return GroupedDeviation(
        predictions, target, n_groups, in_sample, n_lost=2, pooled=True, bins=bins
    )
