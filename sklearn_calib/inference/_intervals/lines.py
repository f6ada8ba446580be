"""Intervals of calibration slope, intercept and the ratio of observed to expected events."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtri

from ...metrics._line.calibration_slope import CalibrationSlope
from .construction import Construction

_N_STEPS = 30
_FURTHEST = 1e6


class _Inverted(Construction):
    """The values that a test does not reject, found by bisection on either side of the estimate.

    A subclass gives the distance of a value from the estimate in standard errors.
    """

    floor = -np.inf

    def pvalue_at_most(self, size):
        raise NotImplementedError(f"{self.method} intervals are of statistics, not of errors.")

    def distance(self, value):
        """Return how many standard errors the data are from a value."""
        raise NotImplementedError

    def lower(self, alpha):
        return self._end(-1.0, -float(ndtri(alpha)))

    def upper(self, alpha):
        return self._end(1.0, -float(ndtri(alpha)))

    def _end(self, sign, quantile):
        if np.isinf(self.estimate):
            if self.estimate * sign > 0.0:
                return self.estimate
            inner, outer = sign * -_FURTHEST, sign * _FURTHEST
        else:
            inner, step = self.estimate, 0.1
            while self.distance(self._limit(self.estimate + sign * step)) < quantile:
                inner = self.estimate + sign * step
                if self._limit(inner) != inner:
                    return float(self._limit(inner))
                step *= 2.0
                if step > _FURTHEST:
                    return sign * np.inf
            outer = self.estimate + sign * step
        for _ in range(_N_STEPS):
            middle = 0.5 * (inner + outer)
            within = self.distance(self._limit(middle)) < quantile
            inner, outer = (middle, outer) if within else (inner, middle)
        return float(self._limit(outer))

    def _limit(self, value):
        return value


class ProfileLikelihood(_Inverted):
    """Slopes, or intercepts at slope one, whose likelihood ratio to the best line is not too large.

    Parameters
    ----------
    error : CalibrationSlope or CalibrationIntercept
        Prepared.
    predictions : Predictions
        The data.

    The deviance is multiplied by the ratio of the variance that the model promises to the sandwich
    variance, at most one without weights, so that the interval holds where the true curve is no
    logistic line, and with weights.
    """

    method = "likelihood"

    def __init__(self, error, predictions, rng, n_draws, say):
        self.line, self.events = error.line, error.events(predictions.codes)
        self.slope = isinstance(error, CalibrationSlope)
        self.estimate = self.corrected = float(error(predictions.codes)[0])
        if np.isnan(self.estimate):
            raise ValueError(
                "The logistic line is not determined by these rows (one class only, or equal "
                "predictions), so there is no interval of it. Add rows."
            )
        self.rate = self.line.rate(self.events)
        self.best = self._likelihood(self.estimate)
        if self.slope:
            self.best = float(self.line.fit(self.events).log_likelihood[0])
        elif np.isinf(self.estimate):
            self.best = 0.0
        self.factor = self._factor(predictions.weight)

    def _factor(self, weight):
        """Return the promised variance of the estimate over its sandwich variance."""
        w = np.ones(self.events.shape[0]) if weight is None else weight
        if np.isinf(self.estimate):
            return float(w.sum() / (w @ w))
        intercept, slope = self.estimate, 1.0
        if self.slope:
            intercept, slope = self.line.fit_intercept(self.rate, self.estimate)[0], self.estimate
        residuals = w * (self.events[:, 0] - expit(intercept + slope * self.line.x))
        design = np.stack([np.ones_like(residuals), self.line.x])
        design = design if self.slope else design[:1]
        promised = np.linalg.inv(
            self.line.information(intercept, slope)[: len(design), : len(design)]
        )
        sandwich = promised @ (design * residuals**2 @ design.T) @ promised
        if not sandwich[-1, -1] > 0.0:
            return float(w.sum() / (w @ w))
        ratio = float(promised[-1, -1] / sandwich[-1, -1])
        return ratio if weight is not None else min(1.0, ratio)

    def distance(self, value):
        deviance = 2.0 * self.factor * (self.best - self._likelihood(value))
        return np.sqrt(max(deviance, 0.0))

    def _likelihood(self, value):
        if not np.isfinite(value):
            return -np.inf
        if not self.slope:
            return float(self.line.log_likelihood(self.events, value, 1.0)[0])
        intercept = self.line.fit_intercept(self.rate, value)
        return float(self.line.log_likelihood(self.events, intercept, value)[0])


class RatioOfEvents(_Inverted):
    """Ratios r for which the events minus r times their expectation are not too far from zero.

    The variance is that of events with r times their probabilities, or the squared residuals from
    these if they are larger.

    Parameters
    ----------
    error : ObservedExpectedRatio
        Prepared.
    predictions : Predictions
        The data.
    """

    method = "score"

    def __init__(self, error, predictions, rng, n_draws, say):
        self.proba, self.share = error.proba, error.share
        self.happened = error.events(predictions.codes)[:, 0].astype(float)
        self.estimate = self.corrected = float(error(predictions.codes)[0])
        if error.expected == 0.0:
            raise ValueError(
                "No event is expected (all probabilities are 0), so the ratio has no interval."
            )

    def distance(self, value):
        expected = value * self.proba
        rate = np.clip(expected, 0.0, 1.0)
        squares = self.share**2
        variance = max(squares @ (rate * (1.0 - rate)), squares @ (self.happened - expected) ** 2)
        difference = abs(self.share @ (self.happened - expected))
        if variance > 0.0:
            return difference / np.sqrt(variance)
        return np.inf if difference > 0.0 else 0.0

    def _limit(self, value):
        return max(value, 0.0)
