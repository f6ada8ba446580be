"""Scaled positions, kernels and the median distance, in plain NumPy."""

import numpy as np


def scaled(points, bandwidth):
    """Centre every coordinate and divide it by its bandwidth; always two axes."""
    points = np.asarray(points, dtype=np.float64)
    points = points.reshape(len(points), -1)
    if len(points) == 0:
        return points
    return (points - points.mean(axis=0)) / np.asarray(bandwidth, dtype=np.float64)


def kernel_values(differences, kernel):
    """Kernel of differences that are already divided by the bandwidth (last axis: coordinates)."""
    squared = np.einsum("...k,...k->...", differences, differences)
    return np.exp(-squared if kernel == "rbf" else -np.sqrt(squared))


def median_distance(values, *, max_samples=2000, seed=0):
    """Median of the pairwise Euclidean distances that are not zero.

    Parameters
    ----------
    values : ndarray of shape (n,) or (n, d)
        Positions.
    max_samples : int, default=2000
        Above this number of rows a subsample of exactly this size is used.
    seed : int, default=0
        Seed of the subsample.

    Returns
    -------
    float
        The median; 1.0 if all rows are equal (or there are fewer than two).
    """
    from scipy.spatial.distance import pdist

    values = np.asarray(values, dtype=np.float64)
    values = values.reshape(len(values), -1)
    if len(values) > max_samples:
        kept = np.random.default_rng(seed).choice(len(values), size=max_samples, replace=False)
        values = values[kept]
    distances = pdist(values)
    distances = distances[distances > 0]
    return float(np.median(distances)) if distances.size else 1.0
