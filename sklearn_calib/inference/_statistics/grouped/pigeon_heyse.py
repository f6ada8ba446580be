"""The statistic of Pigeon and Heyse."""

from functools import partial

from ...._utils.docs import fill_doc
from ..statistic import statistic
from .grouped_deviation import GroupedDeviation, merge_groups


@statistic(
    "pigeon_heyse",
    label="Pigeon-Heyse",
    meaning="Hosmer-Lemeshow with the variance that the rows of each group have",
    reference=lambda prepared, codes: prepared.limit(),
    mergeable=partial(merge_groups, pooled=False),
)
@fill_doc()
def prepare_pigeon_heyse(predictions, *, n_groups=10, bins=None, in_sample=False, target="auto"):
    r"""Prepare the statistic of Pigeon and Heyse.

    .. math:: J^2 = \sum_g \frac{(O_g - E_g)^2}{\phi_g n_g \bar p_g (1 - \bar p_g)}, \quad
              \phi_g = \frac{\sum_{i \in g} p_i (1 - p_i)}{n_g \bar p_g (1 - \bar p_g)}

    The factor :math:`\phi_g` corrects the Hosmer-Lemeshow statistic for probabilities that differ
    within a group, so the denominator is the variance of :math:`O_g`. On new data it has about the
    chi-square distribution with as many degrees of freedom as groups; the paper [1]_ has one less,
    since it looks at the rows that the model was fitted on. With weights w, the numerator is a
    weighted sum of residuals and the denominator :math:`\sum w_i^2 p_i (1 - p_i)`.

    <<parameters_predictions>>
    n_groups : int, default=10
        Number of groups of about equal size, as in `prepare_hosmer_lemeshow`.
    bins : array-like of shape (n_edges,), default=None
        Edges of the groups from 0 to 1, closed on the left, in place of `n_groups`. They must not
        depend on the labels.
    in_sample : bool, default=False
        Whether the rows are those that the model was fitted on, as in `prepare_hosmer_lemeshow`.
    <<target_one_event>>

    References
    ----------
    .. [1] J. G. Pigeon, J. F. Heyse, "An improved goodness of fit statistic for probability
       prediction models", Biometrical Journal 41 (1999),
       doi:10.1002/(SICI)1521-4036(199903)41:1<71::AID-BIMJ71>3.0.CO;2-O.
    """
    return GroupedDeviation(
        predictions, target, n_groups, in_sample, n_lost=1, pooled=False, bins=bins
    )
