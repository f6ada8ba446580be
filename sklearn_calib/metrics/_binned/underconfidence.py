"""The error from too little confidence."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.types import Bins, Edges, Label
from .._metric import evaluate, metric
from .confidence_gap import ConfidenceGap


@metric(
    prepare=partial(ConfidenceGap, sign=-1),
    label="underconfidence",
    meaning="mean size of too little confidence over the bins",
    interval="norm",
    rank=93,
)
@fill_doc()
def underconfidence(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    n_bins: Bins = 15,
    bins: Edges | None = None,
    strategy: str = "uniform",
    closed: str = "left",
    by_confidence: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the part of the confidence error that is due to too little confidence.

    With the bins b of the largest probability of each row, their share of the weight :math:`s_b`,
    mean :math:`\bar c_b` (the confidence) and the share of rows :math:`\bar a_b` in which the class
    of the largest probability is right (the accuracy),

    .. math:: \sum_b s_b \max(\bar a_b - \bar c_b, 0) .

    Zero means that no bin has too little confidence. Together with :func:`overconfidence` it makes
    :func:`ece` with ``target="confidence"``.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<n_bins>>
    <<bins>>
    <<strategy>>
    <<closed>>
    by_confidence : bool, default=False
        Whether the gap of each bin is multiplied by its confidence, as in [1]_, so that confident
        errors count more.
    <<weights_as_copies>>

    <<returns_error_up_to_one>>

    See Also
    --------
    overconfidence : The other part.
    ece : Both parts together.

    Notes
    -----
    <<not_proper>>

    Two classes are treated as any number: the largest of the two probabilities is the confidence,
    and ties take the first column. The value is biased upwards: a calibrated model with binary
    predictions spread evenly over [0, 1] has about 0.044 at n = 100 and 0.014 at n = 1000. Time is
    O(n log n) and memory O(n).

    References
    ----------
    .. [1] S. Thulasidasan et al., "On Mixup Training: Improved Calibration and Predictive
       Uncertainty for Deep Neural Networks", NeurIPS 2019, arXiv:1905.11001.

    Examples
    --------
    >>> from sklearn_calib.metrics import underconfidence
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(underconfidence(y_true, y_proba, n_bins=5), 4)
    0.075
    """
    return evaluate(underconfidence, locals())
