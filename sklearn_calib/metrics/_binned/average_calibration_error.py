"""The average calibration error."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.types import Bins, Edges, Label
from .._metric import evaluate, metric
from .bin_table import merge_bins
from .binned_error import BinnedError


@metric(
    prepare=partial(BinnedError, norm="mean"),
    mergeable=partial(merge_bins, norm="mean"),
    label="average gap",
    meaning="over the bins, however many rows they hold",
    interval="gaps",
    shown_in=("report",),
    rank=30,
)
@fill_doc()
def average_calibration_error(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: Bins = 15,
    bins: Edges | None = None,
    strategy: str = "uniform",
    closed: str = "left",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the average calibration error.

    It is the plain mean of the gaps :math:`|\bar y_b - \bar p_b|` between observed rate and mean
    probability over the bins that are not empty, whatever their weight. Other authors use "ACE" for
    the adaptive calibration error, which is :func:`ece` with ``strategy="quantile"``.

    Parameters
    ----------
    <<binned_parameters>>
        The "classwise" error is the mean over the classes.
    <<weights_as_copies>>

    <<returns_error_up_to_one>>

    See Also
    --------
    ece : The weighted mean of the gaps.
    mce : The largest gap.

    Notes
    -----
    <<not_proper>>

    Rare regions count as much as dense ones, so the value is noisy where bins hold few rows. Time
    is O(n log n) and memory O(n).

    References
    ----------
    .. [1] L. Neumann, A. Zisserman, A. Vedaldi, "Relaxed Softmax: Efficient Confidence
       Auto-Calibration for Safe Pedestrian Detection", NeurIPS Workshop 2018,
       https://openreview.net/forum?id=S1lG7aTnqQ.

    Examples
    --------
    >>> from sklearn_calib.metrics import average_calibration_error
    >>> round(average_calibration_error([0, 0, 0, 1], [0.05, 0.05, 0.05, 0.85], n_bins=10), 4)
    0.1
    """
    return evaluate(average_calibration_error, locals())
