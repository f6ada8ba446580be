"""Find the best temperature of a softmax."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from ..._utils.links import softmax

_SMALLEST, _LARGEST = 1e-3, 1e3


def fit_temperature(logits, codes, weight):
    """Return the temperature in [0.001, 1000] with the smallest weighted mean log loss.

    `codes` are the columns of the labels; columns without labels are allowed.
    """
    weight = weight / weight.sum()
    # Differences to the logit of the label, in units that keep the sum below from overflowing.
    margin = logits - np.take_along_axis(logits, codes[:, np.newaxis], axis=1)
    scaled = margin / max(np.abs(margin).max(), 1.0)

    def slope(log_temperature):
        """Return the derivative of the mean loss with respect to 1 / T, up to a factor."""
        proba = softmax(logits / np.exp(log_temperature))
        return np.einsum("i,ik,ik->", weight, proba, scaled)

    lower, upper = np.log(_SMALLEST), np.log(_LARGEST)
    if slope(upper) >= 0.0:
        return _LARGEST
    if slope(lower) <= 0.0:
        return _SMALLEST
    return float(np.exp(brentq(slope, lower, upper, xtol=1e-14, rtol=1e-14)))
