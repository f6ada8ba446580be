"""The rows that intervals of the slope, the intercept and the ratio of events need, by formula."""

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit, ndtri

from ...metrics._line.logistic_line import finite_logit


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
    v = _variance(intercept + slope * x)
    i_a, i_ab, i_b = v.mean(), (v * x).mean(), (v * x * x).mean()
    return i_a / (i_a * i_b - i_ab**2) / _standard_error(width, confidence_level) ** 2


def rows_for_intercept(p, true, width, confidence_level):
    """Return the rows for an interval of the calibration intercept, as `rows_for_slope`."""
    x, _ = finite_logit(p)
    rate = true.mean()
    if rate in (0.0, 1.0):
        return np.inf
    far = 1.0 + np.abs(x).max() + abs(np.log(rate) - np.log1p(-rate))
    intercept = brentq(lambda a: expit(a + x).mean() - rate, -far, far)
    return 1.0 / _variance(intercept + x).mean() / _standard_error(width, confidence_level) ** 2


def rows_for_ratio(p, true, width, confidence_level):
    """Return the rows for an interval of observed over expected events, as `rows_for_slope`."""
    rate, expected = true.mean(), p.mean()
    if rate == 0.0 or expected == 0.0:
        return np.inf
    # The interval is the ratio times and divided by the same factor.
    log_factor = np.arcsinh(0.5 * width * expected / rate)
    error = log_factor / ndtri(0.5 + 0.5 * confidence_level)
    return (1.0 - rate) / rate / error**2


CLOSED_FORMS = {
    "calibration_slope": rows_for_slope,
    "calibration_intercept": rows_for_intercept,
    "observed_expected_ratio": rows_for_ratio,
}


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
