"""The smallest p-value of several statistics, all evaluated on the same draws."""

from typing import NamedTuple

import numpy as np

from ..._pvalues import tie_tolerance

# Median distances from the median beyond which a value is far away from all draws, and at most.
_REACH = 100.0
_FARTHEST = 1e6


class MinP(NamedTuple):
    """The smallest p-values of the data and of the draws.

    Attributes
    ----------
    statistic : float
        Minus the logarithm (base 10) of the smallest p-value of the data, ties broken.
    values : ndarray of shape (n_draws,)
        The same for each draw.
    pvalues : ndarray of shape (n_parts,)
        The p-value of each part by itself.
    adjusted : ndarray of shape (n_parts,)
        The share of the data and the draws whose smallest p-value is at most that of the part
        (single-step min-p of Westfall and Young). The smallest one is the p-value of the test.
    """

    statistic: float
    values: np.ndarray
    pvalues: np.ndarray
    adjusted: np.ndarray


def smallest_pvalues(observed, values, alternatives, importance=None):
    r"""Put the statistics of several parts together by their smallest p-value.

    If the data follow the null hypothesis, the data and the B draws are exchangeable, so what is
    computed from all of them in the same way, whatever the order, is exchangeable as well. In each
    part the p-value of each of them is its rank r among all, over 1 + B. Ranks are whole numbers,
    and without more the smallest p-value of many draws would be the same :math:`1 / (1 + B)`.
    Within a rank, how far a value lies from the middle of its part therefore breaks ties: :math:`r
    - \frac 1 2 \frac{t}{1 + t} - \frac 1 2 \frac{t}{100 + t}` instead of r, where t is the distance
    from the median in units of the median distance. The last term lets data that are far beyond all
    draws have the smallest possible p-value, whatever the importance of the part. Of two-sided
    parts the p-value is twice that of the side.

    `observed` has one statistic per part, and `values` those of the draws, of shape (n_parts,
    n_draws), in which NaN counts as larger than everything. Each part's p-value is divided by its
    `importance` over the largest one before they are compared, so that parts of small importance
    take less of the level.
    """
    everything = np.column_stack([observed, values])
    everything = np.where(np.isnan(everything), np.inf, everything)
    ranks, fine = zip(*map(_extremeness, everything, alternatives))
    total = everything.shape[1]
    share = np.ones(len(fine)) if importance is None else np.array(importance) / max(importance)
    smooth = np.array(fine) / (total * share[:, np.newaxis])
    smallest = smooth.min(axis=0)
    own = smooth[:, 0]
    return MinP(
        float(-np.log10(smallest[0])),
        -np.log10(smallest[1:]),
        np.array([rank[0] for rank in ranks]) / total,
        np.array([np.count_nonzero(smallest <= one * (1.0 + 1e-12)) for one in own]) / total,
    )


def _extremeness(values, alternative):
    """Return the rank of each value from the extreme end, and the same with broken ties."""
    values = _merge_ties(values)
    finite = values[np.isfinite(values)]
    middle = np.median(finite) if finite.size else 0.0
    distance = np.abs(values - middle)
    spread = np.median(np.abs(finite - middle)) if finite.size else 0.0
    if spread == 0.0:
        spread = finite.std() if finite.size else 0.0
    far = np.where(distance > 0.0, _FARTHEST, 0.0)
    far = np.divide(distance, spread, out=far, where=spread > 0.0)
    far = np.minimum(far, _FARTHEST)
    rank = _rank_from_above(values)
    sides = 1.0
    if alternative == "two-sided":
        sides, rank = 2.0, np.minimum(rank, _rank_from_above(-values))
    else:
        far = np.where(values > middle, far, 0.0)
    fine = rank - 0.5 * (far / (1.0 + far) + far / (_REACH + far))
    return np.minimum(sides * rank, values.size), sides * fine


def _merge_ties(values):
    """Return values in which those that differ by rounding only are equal."""
    order = np.argsort(values)
    ordered = values[order]
    with np.errstate(invalid="ignore"):
        new = np.diff(ordered) > tie_tolerance(values)
    group = np.concatenate([[0], np.cumsum(new)])
    merged = np.empty_like(values)
    merged[order] = ordered[np.concatenate([[True], new])][group]
    return merged


def _rank_from_above(values):
    """Return how many values are at least as large as each, itself counted in."""
    ordered = np.sort(values)
    return (values.size - np.searchsorted(ordered, values, side="left")).astype(np.float64)


class SmallestPvalueTest:
    """The test of the smallest p-value at a level, as a function of the statistics.

    Parameters
    ----------
    values : ndarray of shape (n_parts, n_draws)
        The statistics of the null draws.
    level : float
        The level.
    alternatives, importance : list
        As in `smallest_pvalues`.

    Attributes
    ----------
    critical : float or None
        The largest of the smallest p-values that is rejected; None if there are too few draws.
    """

    def __init__(self, values, level, alternatives, importance):
        self.alternatives = alternatives
        self.importance = [one / max(importance) for one in importance]
        self.sorted = np.sort(np.where(np.isnan(values), np.inf, values), axis=1)
        smallest = np.sort(self._smallest(values))
        rank = int(level * (smallest.size + 1.0) + 1e-9)
        self.critical = smallest[rank - 1] if rank else None

    def _smallest(self, values):
        """Return the smallest p-value among the null draws for columns of statistics."""
        each = []
        for null, value, alternative, importance in zip(
            self.sorted,
            np.where(np.isnan(values), np.inf, values),
            self.alternatives,
            self.importance,
        ):
            share = 1.0 - null.searchsorted(value, side="left") / null.size
            if alternative == "two-sided":
                below = null.searchsorted(value, side="right") / null.size
                share = 2.0 * np.minimum(share, below)
            each.append(share / importance)
        return np.min(each, axis=0)

    def power(self, drawn):
        """Return the power for draws from an alternative."""
        return np.mean(self._smallest(drawn) <= self.critical)
