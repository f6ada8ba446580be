"""A statistic of one event: the positive class, or that the largest probability is right."""

import numpy as np

from ..._data.targets import reduce_target, resolve_event
from ..._utils.docs import fill_doc
from ...metrics._metric import Prepared


def relative_weights(predictions):
    """Return the weights over the largest one, or ones; only their ratios matter."""
    weight = predictions.weight
    return np.ones(predictions.n_samples) if weight is None else weight / weight.max()


class OneEvent(Prepared):
    """A statistic that sees one event per row and the probability given to it.

    Parameters
    ----------
    predictions : Predictions
        Validated data.
    target : {"auto", "binary", "confidence"}
        The event: the positive class, or that the class with the largest probability occurs.
        "auto" is "binary" for two classes and "confidence" for more.

    Attributes
    ----------
    p : ndarray of shape (n_samples,)
        The probability of the event.
    variance : ndarray of shape (n_samples,)
        That of its indicator, ``p (1 - p)``.
    weight : ndarray of shape (n_samples,)
        Weights; equal ones are 1, whatever their size.
    weighted : bool
        Whether the weights differ.
    """

    def __init__(self, predictions, target):
        self.target = resolve_event(target, predictions.n_classes)
        (self.reduction,) = reduce_target(predictions.proba, self.target)
        self.p = self.reduction.proba[:, 0]
        self.variance = self.p * (1.0 - self.p)
        self.weight = relative_weights(predictions)
        self.weighted = bool((self.weight != 1.0).any())

    @fill_doc()
    def events(self, codes):
        """Return whether the event happens.

        <<parameters_codes>>

        Returns
        -------
        events : ndarray of shape (n_samples, n_draws)
        """
        return self.reduction.happened(codes)[:, 0]

    @fill_doc()
    def residuals(self, codes):
        """Return the indicators of the event minus its probability, times the weights.

        <<parameters_codes>>

        Returns
        -------
        residuals : ndarray of shape (n_samples, n_draws)
        """
        residuals = self.events(codes) - self.p[:, np.newaxis]
        return residuals * self.weight[:, np.newaxis] if self.weighted else residuals


def ratio(value, divisor):
    """Return ``value / divisor``; by zero it is zero for a zero, and infinite for the rest."""
    certain = np.where(value == 0.0, 0.0, np.copysign(np.inf, value))
    return np.divide(value, divisor, out=certain, where=divisor > 0.0)
