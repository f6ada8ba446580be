"""Spiegelhalter's z: whether the Brier score is what the predictions promise."""

import numpy as np

from ..._data.targets import reduce_target, resolve_target
from ..._utils.docs import fill_doc
from ...metrics._metric import Prepared
from .limits import standard_normal
from .one_event import ratio, relative_weights
from .statistic import statistic

_TARGETS = ("auto", "binary", "confidence", "canonical")


class BrierDeviation(Prepared):
    r"""The standardised difference between the Brier score and its expectation.

    A row whose outcome has the probability :math:`p_Y` differs from its expected Brier score by
    :math:`2 (\sum_k p_k^2 - p_Y)`, whose variance is
    :math:`4 (\sum_k p_k^3 - (\sum_k p_k^2)^2)`. With two classes these are
    :math:`2 (y - p)(1 - 2p)` and :math:`4 (1 - 2p)^2 p (1 - p)`.
    """

    def __init__(self, predictions, target):
        self.target = resolve_target(
            target, predictions.n_classes, multiclass="canonical", allowed=_TARGETS
        )
        (self.reduction,) = reduce_target(predictions.proba, self.target)
        p = self.reduction.proba
        if self.target == "canonical":
            square = (p**2).sum(axis=1)
            self.gain = square[:, np.newaxis] - p
            variance = (p**3).sum(axis=1) - square**2
        else:
            p = p[:, 0]
            self.gain = 1.0 - 2.0 * p
            variance = self.gain**2 * p * (1.0 - p)
        self.weight = relative_weights(predictions)
        self.spread = np.sqrt(self.weight**2 @ np.maximum(variance, 0.0))

    def __call__(self, codes):
        columns = codes.reshape(codes.shape[0], -1)
        if self.target == "canonical":
            total = self.weight @ np.take_along_axis(self.gain, columns.astype(np.intp), axis=1)
        else:  # residuals of certain rows are zero without rounding
            total = (self.weight * self.gain) @ self.reduction.residuals(columns)[:, 0]
        return ratio(total, self.spread)


@statistic(
    "spiegelhalter",
    label="Spiegelhalter z",
    meaning="is the Brier score what the predictions promise? Positive: they are too extreme",
    alternative="two-sided",
    reference=lambda prepared, codes: standard_normal(),
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
