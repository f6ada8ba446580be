"""The Kolmogorov-Smirnov statistic of cumulative residuals."""

from ...._utils.docs import fill_doc
from ....metrics._cumulative.cumulative_error import largest_size
from ..statistic import statistic
from .brownian import LargestSize
from .cumulative_residuals import CumulativeResiduals


@statistic(
    "ks",
    label="Kolmogorov-Smirnov",
    meaning="how far do sums of residuals in the order of the predictions get from zero?",
    reference=lambda prepared, codes: LargestSize(),
)
@fill_doc()
def prepare_ks(predictions, *, target="auto"):
    r"""Prepare the Kolmogorov-Smirnov statistic of cumulative residuals.

    The largest size of the cumulative residuals, divided by the standard deviation of their total
    [1]_. It needs no bins and no bandwidth. For many rows it has the distribution of
    :math:`\sup_t |W(t)|` for a Brownian motion W on [0, 1].

    <<parameters_predictions>>
    <<target_one_event>>

    References
    ----------
    .. [1] M. Tygert, "Calibration of P-values for calibration and for deviation of a subpopulation
       from the full population", Advances in Computational Mathematics 49 (2023),
       arXiv:2202.00100.
    """
    return CumulativeResiduals(predictions, target, largest_size)
