"""Spiegelhalter's z: whether the Brier score is what the predictions promise."""

from dataclasses import dataclass

import numpy as np

from ..._data.sums import Mergeable, Sums, add_up, joined
from ..._data.targets import ONE_EVENT, reduce_target, resolve_target
from ..._utils.docs import fill_doc
from ...metrics._metric import Prepared
from .limits import standard_normal
from .one_event import ratio, relative_weights
from .statistic import statistic


def resolve_brier_target(target, n_classes):
    """Return the name of the target of a Brier score."""
    return resolve_target(
        target, n_classes, multiclass="canonical", allowed=(*ONE_EVENT, "canonical")
    )


def brier_terms(reduction, target):
    r"""Return half of what each outcome adds to the expected Brier score, and its variance.

    A row whose outcome has the probability :math:`p_Y` differs from its expected Brier score by
    :math:`2 (\sum_k p_k^2 - p_Y)`, whose variance is :math:`4 (\sum_k p_k^3 - (\sum_k p_k^2)^2)`.
    With two classes these are :math:`2 (y - p)(1 - 2p)` and :math:`4 (1 - 2p)^2 p (1 - p)`.
    Outcomes, one per column, are the classes with "canonical", and else no event and an event.
    """
    p = reduction.proba
    if target == "canonical":
        square = (p**2).sum(axis=1)
        gain = square[:, np.newaxis] - p
        variance = (p**3).sum(axis=1) - square**2
    else:
        gain = np.hstack([p * (2.0 * p - 1.0), (1.0 - p) * (1.0 - 2.0 * p)])
        variance = ((1.0 - 2.0 * p) ** 2 * p * (1.0 - p))[:, 0]
    return gain, np.maximum(variance, 0.0)


def outcomes(codes, reduction, target):
    """Return the column of `brier_terms` that happened, for columns of label codes."""
    columns = codes.reshape(codes.shape[0], -1)
    return (columns if target == "canonical" else columns == reduction.event).astype(np.intp)


class BrierDeviation(Prepared):
    """The standardised difference between the Brier score and its expectation."""

    def __init__(self, predictions, target):
        self.target = resolve_brier_target(target, predictions.n_classes)
        (self.reduction,) = reduce_target(predictions.proba, self.target)
        self.gain, variance = brier_terms(self.reduction, self.target)
        self.weight = relative_weights(predictions)
        self.spread = np.sqrt(self.weight**2 @ variance)

    def __call__(self, codes):
        columns = codes.reshape(codes.shape[0], -1)
        if self.target == "canonical":
            happened = outcomes(columns, self.reduction, self.target)
            total = self.weight @ np.take_along_axis(self.gain, happened, axis=1)
        else:  # residuals of certain rows are zero without rounding
            slope = 1.0 - 2.0 * self.reduction.proba[:, 0]
            total = (self.weight * slope) @ self.reduction.residuals(columns)[:, 0]
        return ratio(total, self.spread)


@dataclass(frozen=True)
class BrierSums(Sums):
    """The sums of `BrierDeviation`: of the weighted gains and of their variances.

    Attributes
    ----------
    target : str
        "binary", "confidence" or "canonical".
    """

    target: str

    @property
    def size(self) -> int:
        """Number of sums."""
        return 2

    def of_batch(self, predictions):
        """Return the totals of a batch of `Predictions`."""
        (reduction,) = reduce_target(predictions.proba, self.target)
        gain, variance = brier_terms(reduction, self.target)
        happened = outcomes(predictions.codes, reduction, self.target)
        gain = np.take_along_axis(gain, happened, axis=1)[:, 0]
        weight = np.ones(gain.size) if predictions.weight is None else predictions.weight
        return joined([add_up(weight * gain), add_up(weight**2 * variance)])


def _mergeable(n_classes, *, target):
    return Mergeable(BrierSums(resolve_brier_target(target, n_classes)), _of_totals)


def _of_totals(totals):
    total, variance = totals.values
    return float(ratio(total, np.sqrt(variance)))


@statistic(
    "spiegelhalter",
    label="Spiegelhalter z",
    meaning="is the Brier score what the predictions promise? Positive: they are too extreme",
    alternative="two-sided",
    reference=lambda prepared, codes: standard_normal(),
    mergeable=_mergeable,
)
@fill_doc()
def prepare_spiegelhalter(predictions, *, target="auto"):
    """Prepare Spiegelhalter's z.

    <<parameters_predictions>>
    target : {"auto", "binary", "confidence", "canonical"}, default="auto"
        Which Brier score: of two classes, of the largest probability, or of all classes.
        "auto" is "binary" for two classes and "canonical" for more.

    References
    ----------
    .. [1] D. J. Spiegelhalter, "Probabilistic prediction in patient management and clinical
       trials", Statistics in Medicine 5 (1986), doi:10.1002/sim.4780050506.
    """
    return BrierDeviation(predictions, target)
