"""The error from too little confidence."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.types import Bins, Edges, Label
from .._metric import evaluate, metric
from .one_sided_error import merge_one_sided, prepare_one_sided


@metric(
    prepare=partial(prepare_one_sided, sign=-1),
    mergeable=partial(merge_one_sided, sign=-1),
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

    <<confidence_gap>>

    .. math:: \sum_b s_b \max(\bar a_b - \bar c_b, 0) .

    Zero means that no bin has too little confidence. Together with :func:`overconfidence` it makes
    :func:`ece` with ``target="confidence"``.

    <<confidence_gap_parameters>>

    See Also
    --------
    overconfidence : The other part.
    ece : Both parts together.

    <<confidence_gap_notes>>

    Examples
    --------
    >>> from sklearn_calib.metrics import underconfidence
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(underconfidence(y_true, y_proba, n_bins=5), 4)
    0.075
    """
    return evaluate(underconfidence, locals())
