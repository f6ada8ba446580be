"""Intervals of proper scores, which are means of one number a row."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from .construction import Construction


def log_losses(predictions):
    """Return minus the logarithm of the probability of each row's label."""
    own = predictions.proba[np.arange(predictions.n_samples), predictions.codes]
    n_zero = np.count_nonzero(own == 0.0)
    if n_zero:
        row = int(np.flatnonzero(own == 0.0)[0])
        raise ValueError(
            f"metric='log_loss' is infinite, since the probability of the observed label is 0 in "
            f"{n_zero} rows, the first one being row {row} of positive weight; there is no "
            "interval. Use metric='brier', or a calibrator that keeps probabilities off 0 and 1."
        )
    return -np.log(own)


def brier_losses(predictions):
    """Return the squared error of the positive class, or summed over more than two classes."""
    hit = predictions.codes[:, np.newaxis] == np.arange(predictions.n_classes)
    squares = (predictions.proba - hit) ** 2
    return squares[:, 1] if predictions.n_classes == 2 else squares.sum(axis=1)


SCORES = {"log_loss": log_losses, "brier": brier_losses}


class MeanOfRows(Construction):
    r"""Normal bounds of a mean, corrected for skewness by Hall's transformation.

    With mean m, standard deviation s and skewness g of n terms, the studentised mean W has nearly
    normal :math:`W + \frac{g}{3\sqrt n} W^2 + \frac{g^2}{27 n} W^3 + \frac{g}{6\sqrt n}`.

    Parameters
    ----------
    terms : ndarray of shape (n_samples,)
        One number a row.
    weight : ndarray of shape (n_samples,) or None
        Their weights.
    """

    method = "studentized"

    def __init__(self, terms, weight):
        if terms.size < 2:
            raise ValueError("n too small: an interval of a mean needs at least 2 rows, got 1.")
        weight = np.ones(terms.size) if weight is None else weight / weight.mean()
        self.estimate = self.corrected = float(np.average(terms, weights=weight))
        deviations = weight * (terms - self.estimate)
        self.n = terms.size
        self.spread = float(np.sqrt(deviations @ deviations / (self.n - 1)))
        third = np.mean(deviations**3)
        self.skewness = float(third / self.spread**3) if self.spread > 0.0 else 0.0

    def pvalue_at_most(self, size):
        if self.spread == 0.0:
            return float(size >= self.estimate)
        w = (self.estimate - size) / (self.spread / np.sqrt(self.n))
        a = self.skewness / (3.0 * np.sqrt(self.n))
        return float(ndtr(-(w + a * w**2 + (a * w) ** 2 * w / 3.0 + a / 2.0)))

    def lower(self, alpha):
        return self._bound(-ndtri(alpha))

    def upper(self, alpha):
        return self._bound(ndtri(alpha))

    def _bound(self, normal):
        """Return the mean for which the transformed studentised mean is this normal number."""
        a = self.skewness / (3.0 * np.sqrt(self.n))
        w = normal
        if abs(a) > 1e-9:
            w = (np.cbrt(1.0 + 3.0 * a * (normal - a / 2.0)) - 1.0) / a
        return float(self.estimate - w * self.spread / np.sqrt(self.n))
