"""Kernel-weighted means around query points, in log space and in tiles."""

from typing import NamedTuple

import numpy as np


class LocalMeans(NamedTuple):
    """Weighted means around query points.

    Attributes
    ----------
    mean : ndarray of shape (m, n_columns)
        `sum w v / sum w`.
    variance : ndarray of shape (m, n_variances) or None
        `sum w^2 u / (sum w)^2`.
    effective_size : ndarray of shape (m,)
        `(sum w)^2 / sum w^2`.
    log_largest_weight : ndarray of shape (m,)
        Logarithm of the largest weight of each query point.
    """

    mean: np.ndarray
    variance: np.ndarray | None
    effective_size: np.ndarray
    log_largest_weight: np.ndarray


def local_means(
    points, queries, columns, *, bandwidth, variances=None, weights=None, leave_one_out=False
):
    """Average columns with RBF weights around each query point."""
    points = np.asarray(points, dtype=np.float64)
    n = len(points)
    points = points.reshape(n, -1)
    queries = np.asarray(queries, dtype=np.float64)
    m = len(queries)
    queries = queries.reshape(m, -1)
    columns = np.asarray(columns, dtype=np.float64).reshape(n, -1)
    centre = points.mean(axis=0)
    points = (points - centre) / bandwidth
    queries = (queries - centre) / bandwidth
    log_weights = 0.0 if weights is None else np.log(weights)
    us = np.empty((n, 0)) if variances is None else np.asarray(variances).reshape(n, -1)
    mean = np.empty((m, columns.shape[1]))
    variance = np.empty((m, us.shape[1]))
    effective = np.empty(m)
    largest = np.empty(m)
    step = max(1, (1 << 20) // n)
    for start in range(0, m, step):
        rows = slice(start, min(m, start + step))
        logs = np.zeros((rows.stop - start, n)) + log_weights
        for k in range(points.shape[1]):
            logs -= (queries[rows, k, None] - points[None, :, k]) ** 2
        if leave_one_out:
            logs[np.arange(rows.stop - start), np.arange(start, rows.stop)] = -np.inf
        largest[rows] = logs.max(axis=1)
        w = np.exp(logs - largest[rows, None])
        total = w.sum(axis=1)
        mean[rows] = w @ columns / total[:, None]
        w *= w
        variance[rows] = w @ us / total[:, None] ** 2
        effective[rows] = total**2 / w.sum(axis=1)
    return LocalMeans(mean, None if variances is None else variance, effective, largest)
