"""Query form: kernel-weighted means around query points."""

from typing import NamedTuple

import numpy as np

from .distances import two_axes
from .gate import call, pad, size_bucket, tile_size

_PORTION = 1 << 25
# Distances up to this power of two, in bandwidths, can be squared and added up.
_LARGEST_POWER = 500


class LocalMeans(NamedTuple):
    """Kernel-weighted means around m query points.

    Attributes
    ----------
    mean : ndarray of shape (m, n_columns)
        `sum_i w_iq v_ic / sum_i w_iq`.
    variance : ndarray of shape (m, n_variances) or None
        `sum_i w_iq^2 u_ic / (sum_i w_iq)^2`.
    effective_size : ndarray of shape (m,)
        `(sum_i w_iq)^2 / sum_i w_iq^2`.
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
    """Average columns with RBF weights around each query point.

    The weights are `w_iq = weight_i exp(-d(r_i, q)^2)` with distances over the bandwidth. The
    largest logarithm is subtracted before anything is exponentiated, so that a query far from all
    points gets the limit (its nearest points) and never 0 / 0.

    Parameters
    ----------
    points : ndarray of shape (n,) or (n, d)
        Positions.
    queries : ndarray of shape (m,) or (m, d)
        Where to average.
    columns : ndarray of shape (n,) or (n, n_columns)
        What to average.
    bandwidth : float or ndarray of shape (d,)
        Distance divisor.
    variances : ndarray of shape (n,) or (n, n_variances), default=None
        Variances of the rows, for the variance of the means.
    weights : ndarray of shape (n,), default=None
        Row weights; all one by default.
    leave_one_out : bool, default=False
        Give point q weight zero at query q; the queries must be the points.

    Returns
    -------
    LocalMeans
        The means and what goes with them.

    Notes
    -----
    Time is O(n m (d + n_columns)); memory is that of a tile beyond a copy of the inputs.
    """
    from .weighted_means import weighted_means

    points, queries, columns = two_axes(points), two_axes(queries), two_axes(columns)
    n, m = len(points), len(queries)
    n_rows, n_queries = size_bucket(n), size_bucket(m)
    log_weights = np.full(n_rows, -np.inf)
    with np.errstate(divide="ignore"):
        log_weights[:n] = 0.0 if weights is None else np.log(weights)
    no_variance = variances is None
    u = np.empty((n, 0)) if no_variance else two_axes(variances)
    bandwidth = np.broadcast_to(np.asarray(bandwidth, dtype=np.float64), points.shape[1])
    scale = _safe_scale(points, queries, bandwidth)
    fixed = (
        pad(points / scale, n_rows).T.copy(),
        pad(queries / scale, n_queries).T.copy(),
        1.0 / bandwidth,
        log_weights / scale / scale,
        scale,
    )

    def evaluate(v, u):
        return call(
            weighted_means,
            *fixed,
            pad(v, n_rows, columns=size_bucket(v.shape[1], smallest=1)),
            pad(u, n_rows, columns=size_bucket(u.shape[1], smallest=1)),
            tile=tile_size(n_rows, largest=512),
            query_tile=tile_size(n_queries, largest=512),
            leave_one_out=leave_one_out,
        )

    step = max(1, _PORTION // n_rows)
    mean = np.empty((m, columns.shape[1]))
    for start in range(0, columns.shape[1], step):
        part = columns[:, start : start + step]
        portion, variance, effective_size, log_largest = evaluate(part, u)
        mean[:, start : start + step] = portion[:m, : part.shape[1]]
    return LocalMeans(
        mean,
        None if no_variance else variance[:m, : u.shape[1]],
        effective_size[:m],
        log_largest[:m],
    )


def _safe_scale(points, queries, bandwidth):
    """Return the power of two that positions must be divided by for finite squared distances."""
    largest = np.maximum(np.abs(points).max(axis=0), np.abs(queries).max(axis=0))
    reach = np.log2(np.maximum(largest, np.finfo(np.float64).tiny)) - np.log2(bandwidth)
    return 2.0 ** np.clip(np.ceil(reach.max()) - _LARGEST_POWER, 0.0, 1000.0)
