"""The expected calibration error."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.options import check_option
from ..._utils.types import Label
from .._metric import evaluate, metric
from .binned_error import BinnedError


def _prepare(predictions, *, norm, **options):
    return BinnedError(predictions, norm=check_option(norm, "norm", ("l1", "l2", "max")), **options)


@metric(
    prepare=_prepare,
    label="ECE",
    meaning="mean gap between probability and observed rate over the bins",
    interval="gaps",
    shown_in=("report", "comparison"),
    rank=10,
)
@fill_doc()
def ece(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: str = "uniform",
    norm: str = "l1",
    closed: str = "left",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the expected calibration error.

    With the bins b, their share of the weight :math:`s_b`, mean probability :math:`\bar p_b` and
    observed rate :math:`\bar y_b`,

    .. math:: \mathrm{ECE}_1 = \sum_b s_b |\bar y_b - \bar p_b|, \qquad
              \mathrm{ECE}_2 = \Big(\sum_b s_b (\bar y_b - \bar p_b)^2\Big)^{1/2}, \qquad
              \mathrm{ECE}_\infty = \max_b |\bar y_b - \bar p_b|

    over the bins that are not empty. Zero means that every bin's observed rate equals its mean
    probability; the largest value is one. For binary data the gap compares the probability of the
    positive class with its rate; confidence against accuracy is ``target="confidence"``.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<n_bins>>
    <<strategy>>
    norm : {"l1", "l2", "max"}, default="l1"
        How the gaps are put together, as above.
    <<closed>>
    <<target_binned>>
        The "classwise" error is the mean over the classes (the maximum for ``norm="max"``).
    <<weights_as_copies>>

    <<returns_error_up_to_one>>

    See Also
    --------
    mce : The largest gap.
    average_calibration_error : The unweighted mean of the gaps.
    calibration_bins : The table behind the number.
    skce : A calibration error without bins.

    Notes
    -----
    <<not_proper>>

    The estimate depends on the bins. For a calibrated model it is biased upwards, and more so with
    more bins and fewer rows. Time is O(n log n) and memory O(n).

    References
    ----------
    .. [1] M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining Well Calibrated Probabilities
       Using Bayesian Binning", AAAI 2015, doi:10.1609/aaai.v29i1.9602.
    .. [2] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, "On Calibration of Modern Neural
       Networks", ICML 2017, arXiv:1706.04599.
    .. [3] M. Kull et al., "Beyond temperature scaling: Obtaining well-calibrated multi-class
       probabilities with Dirichlet calibration", NeurIPS 2019, arXiv:1910.12656 (classwise).

    Examples
    --------
    >>> from sklearn_calib.metrics import ece
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(ece(y_true, y_proba, n_bins=5), 4)
    0.345
    >>> round(ece(y_true, y_proba, n_bins=5, target="confidence"), 4)
    0.2117
    """
    return evaluate(ece, locals())
