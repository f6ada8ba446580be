"""Kernels of plain differences and the median distance, in NumPy."""

import numpy as np
from scipy.spatial.distance import pdist

# Ordinary bandwidths lie between this and one over it, ordinary positions below so many bandwidths.
_SMALLEST, _FARTHEST = 2.0**-500, 2.0**40
# Kernels are zero in double precision from 27 (RBF) and 745 (Laplacian) bandwidths on.
_WIDEST = 2048.0


def two_axes(array):
    """View (n,) as (n, 1) and leave (n, d) as it is, in float64."""
    array = np.asarray(array, dtype=np.float64)
    return array[:, None] if array.ndim == 1 else array


def kernel_of_differences(differences, kernel):
    """Kernel values from differences over the bandwidth, shape (..., d) to (...)."""
    squared = np.einsum("...k,...k->...", differences, differences)
    return np.exp(-squared if kernel == "rbf" else -np.sqrt(squared))


def shorten_gaps(bandwidth, *sets):
    """Make positions that are extreme in bandwidths moderate, without changing any kernel value.

    A coordinate that is ordinary (bandwidth far from the ends of the range of floating-point
    numbers, positions of less than 1e12 bandwidths) stays as it is. Other units than these are
    changed by a power of two. Positions of more bandwidths are replaced by some with bandwidth 1 in
    which wide gaps between neighbours are 2048: farther apart than that, kernels are exactly zero
    anyway.

    Bandwidths have the shape (d,), and positions, in one or several arrays that are compared with
    each other, (n, d). Returned are the bandwidths, and a list of these arrays or new ones.
    """
    sets = list(sets)
    largest = np.max([np.abs(points).max(axis=0) for points in sets], axis=0)
    with np.errstate(over="ignore"):
        moderate = (bandwidth >= _SMALLEST) & (bandwidth <= 1.0 / _SMALLEST)
        close = largest / bandwidth <= _FARTHEST
    if (moderate & close).all():
        return bandwidth, sets
    bandwidth = bandwidth.copy()
    stacked = np.concatenate(sets)
    for k in np.flatnonzero(~close):
        stacked[:, k] = _without_wide_gaps(stacked[:, k], bandwidth[k])
        bandwidth[k] = 1.0
    for k in np.flatnonzero(close & ~moderate):
        bandwidth[k], exponent = np.frexp(bandwidth[k])
        stacked[:, k] = np.ldexp(stacked[:, k], -exponent)
    return bandwidth, np.split(stacked, np.cumsum([len(points) for points in sets])[:-1])


def _without_wide_gaps(positions, bandwidth):
    """Return positions in bandwidths, each stretch between wide gaps moved next to the last one."""
    if bandwidth > 1.0:  # so that no difference overflows
        positions, bandwidth = positions / 2, bandwidth / 2
    order = np.argsort(positions, kind="stable")
    ordered = positions[order]
    with np.errstate(over="ignore"):
        wide = np.concatenate([[True], np.diff(ordered) / bandwidth > _WIDEST])
        start = ordered[wide][np.cumsum(wide) - 1]
        inside = (ordered - start) / bandwidth
    last = inside[np.append(np.flatnonzero(wide)[1:] - 1, len(inside) - 1)]
    offset = np.concatenate([[0.0], np.cumsum(last + _WIDEST)[:-1]])
    shortened = np.empty_like(positions)
    shortened[order] = inside + offset[np.cumsum(wide) - 1]
    return shortened


def rescale(values):
    """Divide by a power of two, so that squared differences neither overflow nor vanish.

    Values of shape (n, d) are finite, and not all equal in every column. The result has a range of
    about one in the widest column, and no digit changes; times ``2.0 ** exponent``, the second
    result, it is the original.
    """
    halves = values.max(axis=0) / 2 - values.min(axis=0) / 2
    exponent = int(max(np.frexp(halves.max())[1], np.frexp(np.abs(values).max())[1] - 1000))
    return np.ldexp(values, -exponent), exponent


def median_distance(values, weight=None, *, max_samples=2000, seed=0):
    """Return the median of the pairwise Euclidean distances that are not zero, or 1.0 without any.

    It can always be divided by. Equal rows are at distance exactly zero, and a common offset is
    harmless. A weight counts as that many copies of the row: a pair of rows has the product of
    their weights, and copies of a row are at distance zero. Only ratios matter, and equal weights
    count as none.

    With more rows than `max_samples`, a random subsample of exactly this many is used. With
    weights, this many rows are drawn with replacement, in proportion to the weights, so the result
    then equals that of the copies up to the sampling only.
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
    median = _plain_median(distances) if weight is None else _pair_median(distances, weight)
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


def _pair_median(distances, weight):
    """Return the median of the distances that are not zero among weighted copies, or None."""
    share = weight / weight.max()
    first, second = np.triu_indices(len(weight), 1)
    pair_weight = share[first] * share[second]
    counted = (distances > 0) & (pair_weight > 0)
    if not counted.any():
        return None
    return weighted_median(distances[counted], pair_weight[counted])


def weighted_median(values, weight):
    """Return the median of values with positive weights: for whole ones, that of the copies.

    It is the middle between the smallest value that half of the weight does not exceed and the
    smallest that more than half does not. Only ratios of the weights matter.
    """
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum((weight / weight.max())[order])
    half = 0.5 * cumulative[-1]
    rounding = 1e-12 * cumulative[-1]
    at_half = np.searchsorted(cumulative, half - rounding)
    beyond = np.searchsorted(cumulative, half + rounding, side="right")
    last = len(order) - 1
    lower, upper = values[order[min(at_half, last)]], values[order[min(beyond, last)]]
    return 0.5 * lower + 0.5 * upper
