"""Query form: kernel-weighted means around query points."""

from typing import NamedTuple

import numpy as np

from .distances import shorten_gaps, two_axes
from .far_queries import far_log_weights
from .gate import call, load_jax, pad, size_bucket, tile_size

_PORTION = 1 << 25
# A query point whose nearest row is farther than the root of this, in bandwidths, is a far one:
# differences of squared distances are then what counts, and they lose digits.
_FAR = 1e6


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
    Time is O(n m (d + n_columns)); memory is that of a tile beyond a copy of the inputs. Query
    points that are farther than a thousand bandwidths from all rows are computed once more, one by
    one, in a way that keeps the digits of differences between distances.
    """
    load_jax()
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
    near_bandwidth, (near_points, near_queries) = shorten_gaps(bandwidth, points, queries)
    fixed = (
        pad(near_points, n_rows).T.copy(),
        pad(near_queries, n_queries).T.copy(),
        1.0 / near_bandwidth,
        log_weights,
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
    means = LocalMeans(
        mean,
        None if no_variance else variance[:m, : u.shape[1]].copy(),
        effective_size[:m].copy(),
        log_largest[:m].copy(),
    )
    with np.errstate(invalid="ignore"):
        near = log_largest[:m] - log_weights[:n].max() > -_FAR
    for q in np.flatnonzero(~near):
        counted = log_weights[:n].copy()
        if leave_one_out:
            counted[q] = -np.inf
        logs, means.log_largest_weight[q] = far_log_weights(points, queries[q], bandwidth, counted)
        w = np.exp(logs)
        total = w.sum()
        mean[q] = w @ columns / total
        means.effective_size[q] = total**2 / (w @ w)
        if means.variance is not None:
            means.variance[q] = w**2 @ u / total**2
    return means
