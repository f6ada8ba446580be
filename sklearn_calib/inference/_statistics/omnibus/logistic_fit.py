"""The maximum likelihood fit of a logistic model with few coefficients."""

import numpy as np
from scipy.special import expit

_MAX_STEPS = 50
_TOLERANCE = 1e-8
# A step beyond this on a coefficient is shortened; larger coefficients are called infinite.
_LONGEST = 2.0
_LARGEST = 50.0


def fit_logistic(design, event, weight, start):
    """Return the coefficients of a logistic model, or None if there is no finite fit.

    Parameters
    ----------
    design : ndarray of shape (n_samples, n_columns)
        What multiplies the coefficients.
    event : ndarray of shape (n_samples,)
        Whether the event happened.
    weight : ndarray of shape (n_samples,)
        Weights of the rows.
    start : ndarray of shape (n_columns,)
        Where the Newton steps begin.
    """
    coefficients = np.asarray(start, dtype=np.float64)
    for _ in range(_MAX_STEPS):
        rate = expit(design @ coefficients)
        gradient = design.T @ (weight * (event - rate))
        information = design.T @ ((weight * rate * (1.0 - rate))[:, np.newaxis] * design)
        step = np.linalg.lstsq(information, gradient, rcond=None)[0]
        length = np.abs(step).max()
        coefficients = coefficients + step * min(1.0, _LONGEST / max(length, _LONGEST))
        if not np.isfinite(coefficients).all() or np.abs(coefficients).max() > _LARGEST:
            return None
        if length < _TOLERANCE:
            return coefficients
    return None
