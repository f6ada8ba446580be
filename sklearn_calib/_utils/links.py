"""Between probabilities and log-odds."""

import numpy as np
from scipy.special import expit
from scipy.special import logit as _logit

__all__ = ["expit", "lift", "logit", "probability_floor", "softmax"]


def logit(p, eps=2.0**-52):
    """Return the log-odds of probabilities clipped to ``[eps, 1 - eps]``.

    With the default, the machine epsilon, exact 0 and 1 become -36.04 and 36.04.
    """
    return _logit(np.clip(p, eps, 1.0 - eps))


def softmax(logits):
    """Return probabilities from logits along the last axis; that of SciPy takes longer to call."""
    proba = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return proba / proba.sum(axis=-1, keepdims=True)


def probability_floor(p):
    """Return half the smallest distance to 0 or 1, exact hits aside, but at least epsilon."""
    distance = np.minimum(p, 1.0 - p)
    distance = distance[distance > 0.0]
    return float(max(0.5 * distance.min() if distance.size else 0.0, np.finfo(float).eps))


def lift(p, floor):
    """Return probabilities with exact 0 and 1 moved to a distance from them, in the same order.

    A distance d to 0 or 1 stays if it is at least twice the floor and becomes
    ``floor + d ** 2 / (4 * floor)`` otherwise: smooth, strictly increasing and the floor at zero.
    """
    distance = np.minimum(p, 1.0 - p)
    lifted = floor + distance**2 / (4.0 * floor)
    return np.where(distance >= 2.0 * floor, p, np.where(p < 0.5, lifted, 1.0 - lifted))
