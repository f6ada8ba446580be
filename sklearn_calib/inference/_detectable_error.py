"""The error that a test on the given rows would have found in most samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from ._nulls.simulation import draw_labels
from ._statistics.callables import CallableStatistic

LEVEL = 0.05
POWER = 0.8
# Labels that are drawn for each size that is tried, and how many sizes are tried at most.
_N_DRAWS = 50
_FEWEST_DRAWS = 20
_N_SIZES = 12
# Shifts below this are none, whatever a test of them does.
_SMALLEST = 1e-12
_BATCH_CELLS = 12_000_000
# A stream of its own, so that the draws do not repeat the numbers that made the data.
_STREAM = np.random.SeedSequence(0, spawn_key=(0x7368696674,))


def detectable_error(error, predictions, values, alternative="greater"):
    """Return the uniform shift that a test finds in 80 % of samples at level 5 %.

    Labels are drawn from predictions shifted by several sizes, with the same random numbers for
    each. The power at a size is the share of draws beyond the critical value of the null draws,
    averaged with that of a normal distribution with their mean and standard deviation.

    Parameters
    ----------
    error : Prepared
        Gives the statistic for columns of label codes.
    predictions : Predictions
        The data.
    values : ndarray of shape (n_draws,) or (n_parts, n_draws)
        The statistic, or each part of a smallest p-value, for labels drawn from the predictions.
    alternative : {"greater", "two-sided"}, default="greater"
        Which values of a single statistic are extreme.

    Returns
    -------
    size : float or None
        On the scale of probabilities, see `shift`. None if there are too few draws for a test at
        this level, if no shift is found so often, or if the statistic is a callable, which may be
        slow.
    """
    if isinstance(error, CallableStatistic):
        return None
    test = critical_values(error, values, alternative)
    if test.critical is None:
        return None
    proba = predictions.proba
    n_draws = _BATCH_CELLS // (len(proba) * error.n_columns)
    n_draws = min(_N_DRAWS, max(_FEWEST_DRAWS, n_draws))

    def excess(size):
        """Return the normal quantile of the power minus that of 80 %."""
        codes = draw_labels(np.random.default_rng(_STREAM), shift(proba, size), n_draws)
        edge = 0.5 / n_draws
        power = np.clip(test.power(error(codes)), edge, 1.0 - edge)
        return float(ndtri(power) - ndtri(POWER))

    p = proba[:, 1] if proba.shape[1] == 2 else proba.max(axis=1)
    guess = 2.8 * np.sqrt((p * (1.0 - p)).mean() / p.size)
    return _solve(excess, float(np.clip(guess, 1e-9, 0.4)))


def shift(proba, size):
    """Return true probabilities that are a constant away from the predictions.

    Parameters
    ----------
    proba : ndarray of shape (n_samples, n_classes)
        Predictions.
    size : float
        For two classes, the positive class is more probable than predicted by this number if its
        mean prediction is at most one half, and less probable otherwise. For more classes, the
        class of the largest probability is less probable by this number, and the others are more
        probable in proportion. A probability that would leave [0, 1] is 0 or 1.
    """
    if proba.shape[1] == 2:
        sign = 1.0 if proba[:, 1].mean() <= 0.5 else -1.0
        positive = np.clip(proba[:, 1] + sign * size, 0.0, 1.0)
        return np.column_stack([1.0 - positive, positive])
    top = proba.argmax(axis=1)[:, np.newaxis]
    largest = np.take_along_axis(proba, top, axis=1)
    lowered = np.maximum(largest - size, 0.0)
    others = np.full_like(proba, 1.0 / (proba.shape[1] - 1))
    others = np.divide(proba, 1.0 - largest, out=others, where=largest < 1.0)
    shifted = others * (1.0 - lowered)
    np.put_along_axis(shifted, top, lowered, axis=1)
    return shifted


def critical_values(error, values, alternative="greater", level=LEVEL):
    """Return the test of a statistic, or of the parts of a smallest p-value, at a level.

    Its `critical` is None if there are too few draws; `power` is the power for draws from an
    alternative.

    Parameters
    ----------
    error, values, alternative : object
        As in `detectable_error`.
    level : float, default=0.05
        Level of the test.
    """
    if error.make_test is not None:
        return error.make_test(values, level)
    return _OneTest(values, alternative, level)


class _OneTest:
    """The test of one statistic, with the critical values of its null draws."""

    def __init__(self, values, alternative, level):
        values = np.sort(values[~np.isnan(values)])
        tail = level if alternative == "greater" else level / 2.0
        rank = int(tail * (values.size + 1.0) + 1e-9)
        self.critical: Any = values[-rank] if rank else None
        self.low = values[rank - 1] if rank and alternative == "two-sided" else -np.inf

    def power(self, drawn):
        """Return the power for draws from an alternative."""
        found = np.mean((drawn > self.critical) | (drawn < self.low))
        if not np.isfinite(drawn).all():  # a slope where labels are separated
            return found
        with np.errstate(over="ignore", invalid="ignore"):
            mean, spread = drawn.mean(), drawn.std(ddof=1)
        # A score of predictions that are certain is so large that its square is not finite.
        if not (np.isfinite(self.critical) and np.isfinite(mean) and 0.0 < spread < np.inf):
            return found
        normal = ndtr((mean - self.critical) / spread) + ndtr((self.low - mean) / spread)
        return 0.5 * (found + normal)


def _solve(excess, size):
    """Return the size where a noisy function that grows with it is zero, or None."""
    low = high = None
    for _ in range(_N_SIZES):
        value = excess(size)
        if abs(value) < 0.05:
            return size
        if value < 0.0:
            low = size, value
        else:
            high = size, value
        if high is None:
            if size == 1.0:
                return None
            size = min(1.0, 1.5 * size)
        elif low is None:
            size /= 1.5
        else:
            size = _between(low, high)
            if high[0] - low[0] < 0.02 * high[0]:
                break
    # Far from the first guess the sign has not changed yet, so that nothing has been found.
    if high is None or (low is None and size > _SMALLEST):
        return _solve(excess, size)
    return size


def _between(low, high):
    """Return where the line through two points is zero, not too close to either."""
    (a, at_a), (b, at_b) = low, high
    return a + (b - a) * float(np.clip(at_a / (at_a - at_b), 0.1, 0.9))
