"""The Kuiper calibration error."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._metric import evaluate, metric
from .cumulative_error import CumulativeError, whole_range
from .cumulative_grid import merge_cumulative


@metric(
    prepare=partial(CumulativeError, summary=whole_range),
    mergeable=partial(merge_cumulative, summary=whole_range),
    label="Kuiper error",
    meaning="largest cumulative difference over any range of probabilities",
    interval="norm",
    shown_in=("report",),
    rank=36,
)
@fill_doc()
def kuiper_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the Kuiper calibration error.

    With weights :math:`w_i` that sum to one and residuals :math:`e_i` (indicator minus
    probability), it is the range of the cumulative differences,

    .. math:: C(t) = \sum_{i : p_i \le t} w_i e_i, \qquad
              \max_t C(t) - \min_t C(t) = \max_{s < t} \Big| \sum_{i : s < p_i \le t} w_i e_i \Big|,

    where the maximum and the minimum count the zero at which the sums start. It says of how large a
    share of all rows the expected and the observed number of events differ in that range of
    probabilities where they differ most. Zero means that both agree in every range; the largest
    value is one. There are no bins and no width to choose, and exchanging the classes changes
    nothing. A narrow range counts little, however wrong it is: see :func:`mce` and
    :func:`integrated_calibration_index` with ``summary="max"`` for that.

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
    <<target_binned>>
        The "classwise" error is the mean over the classes.
    <<weights_as_copies>>

    <<returns_error_up_to_one>>

    See Also
    --------
    ks_calibration_error : The largest difference counted from the smallest probability.
    ece : The error from bins.

    Notes
    -----
    <<not_proper>>
    <<cumulative_bias>>
    For the range of Brownian motion the factor is :math:`\sqrt{8 / \pi} \approx 1.6`. Equal
    probabilities enter together. Time is O(n log n) and memory O(n).

    References
    ----------
    .. [1] I. Arrieta-Ibarra, P. Gujral, J. Tannen, M. Tygert, C. Xu, "Metrics of Calibration for
       Probabilistic Predictions", JMLR 23(351), 2022, arXiv:2205.09680 (there called ECCE-R).
    .. [2] M. Tygert, "Calibration of P-values for calibration and for deviation of a subpopulation
       from the full population", 2022, arXiv:2202.00100.

    Examples
    --------
    >>> from sklearn_calib.metrics import kuiper_calibration_error
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(kuiper_calibration_error(y_true, y_proba), 4)
    0.225
    """
    return evaluate(kuiper_calibration_error, locals())
