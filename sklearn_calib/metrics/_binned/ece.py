"""The expected calibration error."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.options import Default, check_flag, check_option
from ..._utils.types import Bins, Edges, Label
from .._metric import evaluate, metric
from .bin_norm import BinNorm
from .bin_table import merge_bins
from .binned_error import BinnedError


def _form(norm, debiased, squared):
    check_option(norm, "norm", ("l1", "l2", "max"))
    flags = {"debiased": debiased, "squared": squared}
    given = [name for name, value in flags.items() if check_flag(value, name)]
    if given and norm != "l2" and not isinstance(norm, Default):
        raise ValueError(f"{given[0]}=True needs norm='l2', the mean of squares, got {norm!r}.")
    return BinNorm("l2" if given else norm, **flags)


def _prepare(predictions, *, norm, debiased, squared, **binning):
    return BinnedError(predictions, norm=_form(norm, debiased, squared), **binning)


def _mergeable(n_classes, *, norm, debiased, squared, **binning):
    return merge_bins(n_classes, _form(norm, debiased, squared), **binning)


def _effect(*, squared, **_):
    return "root" if squared else "itself"


@metric(
    prepare=_prepare,
    mergeable=_mergeable,
    effect=_effect,
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
    n_bins: Bins = 15,
    bins: Edges | None = None,
    strategy: str = "uniform",
    norm: str = Default("l1"),
    debiased: bool = False,
    squared: bool = False,
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

    A sample adds noise to every gap, so these values are too large. ``debiased=True`` subtracts an
    estimate of what noise adds to the squares [4]_: with :math:`n_b` rows in bin b,

    .. math:: \widehat{\mathrm{ECE}}{}_2^2 = \sum_b s_b \Big( (\bar y_b - \bar p_b)^2
              - \frac{\bar y_b (1 - \bar y_b)}{n_b - 1} \Big),

    where a bin of one row contributes 0. If the rows of a bin have one true rate, the square is
    estimated without bias. If their rates differ, their labels vary more than by noise alone, and
    too much is subtracted, on average the variance of the rates in the bin over :math:`n_b`: little
    in narrow bins, and as much as half the noise if one bin holds all rows. (:func:`skce` is
    unbiased without bins.) By default the root of the positive part of the square is returned,
    which is on the scale of probabilities; ``squared=True`` returns the square itself, with its
    sign: for a calibrated model it is negative in about half of all samples, or more.

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
    <<n_bins>>
    <<bins>>
    <<strategy>>
    norm : {"l1", "l2", "max"}, default="l1"
        How the gaps are put together, as above. With `debiased` or `squared` it is "l2", which is
        then the default.
    debiased : bool, default=False
        Whether to subtract what noise adds, as above.
    squared : bool, default=False
        Whether to return the mean of squares in place of its root.
    <<closed>>
    <<target_top_label>>
        The "classwise" error is the mean over the classes (the maximum for ``norm="max"``); with
        `debiased` or `squared` it is the mean of the squares, from which the root is taken.
    <<weights_as_copies>>

    Returns
    -------
    error : float
        A number in [0, 1], or in [-1, 1] with `debiased` and `squared`; lower is better.

    Raises
    ------
    <<malformed>>

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
    more bins and fewer rows; only with ``debiased=True, squared=True`` it is not. Time is
    O(n log n) and memory O(n).

    With weights, the debiased error takes the effective number of rows
    :math:`n_b = (\sum_i w_i)^2 / \sum_i w_i^2` of each bin. The variance of a weighted mean of
    labels with one rate is that of a mean of so many labels, so the estimate is as right as without
    weights. It is not the estimate of the copied rows: copies would count as independent rows.

    References
    ----------
    .. [1] M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining Well Calibrated Probabilities
       Using Bayesian Binning", AAAI 2015, doi:10.1609/aaai.v29i1.9602.
    .. [2] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, "On Calibration of Modern Neural
       Networks", ICML 2017, arXiv:1706.04599.
    .. [3] M. Kull et al., "Beyond temperature scaling: Obtaining well-calibrated multi-class
       probabilities with Dirichlet calibration", NeurIPS 2019, arXiv:1910.12656 (classwise).
    .. [4] A. Kumar, P. Liang, T. Ma, "Verified Uncertainty Calibration", NeurIPS 2019,
       arXiv:1909.10155 (debiased).
    .. [5] C. Gupta, A. Ramdas, "Top-label calibration and multiclass-to-binary reductions",
       ICLR 2022, arXiv:2107.08353.

    Examples
    --------
    >>> from sklearn_calib.metrics import ece
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(ece(y_true, y_proba, n_bins=5), 4)
    0.345
    >>> round(ece(y_true, y_proba, n_bins=5, target="confidence"), 4)
    0.2117
    >>> round(ece(y_true, y_proba, n_bins=2, debiased=True, squared=True), 4)
    -0.1073
    """
    return evaluate(ece, locals())
