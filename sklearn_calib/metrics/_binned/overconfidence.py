"""The error from too much confidence."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.types import Bins, Edges, Label
from .._metric import evaluate, metric
from .one_sided_error import merge_one_sided, prepare_one_sided


@metric(
    prepare=partial(prepare_one_sided, sign=1),
    mergeable=partial(merge_one_sided, sign=1),
    label="overconfidence",
    meaning="mean size of too much confidence over the bins",
    interval="norm",
    rank=92,
)
@fill_doc()
def overconfidence(
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
    r"""Compute the part of the confidence error that is due to too much confidence.

    <<confidence_gap>>

    .. math:: \sum_b s_b \max(\bar c_b - \bar a_b, 0) .

    Zero means that no bin has too much confidence. Together with :func:`underconfidence` it makes
    :func:`ece` with ``target="confidence"``.

    <<confidence_gap_parameters>>

    See Also
    --------
    underconfidence : The other part.
    ece : Both parts together.

    <<confidence_gap_notes>>

    Examples
    --------
    >>> from sklearn_calib.metrics import overconfidence
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(overconfidence(y_true, y_proba, n_bins=5), 4)
    0.1367
    """
    return evaluate(overconfidence, locals())
