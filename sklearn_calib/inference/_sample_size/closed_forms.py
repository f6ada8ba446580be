"""The rows that intervals of the slope, the intercept and the ratio of events need, by formula.

The intervals are those of `calibration_ci`, with sums over the rows replaced by their expectations.
"""

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit, ndtri

from ...metrics._line.logistic_line import finite_logit

# No study sees an event of a smaller probability.
_RAREST = 1e-100


def rows_for_slope(p, true, width, confidence_level):
    """Return the rows for an interval of the calibration slope.

    `p` and `true` are the predicted and true probabilities of the event, and `width` is the upper
    minus the lower end.
    """
    x, _ = finite_logit(p)
    if np.ptp(x) == 0.0:
        raise ValueError(
            "All probabilities in y_proba are equal, so there is no calibration slope. Use "
            "metric='calibration_intercept' or 'observed_expected_ratio'."
        )
    intercept, slope = _fit_line(x, true)
    eta = intercept + slope * x
    v = _variance(eta)
    # Around this mean the slope does not depend on the intercept.
    u = x - (v @ x) / v.sum()
    return _rows_for_estimate(eta, true, u, width, confidence_level)


def rows_for_intercept(p, true, width, confidence_level):
    """Return the rows for an interval of the calibration intercept, as `rows_for_slope`."""
    x, _ = finite_logit(p)
    rate = true.mean()
    if rate in (0.0, 1.0):
        return np.inf
    far = 1.0 + np.abs(x).max() + abs(np.log(rate) - np.log1p(-rate))
    intercept = brentq(lambda a: expit(a + x).mean() - rate, -far, far)
    return _rows_for_estimate(intercept + x, true, 1.0, width, confidence_level)


def rows_for_ratio(p, true, width, confidence_level):
    """Return the rows for an interval of observed over expected events, as `rows_for_slope`."""
    rate, expected = true.mean(), p.mean()
    if min(rate, expected) < _RAREST:
        return np.inf
    z, ratio = ndtri(0.5 + 0.5 * confidence_level), rate / expected
    spread = _EventVariance(p, true)
    # The interval goes from ratio - below to ratio + width - below, within these limits.
    least, most = max(0.0, width - (1.0 / expected - ratio)), min(width, ratio)
    if least > most:
        return 0.0

    def excess(below):
        """Return whether the lower end needs more rows than the upper one (above 0), or fewer."""
        above = width - below
        return spread(ratio - below) * above**2 - spread(ratio + above) * below**2

    # The order matters if all predictions are 0 or 1, and right: the estimate is the upper end.
    if excess(most) >= 0.0:
        below = most
    elif excess(least) <= 0.0:
        below = least
    else:
        below = brentq(excess, least, most)
    # Fewer rows do not move an end that is at its limit, so the other one decides.
    distances = [distance for distance in (-below, width - below) if distance != 0.0]
    return min(spread(ratio + d) / (d * expected / z) ** 2 for d in distances)


CLOSED_FORMS = {
    "calibration_slope": rows_for_slope,
    "calibration_intercept": rows_for_intercept,
    "observed_expected_ratio": rows_for_ratio,
}


class _EventVariance:
    """The variance per row by which `calibration_ci` judges a ratio r, where sums are as expected.

    That of events with r times their probabilities, or the mean squared residual from these if it
    is larger.
    """

    def __init__(self, p, true):
        self.p = np.sort(p)
        # Sums over the smallest probabilities.
        self.first = np.append(0.0, np.cumsum(self.p)) / p.size
        self.second = np.append(0.0, np.cumsum(self.p**2)) / p.size
        self.rate, self.product = true.mean(), (true * p).mean()

    def __call__(self, ratio):
        """Return the variance at a ratio."""
        # Events that are certain at this ratio have no variance.
        n = self.p.size if ratio == 0.0 else np.searchsorted(self.p, 1.0 / ratio)
        expected = ratio * self.first[n] - ratio**2 * self.second[n]
        squared = self.rate - 2.0 * ratio * self.product + ratio**2 * self.second[-1]
        return max(expected, squared)


def _rows_for_estimate(eta, true, u, width, confidence_level):
    """Return the rows for a coefficient of u whose best line has the log-odds eta.

    The variance is the one that the line promises, or the robust one if it is larger.
    """
    off = true - expit(eta)
    information = (_variance(eta) * u**2).mean()
    squared = ((true * (1.0 - true) + off**2) * u**2).mean()
    variance = max(1.0, squared / information) / information
    return variance / _standard_error(width, confidence_level) ** 2


def _standard_error(width, confidence_level):
    """Return the standard error of an estimate whose normal interval has this width."""
    return 0.5 * width / ndtri(0.5 + 0.5 * confidence_level)


def _variance(log_odds):
    """Return p (1 - p)."""
    return expit(log_odds) * expit(-log_odds)


def _fit_line(x, true):
    """Return the logistic line that is closest to true probabilities, by the mean log loss."""

    def loss(line):
        eta = line[0] + line[1] * x
        off = expit(eta) - true
        value = (np.logaddexp(0.0, eta) - true * eta).mean()
        return value, np.array([off.mean(), (off * x).mean()])

    return minimize(loss, (0.0, 1.0), jac=True, method="BFGS", options={"gtol": 1e-9}).x
