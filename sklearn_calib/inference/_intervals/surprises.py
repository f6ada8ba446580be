"""How often the less likely label came, with exact limits for where that is rare."""

from __future__ import annotations

import numpy as np

from .binomial import gap_pvalue, rate_limits

# Below this variance the number of surprises is not taken for normal.
_FEW = 30.0


class Surprises:
    r"""The rows in which the less likely label of an event came.

    A row surprises if an event of probability below one half happened, or one above did not. Where
    events are taken jointly, it does if its label is not the most probable one. Where surprises are
    rare, their number has a Poisson distribution rather than a normal one, and no resample of rows
    has a surprise if there was none. Its exact limits are the least that is known of an error: the
    odds of a surprise may be off by the same factor in all rows.

    Parameters
    ----------
    reduction : Reduction
        The events of the rows.
    codes : ndarray of shape (n_samples,)
        The labels.
    weight : ndarray of shape (n_samples,) or None
        Positive weights.

    Attributes
    ----------
    profile : ndarray of shape (n_samples,)
        How much the rate of each row changes if their mean changes by one and the odds of all by
        the same factor: its promised variance, in units of the mean.
    direction : ndarray of shape (n_samples, n_events, 1)
        How the mean residuals change in this case.
    count : float
        Number of rows; with weights ``(sum w)**2 / sum w**2``.
    rate, expected : float
        The share of surprises, and the one that the predictions promise.
    """

    def __init__(self, reduction, codes, weight):
        proba = reduction.proba
        weight = np.ones(len(proba)) if weight is None else weight / weight.max()
        happened = reduction.happened(codes)[:, :, 0]
        rows = np.arange(len(proba))
        if proba.shape[1] == 1:
            likely = proba[:, 0] > 0.5
            surprised = happened[:, 0] != likely
            promised = np.minimum(proba[:, 0], 1.0 - proba[:, 0])
            direction = np.where(likely, -1.0, 1.0)[:, np.newaxis]
        else:
            top = proba.argmax(axis=1)
            surprised = ~happened[rows, top]
            promised = 1.0 - proba[rows, top]
            others = np.where((promised > 0.0)[:, np.newaxis], proba, 1.0)
            others[rows, top] = 0.0
            direction = others / others.sum(axis=1, keepdims=True)
            direction[rows, top] = -1.0
        share = weight / weight.sum()
        variance = promised * (1.0 - promised)
        mean = share @ variance
        self.profile = variance / mean if mean > 0.0 else np.ones(len(proba))
        self.direction = (self.profile[:, np.newaxis] * direction)[:, :, np.newaxis]
        self.count = float(1.0 / (share @ share))
        if abs(self.count - len(proba)) < 1e-9 * len(proba):
            self.count = float(len(proba))
        self._limits = {}
        self.rate = min(1.0, float(share @ surprised))
        self.expected = min(1.0, max(0.0, float(share @ promised)))

    @property
    def few(self):
        """Whether surprises, or rows without one, are so few that exact limits are needed."""
        return self.count * self.rate * (1.0 - self.rate) < _FEW

    def limits(self, alpha):
        """Return the exact limits of the rate of surprises."""
        if alpha not in self._limits:
            lowest, highest = rate_limits(self.rate * self.count, self.count, alpha)
            self._limits[alpha] = float(lowest), float(highest)
        return self._limits[alpha]

    def reach(self, alpha):
        """Return how far the true rate may be from the observed one."""
        lowest, highest = self.limits(alpha)
        return max(highest - self.rate, self.rate - lowest)

    def shift(self, alpha):
        """Return how far the true rate may be from the promised one."""
        lowest, highest = self.limits(alpha)
        return max(highest - self.expected, self.expected - lowest)

    def pvalue(self, error, size):
        """Return the p-value of an observed error if the rate is off by at most `size`."""
        return float(min(1.0, gap_pvalue(error, self.count, self.expected, size)))
