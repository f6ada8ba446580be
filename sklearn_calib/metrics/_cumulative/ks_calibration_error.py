"""The Kolmogorov-Smirnov calibration error."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._metric import evaluate, metric
from .cumulative_error import CumulativeError, largest_size
from .cumulative_grid import merge_cumulative


@metric(
    prepare=partial(CumulativeError, summary=largest_size),
    mergeable=partial(merge_cumulative, summary=largest_size),
    label="KS error",
    meaning="largest cumulative difference between labels and probabilities",
    interval="norm",
    rank=34,
)
@fill_doc()
def ks_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the Kolmogorov-Smirnov calibration error.

    With weights :math:`w_i` that sum to one and residuals :math:`e_i` (indicator minus
    probability), the cumulative differences and the error are

    .. math:: C(t) = \sum_{i : p_i \le t} w_i e_i, \qquad \mathrm{KS} = \max_t |C(t)| .

    It is the largest distance between the cumulative number of events and the cumulative sum of
    probabilities, as a share of all rows, when rows are taken in the order of the probabilities.
    Zero means that both agree for every t; the largest value is one. There are no bins and no
    width to choose. If the residuals have one sign along the probabilities, it is the mean gap;
    over- and underestimated regions count only up to the larger sum. It depends on the end from
    which the sums start: with the classes exchanged the value may differ, unlike that of
    :func:`kuiper_calibration_error`.

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
    kuiper_calibration_error : The largest difference over any range of probabilities.
    ece : The error from bins.

    Notes
    -----
    <<not_proper>>
    <<cumulative_bias>>
    For the absolute maximum of Brownian motion the factor is :math:`\sqrt{\pi / 2} \approx 1.25`.
    Equal probabilities enter together. Time is O(n log n) and memory O(n).

    References
    ----------
    .. [1] K. Gupta et al., "Calibration of Neural Networks using Splines", ICLR 2021,
       arXiv:2006.12800.
    .. [2] I. Arrieta-Ibarra, P. Gujral, J. Tannen, M. Tygert, C. Xu, "Metrics of Calibration for
       Probabilistic Predictions", JMLR 23(351), 2022, arXiv:2205.09680.

    Examples
    --------
    >>> from sklearn_calib.metrics import ks_calibration_error
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(ks_calibration_error(y_true, y_proba), 4)
    0.1533
    """
    return evaluate(ks_calibration_error, locals())
