"""Exact intervals for observed rates, and for their gap to the mean prediction."""

import numpy as np
from scipy.stats import beta


def effective_rows(weight_sum, square_sum, rate, residual_variance, null_variance):
    """Return the number of rows of one rate with the precision of the observed rate.

    That is Kish's ``(sum w)^2 / sum w^2`` or more: where predictions differ between the rows of a
    group and the labels follow them, the observed rate varies less than a binomial one. How much
    less is the smaller one of what the predictions promise and what the residuals show: the
    variances of the weighted sum from the residuals around their mean, and for a calibrated model
    relative to that of a binomial with the same mean. Arrays have the shape (n_groups, n_events).
    """
    kish = weight_sum**2 / square_sum
    binomial = rate * (1.0 - rate) * square_sum
    with np.errstate(divide="ignore", invalid="ignore"):
        shown = np.where(residual_variance > 0.0, binomial / residual_variance, 1.0)
    return kish * np.maximum(1.0, np.minimum(shown, null_variance))


def clopper_pearson(rate, size, alpha):
    """Return exact limits for rates of `size` independent rows, maybe no whole number of them."""
    hits = np.clip(rate, 0.0, 1.0) * size
    with np.errstate(invalid="ignore"):
        low = beta.ppf(alpha / 2.0, hits, size - hits + 1.0)
        high = beta.ppf(1.0 - alpha / 2.0, hits + 1.0, size - hits)
    return np.where(rate <= 0.0, 0.0, low), np.where(rate >= 1.0, 1.0, high)


def gap_interval(rate, predicted, size, alpha):
    """Return Clopper-Pearson limits of the observed rate minus the mean prediction."""
    low, high = clopper_pearson(rate, size, alpha)
    return low - predicted, high - predicted
