"""Intervals of proper scores, which are means of one number a row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import ndtr, ndtri

from ..._data.targets import reduce_target
from .._row_scores import SCORES
from .construction import Construction, ErrorConstruction
from .surprises import Surprises


def terms_of(name, predictions):
    """Return a proper score of each row, or raise if one is infinite."""
    terms = SCORES[name](predictions)
    infinite = np.flatnonzero(np.isinf(terms))
    if infinite.size:
        raise ValueError(
            f"metric={name!r} is infinite, since the probability of the observed label is 0 in "
            f"{infinite.size} row{'s' * (infinite.size > 1)}, first in row {infinite[0]} of "
            "positive weight; there is no interval. Use metric='brier', or a calibrator that keeps "
            "probabilities off 0 and 1."
        )
    return terms


class MeanOfRows(ErrorConstruction):
    r"""Normal bounds of a mean, corrected for skewness by Hall's transformation.

    With mean m, standard deviation s and skewness g of n terms, the studentised mean W has nearly
    normal :math:`W + \frac{g}{3\sqrt n} W^2 + \frac{g^2}{27 n} W^3 + \frac{g}{6\sqrt n}`. There is
    one term a row.
    """

    method = "studentized"

    def __init__(self, terms, weight):
        if terms.size < 2:
            raise ValueError("n too small: an interval of a mean needs at least 2 rows, got 1.")
        self.estimate = self.corrected = float(np.average(terms, weights=weight))
        deviations = terms - self.estimate
        if weight is not None:
            deviations *= weight / weight.mean()
        self.n = terms.size
        self.spread = float(np.sqrt(deviations @ deviations / (self.n - 1)))
        third = deviations**2 @ deviations / self.n
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


class MeanScore(Construction):
    """The interval of a proper score: that of a mean, which contains what surprises alone allow.

    The terms of the rows that are there tell nothing of a label that has hardly come. So the ends
    are at least as far away as the mean scores that follow if surprises, that is the second most
    probable label, came more or less often in all rows, up to the exact limits of their rate
    (`Surprises`). If all predictions are 0 or 1, the log loss may be infinite.
    """

    method = MeanOfRows.method

    def __init__(self, name, predictions):
        weight = predictions.weight
        self.mean = MeanOfRows(terms_of(name, predictions), weight)
        self.estimate = self.corrected = self.mean.estimate
        target = "binary" if predictions.n_classes == 2 else "canonical"
        self.largest = np.inf
        if name == "brier":
            self.largest = 1.0 if predictions.n_classes == 2 else 2.0
        (reduction,) = reduce_target(predictions.proba, target)
        self.surprises = Surprises(reduction, predictions.codes, weight)
        ranked = np.argsort(-predictions.proba, axis=1, kind="stable")
        likely, second = (
            SCORES[name](replace(predictions, codes=ranked[:, place])) for place in (0, 1)
        )
        profile = self.surprises.profile
        more = np.multiply(second - likely, profile, out=np.zeros_like(profile), where=profile > 0)
        self.of_surprises = float(np.average(more, weights=weight))

    def lower(self, alpha):
        return max(0.0, min([self.mean.lower(alpha), *self._of_limits(alpha)]))

    def upper(self, alpha):
        return min(self.largest, max([self.mean.upper(alpha), *self._of_limits(alpha)]))

    def _of_limits(self, alpha):
        """Return the mean scores at the limits of the rate of surprises."""
        changes = [limit - self.surprises.rate for limit in self.surprises.limits(alpha)]
        return [self.estimate + change * self.of_surprises for change in changes if change != 0.0]
