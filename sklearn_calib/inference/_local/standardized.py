"""A bias over its standard deviation for a calibrated model."""

import numpy as np

ROUNDING = 1e-12


def standardized(bias, null_std):
    """Return ``abs(bias) / null_std``; a bias over a zero deviation is infinite, no bias zero."""
    size = np.abs(bias)
    certain = np.where(size > ROUNDING, np.inf, 0.0)
    return np.divide(size, null_std, out=certain, where=null_std > 0)
