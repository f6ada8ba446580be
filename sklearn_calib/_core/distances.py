"""Kernels of plain differences and the median distance, in NumPy."""

import numpy as np
from scipy.spatial.distance import pdist


def two_axes(array):
    """View (n,) as (n, 1) and leave (n, d) as it is, in float64."""
    array = np.asarray(array, dtype=np.float64)
    return array[:, None] if array.ndim == 1 else array


def kernel_of_differences(differences, kernel):
    """Kernel values from differences over the bandwidth, shape (..., d) to (...)."""
    squared = np.einsum("...k,...k->...", differences, differences)
    return np.exp(-squared if kernel == "rbf" else -np.sqrt(squared))


def rescale(values):
    """Divide by a power of two, so that squared differences neither overflow nor vanish.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Finite numbers, not all equal in every column.

    Returns
    -------
    values : ndarray of shape (n, d)
        With a range of about one in the widest column; no digit changes.
    exponent : int
        They times ``2.0 ** exponent`` are the original.
    """
    halves = values.max(axis=0) / 2 - values.min(axis=0) / 2
    exponent = int(max(np.frexp(halves.max())[1], np.frexp(np.abs(values).max())[1] - 1000))
    return np.ldexp(values, -exponent), exponent


def median_distance(values, weight=None, *, max_samples=2000, seed=0):
    """Median of the pairwise Euclidean distances that are not zero.

    Parameters
    ----------
    values : ndarray of shape (n,) or (n, d)
        Positions.
    weight : ndarray of shape (n,), default=None
        Positive weights. A weight counts as that many copies of the row: a pair of rows has the
        product of their weights, and copies of a row are at distance zero. Only ratios matter, and
        equal weights count as none.
    max_samples : int, default=2000
        With more rows than this, a random subsample of exactly this many is used. With weights,
        this many rows are drawn with replacement, in proportion to the weights, so the result
        then equals that of the copies up to the sampling only.
    seed : int, default=0
        Seed of the subsample.

    Returns
    -------
    float
        The median, or 1.0 if no two rows differ; always one that numbers can be divided by. Equal
        rows are at distance exactly zero and a common offset is harmless.
    """
    values = two_axes(values)
    if weight is not None and weight.min() == weight.max():
        weight = None
    if len(values) > max_samples:
        values, weight = _subsample(values, weight, max_samples, np.random.default_rng(seed))
    if len(values) < 2:
        return 1.0
    values, exponent = rescale(values)
    distances = pdist(values, "cityblock" if values.shape[1] == 1 else "euclidean")
    median = _plain_median(distances) if weight is None else _weighted_median(distances, weight)
    if median is None:
        return 1.0
    limits = np.finfo(np.float64)
    with np.errstate(over="ignore", under="ignore"):
        return float(np.clip(np.ldexp(median, exponent), limits.tiny, limits.max))


def _subsample(values, weight, size, rng):
    """Draw rows; return them with their weights, which are counts of draws."""
    n = len(values)
    if weight is None:
        return values[rng.choice(n, size=size, replace=False)], None
    share = weight / weight.max()
    drawn = rng.choice(n, size=size, p=share / share.sum())
    rows, counts = np.unique(drawn, return_counts=True)
    return values[rows], counts.astype(np.float64)


def _plain_median(distances):
    """Return the median of the distances that are not zero, or None; they are re-ordered."""
    n_zero = len(distances) - np.count_nonzero(distances)
    n_left = len(distances) - n_zero
    if n_left == 0:
        return None
    middle = n_zero + n_left // 2
    distances.partition(middle)
    upper = distances[middle]
    lower = distances[:middle].max() if n_left % 2 == 0 else upper
    return 0.5 * (lower + upper)


def _weighted_median(distances, weight):
    """Return the median of the distances that are not zero among weighted copies, or None.

    The middle between the smallest distance that half of the weight does not exceed and the
    smallest that more than half does not: for whole weights, the median of the copies.
    """
    share = weight / weight.max()
    first, second = np.triu_indices(len(weight), 1)
    pair_weight = share[first] * share[second]
    counted = (distances > 0) & (pair_weight > 0)
    distances, pair_weight = distances[counted], pair_weight[counted]
    if not distances.size:
        return None
    order = np.argsort(distances, kind="stable")
    cumulative = np.cumsum(pair_weight[order])
    half = 0.5 * cumulative[-1]
    rounding = 1e-12 * cumulative[-1]
    at_half = np.searchsorted(cumulative, half - rounding)
    beyond = np.searchsorted(cumulative, half + rounding, side="right")
    last = len(order) - 1
    lower, upper = distances[order[min(at_half, last)]], distances[order[min(beyond, last)]]
    return 0.5 * (lower + upper)
