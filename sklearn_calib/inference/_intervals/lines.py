"""Intervals of calibration slope, intercept and the ratio of observed to expected events."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from ..._data.arrays import scale_of
from ...metrics._line.calibration_slope import CalibrationSlope
from .construction import Construction
from .inversion import end_of_interval
from .line_likelihood import LineLikelihood

# Differences of sums below this part of them are rounding.
_ROUNDING = 1e-13


class ProfileLikelihood(Construction):
    """Slopes, or intercepts at slope one, whose likelihood ratio to the best line is not too large.

    The deviance is multiplied by the ratio of the variance that the model promises to the sandwich
    variance, at most one without weights, so that the interval holds where the true curve is no
    logistic line, and with weights. Without any event, or if all happened, the finite end of the
    intercept is the one at which this has the probability of the level.
    """

    method = "likelihood"

    def __init__(self, error, predictions, rng, n_draws, say):
        self.fitted = LineLikelihood(
            error.line, error.events(predictions.codes), predictions.weight
        )
        self.parameter = "slope" if isinstance(error, CalibrationSlope) else "intercept"
        self.estimate = self.corrected = float(error(predictions.codes)[0])
        if np.isnan(self.estimate):
            raise ValueError(
                "The logistic line is not determined by these rows (one class only, or equal "
                "predictions), so there is no interval of it. Add rows."
            )
        self.factor = self._factor()

    def _factor(self):
        """Return the promised variance of the estimate over its sandwich variance."""
        promised = sandwich = np.nan
        if self.parameter == "intercept":
            promised = self.fitted.intercept_variance(robust=False)
            sandwich = self.fitted.intercept_variance(robust=True)
        elif self.fitted.determined:
            promised = self.fitted.covariance(robust=False)[1, 1]
            sandwich = self.fitted.covariance(robust=True)[1, 1]
        weight = self.fitted.weight
        if not sandwich > 0.0:
            scale = scale_of(weight)
            weight = weight / scale
            return float(weight.sum() / (weight @ weight) / scale)
        ratio = float(promised / sandwich)
        if weight.min() < weight.max():
            return ratio
        # Equal weights are no weights, in units of their size.
        return min(1.0, ratio * weight[0]) / weight[0]

    def lower(self, alpha):
        return self._end(-1.0, alpha)

    def upper(self, alpha):
        return self._end(1.0, alpha)

    def _end(self, side, alpha):
        quantile = -float(ndtri(alpha))
        if self.parameter == "intercept" and np.isinf(self.estimate):
            # Twice the loss is that of the probability that no event happens, or that all do.
            quantile = float(np.sqrt(-2.0 * np.log(alpha)))
        return self.fitted.end(self.parameter, side, quantile, factor=self.factor)


class RatioOfEvents(Construction):
    """Ratios r for which the events minus r times their expectation are not too far from zero.

    The variance is that of events with r times their probabilities, or the squared residuals from
    these if they are larger. No ratio is larger than that of rows whose events all happen.
    """

    method = "score"

    def __init__(self, error, predictions, rng, n_draws, say):
        self.estimate = self.corrected = float(error(predictions.codes)[0])
        if error.expected == 0.0:
            raise ValueError(
                "No event is expected (all probabilities are 0), so the ratio has no interval."
            )
        self.happened = error.events(predictions.codes)[:, 0].astype(float)
        self.share = error.share / error.share.sum()
        self.observed = float(self.share @ self.happened)
        # A ratio of one has this mean rate of events.
        self.expected = float(self.share @ error.proba)
        self.shape = error.proba / self.expected

    def distance(self, mean_rate):
        """Return how many standard errors the events are from a mean rate."""
        expected = mean_rate * self.shape
        rate = np.clip(expected, 0.0, 1.0)
        squares = self.share**2
        variance = max(squares @ (rate * (1.0 - rate)), squares @ (self.happened - expected) ** 2)
        difference = abs(self.share @ (self.happened - expected))
        if difference <= _ROUNDING * (self.observed + mean_rate):
            return 0.0
        return difference / np.sqrt(variance) if variance > 0.0 else np.inf

    def lower(self, alpha):
        quantile = -float(ndtri(alpha))
        if self.distance(0.0) < quantile:
            return 0.0
        end = end_of_interval(self.distance, self.observed, -1.0, quantile, self.observed)
        return min(self.estimate, end / self.expected)

    def upper(self, alpha):
        quantile = -float(ndtri(alpha))
        end = end_of_interval(self.distance, self.observed, 1.0, quantile, self.observed)
        return max(self.estimate, min(end, 1.0) / self.expected)
