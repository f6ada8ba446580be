"""Exact binomial tails and limits, for numbers of events that need not be whole."""

import numpy as np
from scipy.special import betainc, betaincinv


def at_least(hits, n, rate):
    """Return the probability of at least so many events, for numbers that need not be whole.

    Where the number of rows is whole, so are the events. An effective number of weighted rows is
    not: there the probabilities of whole numbers are interpolated, and rounding hits up could give
    more events than rows.
    """
    whole = np.abs(n - np.round(n)) <= 1e-9 * n
    hits = np.where(whole, np.ceil(hits * (1.0 - 1e-12) - 1e-9), hits)
    inside = np.clip(hits, 1e-9, n)
    value = betainc(inside, n - inside + 1.0, rate)
    return np.where(hits <= 0.0, 1.0, np.where(hits > n + 1e-9, 0.0, value))


def at_most(hits, n, rate):
    """Return the probability of at most so many events."""
    return np.where(hits < -1e-9, 0.0, at_least(n - hits, n, 1.0 - rate))


def gap_pvalue(gap, n, proba, size):
    """Return the p-value of an observed gap under rates at most `size` away from `proba`.

    The probability of a gap that is smaller on both sides is largest or smallest at an end of this
    range, so only the two ends need to be looked at.
    """
    worst = np.zeros(np.shape(n))
    for truth in (proba + size, proba - size):
        truth = np.clip(truth, 0.0, 1.0)
        above = at_least(n * (proba + gap), n, truth)
        below = at_most(n * (proba - gap), n, truth)
        worst = np.maximum(worst, above + below)
    return worst


def rate_limits(hits, n, alpha):
    """Return the limits of Clopper and Pearson of a rate, each missed at most with `alpha`."""
    misses = np.maximum(n - hits, 0.0)
    highest = np.where(misses > 0, betaincinv(hits + 1.0, np.maximum(misses, 1e-9), 1 - alpha), 1.0)
    lowest = np.where(hits > 0, betaincinv(np.maximum(hits, 1e-9), misses + 1.0, alpha), 0.0)
    return lowest, highest
