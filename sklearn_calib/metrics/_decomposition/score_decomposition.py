"""Miscalibration, discrimination and uncertainty of a proper score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..._data.predictions import check_predictions
from ..._utils.docs import fill_doc
from ..._utils.results import Result
from ..._utils.types import Label
from .corp import Miscalibration


@dataclass(frozen=True, repr=False, eq=False)
class ScoreDecomposition(Result):
    """Outcome of :func:`score_decomposition`.

    Attributes
    ----------
    score : float
        Mean score of the probabilities; equals
        ``miscalibration - discrimination + uncertainty``.
    miscalibration : float
        What isotonic recalibration gains; zero is ideal.
    discrimination : float
        What the recalibrated probabilities gain over the base rate; more is better.
    uncertainty : float
        Score of the base rate, which no model can change.
    score_name : {"brier", "log_loss"}
        The score.
    target : str
        Which events it scores.
    n_samples : int
        Rows of positive weight.
    recalibrated : ndarray of shape (n_samples, n_events)
        The recalibrated probability of each event, in the order of the rows of positive weight.

    See Also
    --------
    score_decomposition : Makes it.

    Examples
    --------
    >>> from sklearn_calib.metrics import score_decomposition
    >>> parts = score_decomposition([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    >>> parts.recalibrated.ravel()
    array([0. , 0.5, 0.5, 1. ])
    """

    _summary = (
        "score",
        "miscalibration",
        "discrimination",
        "uncertainty",
        "score_name",
        "target",
        "n_samples",
    )

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    score_name: str
    target: str
    n_samples: int
    recalibrated: np.ndarray


@fill_doc()
def score_decomposition(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    score: str = "brier",
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> ScoreDecomposition:
    r"""Decompose a proper score into miscalibration, discrimination and uncertainty.

    With the isotonic recalibration :math:`\hat p` of the probabilities, found by pooling adjacent
    violators, and the base rate r (the CORP decomposition),

    .. math:: \bar S(p) = \underbrace{\bar S(p) - \bar S(\hat p)}_{\text{miscalibration}}
              - \underbrace{\big(\bar S(r) - \bar S(\hat p)\big)}_{\text{discrimination}}
              + \underbrace{\bar S(r)}_{\text{uncertainty}} .

    All three are at least zero. A better score comes from less miscalibration or from more
    discrimination, and only the first can be had by recalibration.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    <<target_score>>
    <<weights_as_copies>>

    Returns
    -------
    decomposition : ScoreDecomposition
        The score, its components and the recalibrated probabilities. The log loss of a probability
        of 0 for what happened is infinite, and so is then its miscalibration; probabilities are
        not moved away from 0 and 1.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    miscalibration : The first component as a metric with a scorer.

    Notes
    -----
    For several classes "classwise" scores every class against the rest and takes the mean over
    the classes: for "brier" this is the Brier score of the whole vector divided by the number of
    classes. There is no such identity for the log loss of the whole vector, since an isotonic map
    needs an order. Miscalibration is biased upwards and discrimination as well, since the map is
    fitted on the same rows. Time is O(n log n) for each event and memory O(n).

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan, "Stable reliability diagrams for
       probabilistic classifiers", PNAS 118 (2021), doi:10.1073/pnas.2016191118.

    Examples
    --------
    >>> from sklearn_calib.metrics import score_decomposition
    >>> parts = score_decomposition([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    >>> [round(x, 3) for x in (parts.score, parts.miscalibration, parts.discrimination)]
    [0.2, 0.075, 0.125]
    >>> parts.uncertainty
    0.25
    """
    predictions = check_predictions(
        y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels
    )
    prepared = Miscalibration(predictions, score=score, target=target)
    total, recalibrated, base = (float(part[0]) for part in prepared.components(predictions.codes))
    return ScoreDecomposition(
        score=total,
        miscalibration=max(total - recalibrated, 0.0),
        discrimination=max(base - recalibrated, 0.0),
        uncertainty=base,
        score_name=score,
        target=prepared.target,
        n_samples=predictions.n_samples,
        recalibrated=np.column_stack(
            [part.recalibrated(predictions.codes) for part in prepared.parts]
        ),
    )
