"""The miscalibration component of a proper score."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._metric import evaluate, metric
from .corp import Miscalibration


def _effect(score, **_):
    return "root" if score == "brier" else None


@metric(
    prepare=Miscalibration,
    label="miscalibration",
    meaning="what isotonic recalibration of these rows would gain in the proper score",
    effect=_effect,
    multiclass_target="classwise",
    rank=44,
)
@fill_doc()
def miscalibration(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    score: str = "brier",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the miscalibration component of the Brier score or the log loss.

    It is the part called MCB of the CORP decomposition [1]_: the mean score of the probabilities
    minus that of their isotonic recalibration :math:`\hat p` (pool adjacent violators), the
    non-decreasing function of the probabilities that fits the labels best,

    .. math:: \mathrm{MCB} = \bar S(p, y) - \bar S(\hat p, y) .

    Zero means that no non-decreasing map would improve the score on these rows.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<target_score>>
    <<weights_as_copies>>

    Returns
    -------
    miscalibration : float
        At least zero; lower is better. For the Brier score at most one, and its root is on the
        scale of probabilities. The log loss of a probability of 0 for what happened is infinite.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    score_decomposition : All components.

    Notes
    -----
    Miscalibration alone is not a proper score: a constant prediction at the base rate has none. It
    is biased upwards, since the map is fitted on the same rows: for a calibrated model with
    predictions spread evenly over [0, 1] it is about 0.023 (Brier score) at n = 100 and 0.0055 at
    n = 1000. Time is O(n log n) and memory O(n).

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan, "Stable reliability diagrams for
       probabilistic classifiers", PNAS 118 (2021), doi:10.1073/pnas.2016191118.

    Examples
    --------
    >>> from sklearn_calib.metrics import miscalibration
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(miscalibration(y_true, y_proba), 4)
    0.1423
    """
    return evaluate(miscalibration, locals())
