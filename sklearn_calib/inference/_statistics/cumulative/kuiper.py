"""The Kuiper statistic of cumulative residuals."""

from ...._utils.docs import fill_doc
from ....metrics._cumulative.cumulative_error import whole_range
from ..statistic import statistic
from .brownian import Range
from .cumulative_residuals import CumulativeResiduals


@statistic(
    "kuiper",
    label="Kuiper",
    meaning="how far apart do sums of residuals in the order of the predictions get?",
    reference=lambda prepared, codes: Range(),
)
@fill_doc()
def prepare_kuiper(predictions, *, target="auto"):
    """Prepare the Kuiper statistic of cumulative residuals.

    The range of the cumulative residuals, divided by the standard deviation of their total [1]_,
    [2]_. Unlike "ks" it weighs errors in all parts of [0, 1] alike. For many rows it has the
    distribution of the range of a Brownian motion on [0, 1].

    <<parameters_predictions>>
    <<target_one_event>>

    References
    ----------
    .. [1] I. Arrieta-Ibarra, P. Gujral, J. Tannen, M. Tygert, C. Xu, "Metrics of calibration for
       probabilistic predictions", Journal of Machine Learning Research 23 (2022),
       arXiv:2205.09680.
    .. [2] M. Tygert, "Calibration of P-values for calibration and for deviation of a subpopulation
       from the full population", Advances in Computational Mathematics 49 (2023),
       arXiv:2202.00100.
    """
    return CumulativeResiduals(predictions, target, whole_range)
