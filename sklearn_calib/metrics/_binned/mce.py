"""The maximum calibration error."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.types import Bins, Edges, Label
from .._metric import evaluate, metric
from .bin_table import merge_bins
from .binned_error import BinnedError


@metric(
    prepare=partial(BinnedError, norm="max"),
    mergeable=partial(merge_bins, norm="max"),
    label="MCE",
    meaning="largest gap over the bins",
    interval="gaps",
    shown_in=("report",),
    rank=20,
)
@fill_doc()
def mce(
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
    r"""Compute the maximum calibration error.

    It is the largest gap :math:`\max_b |\bar y_b - \bar p_b|` between observed rate and mean
    probability over the bins that are not empty, that is, :func:`ece` with ``norm="max"``.

    Parameters
    ----------
    <<binned_parameters>>
        The "classwise" error is the maximum over the classes.
    <<weights_as_copies>>

    <<returns_error_up_to_one>>

    See Also
    --------
    ece : The weighted mean of the gaps.
    average_calibration_error : The unweighted mean of the gaps.

    Notes
    -----
    <<not_proper>>

    A bin with a single row can set the value, so use few bins or ``strategy="quantile"``. Time is
    O(n log n) and memory O(n).

    References
    ----------
    .. [1] M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining Well Calibrated Probabilities
       Using Bayesian Binning", AAAI 2015, doi:10.1609/aaai.v29i1.9602.

    Examples
    --------
    >>> from sklearn_calib.metrics import mce
    >>> round(mce([0, 0, 0, 0, 1], [0.1, 0.1, 0.1, 0.1, 0.6], n_bins=2), 4)
    0.4
    """
    return evaluate(mce, locals())
