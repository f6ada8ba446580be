"""The p-value of a statistic among its draws, or under its limiting distribution."""

import numpy as np

from .._utils.options import check_integer, check_real

_TIE = 1e-12


def level_of_tests(confidence_level):
    """Return the largest p-value at which a test rejects beside intervals of this level.

    It is 0.1 for 0.9, from which rounding would take a p-value of exactly 0.1 away.
    """
    return round(1.0 - confidence_level, 12)


def monte_carlo_pvalue(observed, values, *, add_one=True, alternative="greater"):
    """Return the p-value of a statistic among its draws, in (0, 1].

    It is ``(1 + #{T_b >= T}) / (1 + B)``, or without `add_one` ``max(1 / B, #{T_b > T} / B)``.
    "two-sided" is twice the smaller one of the two one-sided p-values, at most one. NaN counts as
    extreme, and draws within 1e-12 of the observed value, relative to the largest value in size,
    are ties.
    """
    if alternative == "two-sided":
        sides = [
            monte_carlo_pvalue(sign * observed, sign * values, add_one=add_one) for sign in (1, -1)
        ]
        return min(1.0, 2.0 * min(sides))
    tolerance = tie_tolerance(np.append(values, observed))
    with np.errstate(invalid="ignore"):
        tie = (values == observed) | (np.abs(values - observed) <= tolerance)
    above = ~tie & ~(values < observed)
    if add_one:
        return float((1 + np.count_nonzero(above | tie)) / (1 + values.size))
    return float(max(1, np.count_nonzero(above)) / values.size)


def mean_of_draws(values):
    """Return the mean of the draws, or the median of those that are numbers if some are infinite.

    A slope, for example, is infinite for draws of labels that the predictions separate.
    """
    if np.isfinite(values).all():
        return float(values.mean())
    return float(range_of_draws(values, 1.0)[0])


def range_of_draws(values, alpha):
    """Return the range of the draws without `alpha / 2` at each side; NaN does not count."""
    values = values[~np.isnan(values)]
    if not values.size:
        return np.nan, np.nan
    tails = [alpha / 2, 1 - alpha / 2]
    if np.isfinite(values).all():
        low, high = np.quantile(values, tails)
    else:  # between infinite values there is nothing to interpolate
        low, high = np.quantile(values, tails, method="inverted_cdf")
    return float(low), float(high)


def tie_tolerance(values):
    """Return the difference up to which two of these values are ties: 1e-12 of the largest one."""
    return _TIE * np.max(np.abs(values), where=np.isfinite(values), initial=0.0)


def asymptotic_pvalue(observed, reference, alternative):
    """Return the p-value of a statistic under its limiting distribution, one of scipy.stats."""
    upper = float(reference.sf(observed))
    if alternative == "greater":
        return upper
    return min(1.0, 2.0 * min(upper, float(reference.cdf(observed))))


def check_draws(n_resamples, alpha):
    """Return the number of draws and the level as numbers, or raise if nothing could be found."""
    alpha = check_real(alpha, "alpha", below=1.0)
    n_resamples = check_integer(n_resamples, "n_resamples", 1)
    fewest = fewest_resamples(alpha)
    if n_resamples < fewest:
        raise ValueError(
            f"n_resamples={n_resamples} is too small for alpha={alpha:g}: no p-value could be that "
            f"small and nothing could be found. Use n_resamples of at least {fewest:.0f}, or a "
            "larger alpha."
        )
    return n_resamples, alpha


def fewest_resamples(alpha):
    """Return the smallest number of draws with which a p-value can be as small as `alpha`."""
    return np.ceil(1.0 / alpha - 1e-9) - 1.0
