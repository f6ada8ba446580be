"""The likelihood of logistic lines through the log-odds of one event, and what follows from it."""

from functools import cached_property

import numpy as np
from scipy.special import expit

from .inversion import end_of_interval


class LineLikelihood:
    """The fitted line of one set of labels and its likelihood at other lines.

    Parameters
    ----------
    line : LogisticLine
        The model.
    events : ndarray of shape (n_samples, 1)
        Whether the event happened.
    weight : ndarray of shape (n_samples,) or None
        Positive weights.

    Attributes
    ----------
    slope, joint_intercept : float
        The line with the largest likelihood.
    intercept : float
        The intercept with the largest likelihood beside a slope of one.
    best, at_one, ideal : float
        The log-likelihoods of these two, and of intercept zero and slope one.
    determined : bool
        Whether slope and joint intercept are finite.
    """

    def __init__(self, line, events, weight):
        self.line = line
        self.happened = events[:, 0]
        self.weight = np.ones(self.happened.size) if weight is None else weight
        self.rate, self.moment = line.sums(events)
        fit = line.fit(events)
        self.slope, self.joint_intercept = float(fit.slope[0]), float(fit.intercept[0])
        self.best = float(fit.log_likelihood[0])
        self.intercept = float(line.fit_intercept(self.rate)[0])
        self.at_one = self.log_likelihood(self.intercept, 1.0)
        self.ideal = self.log_likelihood(0.0, 1.0)
        self.determined = bool(np.isfinite(self.slope) and np.isfinite(self.joint_intercept))

    def log_likelihood(self, intercept, slope):
        """Return the log-likelihood of one line; that of an infinite intercept is zero."""
        if np.isinf(intercept):
            return 0.0
        return float(self.line.likelihood_of_sums(self.rate, self.moment, intercept, slope)[0])

    def slope_distance(self, slope):
        """Return the root of twice the loss of log-likelihood at a slope."""
        intercept = float(self.line.fit_intercept(self.rate, slope)[0])
        return root(self.best - self.log_likelihood(intercept, slope))

    def intercept_distance(self, intercept):
        """Return the root of twice the loss of log-likelihood at an intercept with slope one."""
        return root(self.at_one - self.log_likelihood(intercept, 1.0))

    def covariance(self, *, robust):
        """Return the covariance of (joint intercept, slope), or None if they are not finite.

        Parameters
        ----------
        robust : bool
            Whether it is the sandwich, which holds where the true curve is no logistic line, and
            with weights that correct for how the rows were sampled.
        """
        if not self.determined:
            return None
        curvature, score = self._curvature_and_score(self.joint_intercept, self.slope)
        # Around their mean the two parameters do not depend on each other.
        mean = curvature @ self.line.x / curvature.sum()
        x = self.line.x - mean
        level, tilt = 1.0 / curvature.sum(), 1.0 / (curvature @ x**2)
        if robust:
            moved = np.stack([score * (level - mean * tilt * x), score * tilt * x])
            return moved @ moved.T
        return np.array([[level + mean**2 * tilt, -mean * tilt], [-mean * tilt, tilt]])

    def intercept_variance(self, *, robust):
        """Return the variance of the intercept beside a slope of one; NaN if it is infinite."""
        if np.isinf(self.intercept):
            return np.nan
        curvature, score = self._curvature_and_score(self.intercept, 1.0)
        variance = 1.0 / curvature.sum()
        moved = score * variance
        return float(moved @ moved if robust else variance)

    def _curvature_and_score(self, intercept, slope):
        """Return what each row adds to the information and to the score of an intercept."""
        eta = intercept + slope * self.line.x
        p, q = expit(eta), expit(-eta)
        return self.weight * p * q, self.weight * np.where(self.happened, q, -p)

    def end(self, parameter, side, quantile, *, factor=1.0):
        """Return one end (`side` is -1 or 1) of the profile likelihood interval of a parameter.

        The "intercept" is that beside a slope of one. `quantile` is the normal quantile of the
        level: the root of twice the loss of log-likelihood, times `factor`, up to which values are
        inside.
        """
        quantile = quantile / np.sqrt(factor)
        estimate, distance = self.intercept, self.intercept_distance
        if parameter == "slope":
            estimate, distance = self.slope, self.slope_distance
        if np.isnan(estimate):
            return side * np.inf
        # A little more than the end of a symmetric interval is quicker than another step.
        step = 1.1 * quantile * self._standard_errors[parameter]
        return end_of_interval(distance, estimate, side, quantile, step)

    @cached_property
    def _standard_errors(self):
        """About how far the parameters may be off."""
        covariance = self.covariance(robust=False)
        return {
            "slope": np.nan if covariance is None else np.sqrt(covariance[1, 1]),
            "intercept": np.sqrt(self.intercept_variance(robust=False)),
        }


def root(loss):
    """Return the root of twice a loss of log-likelihood, which rounding may make negative."""
    return float(np.sqrt(max(2.0 * loss, 0.0)))
