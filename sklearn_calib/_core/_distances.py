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
        The median, or 1.0 if no two rows differ. Differences are taken before anything else, so
        that equal rows are at distance exactly zero and a common offset is harmless.
    """
    values = two_axes(values)
    if len(values) > max_samples:
        rng = np.random.default_rng(seed)
        values = values[rng.choice(len(values), size=max_samples, replace=False)]
    distances = pdist(values, "cityblock" if values.shape[1] == 1 else "euclidean")
    n_zero = len(distances) - np.count_nonzero(distances)
    n_left = len(distances) - n_zero
    if n_left == 0:
        return 1.0
    middle = n_zero + n_left // 2
    distances.partition(middle)
    upper = distances[middle]
    lower = distances[:middle].max() if n_left % 2 == 0 else upper
    return float(0.5 * (lower + upper))
