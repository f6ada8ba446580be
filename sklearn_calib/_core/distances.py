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


def median_distance(values, *, max_samples=2000, seed=0):
    """Median of the pairwise Euclidean distances that are not zero.

    Parameters
    ----------
    values : ndarray of shape (n,) or (n, d)
        Positions.
    max_samples : int, default=2000
        With more rows than this, a random subsample of exactly this many is used.
    seed : int, default=0
        Seed of the subsample.

    Returns
    -------
    float
        The median, or 1.0 if no two rows differ; always one that numbers can be divided by. Equal
        rows are at distance exactly zero and a common offset is harmless.
    """
    values = two_axes(values)
    if len(values) > max_samples:
        rng = np.random.default_rng(seed)
        values = values[rng.choice(len(values), size=max_samples, replace=False)]
    if len(values) < 2:
        return 1.0
    values, exponent = rescale(values)
    distances = pdist(values, "cityblock" if values.shape[1] == 1 else "euclidean")
    n_zero = len(distances) - np.count_nonzero(distances)
    n_left = len(distances) - n_zero
    if n_left == 0:
        return 1.0
    middle = n_zero + n_left // 2
    distances.partition(middle)
    upper = distances[middle]
    lower = distances[:middle].max() if n_left % 2 == 0 else upper
    limits = np.finfo(np.float64)
    with np.errstate(over="ignore", under="ignore"):
        return float(np.clip(np.ldexp(0.5 * (lower + upper), exponent), limits.tiny, limits.max))
