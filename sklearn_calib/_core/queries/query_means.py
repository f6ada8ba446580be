"""Query form: kernel-weighted means around query points."""

from typing import NamedTuple

import numpy as np

from ..distances import shorten_gaps, two_axes
from ..gate import call, load_jax, pad, size_bucket, tile_size
from ..matches import merge_codes, nearest_cells, tile_ranges
from .far_queries import far_log_weights

_PORTION = 1 << 25
# A query point whose nearest row is farther than the root of this, in bandwidths, is a far one:
# differences of squared distances are then what counts, and they lose digits.
_FAR = 1e6
# Ratios of weights whose logarithm is less than this keep all digits, and so do their squares.
_NO_LOSS = 200.0


class LocalMeans(NamedTuple):
    """Kernel-weighted means around m query points.

    Attributes
    ----------
    mean : ndarray of shape (m, n_columns)
        `sum_i w_iq v_ic / sum_i w_iq`.
    variance : ndarray of shape (m, n_variances) or None
        `sum_i w_iq^2 u_ic / (sum_i w_iq)^2`.
    effective_size : ndarray of shape (m,)
        `(sum_i w_iq)^2 / sum_i w_iq^2`; zero where no row agrees with the query point in all
        columns of exact match.
    log_largest_weight : ndarray of shape (m,)
        Logarithm of the largest weight of each query point.
    log_total : ndarray of shape (m,)
        Logarithm of `sum_i w_iq`.
    """

    mean: np.ndarray
    variance: np.ndarray | None
    effective_size: np.ndarray
    log_largest_weight: np.ndarray
    log_total: np.ndarray


def local_means(
    points,
    queries,
    columns,
    *,
    bandwidth,
    codes=None,
    query_codes=None,
    similarity=None,
    variances=None,
    weights=None,
    leave_one_out=False,
    of_points=False,
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
    codes : ndarray of int of shape (n, n_codes), default=None
        Categories of the points: a weight is multiplied by `similarity` for each column in which
        the point and the query differ.
    query_codes : ndarray of int of shape (m, n_codes), default=None
        Categories of the query points.
    similarity : float or ndarray of shape (n_codes,), default=None
        Kernel between different codes, in [0, 1). Around a query that no row equals in all columns
        of similarity zero, the rows that differ in the fewest of them are averaged.
    variances : ndarray of shape (n,) or (n, n_variances), default=None
        Variances of the rows, for the variance of the means.
    weights : ndarray of shape (n,), default=None
        Row weights; all one by default.
    leave_one_out : bool, default=False
        Give point q weight zero at query q; the queries must be the points.
    of_points : bool, default=False
        Whether each query point is one of the points, of positive weight. Then the largest weight
        need not be looked for first, which saves a third of the time for few columns.

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
    points, queries, columns = two_axes(points), two_axes(queries), two_axes(columns)
    n, m = len(points), len(queries)
    with np.errstate(divide="ignore"):
        log_weights = np.zeros(n) if weights is None else np.log(weights)
    no_variance = variances is None
    u = np.empty((n, 0)) if no_variance else two_axes(variances)
    bandwidth = np.broadcast_to(np.asarray(bandwidth, dtype=np.float64), points.shape[1])
    if codes is None:
        codes, query_codes = np.zeros((n, 0), dtype=np.intp), np.zeros((m, 0), dtype=np.intp)
    similarity = np.broadcast_to(np.asarray(similarity, np.float64), codes.shape[1])
    tiles = _QueryTiles(points, queries, bandwidth, (codes, query_codes), similarity, log_weights)
    step = max(1, _PORTION // tiles.n_rows)
    # Own weights below this share of the largest one could vanish beside it.
    of_points = of_points and not leave_one_out and np.ptp(log_weights) < _NO_LOSS
    mean = np.empty((m, columns.shape[1]))
    for start in range(0, columns.shape[1], step):
        part = columns[:, start : start + step]
        portion, *others = tiles(part, u, leave_one_out=leave_one_out, of_points=of_points)
        mean[:, start : start + step] = portion
    variance, effective_size, log_largest, log_total = others
    means = LocalMeans(
        mean, None if no_variance else variance, effective_size, log_largest, log_total
    )
    with np.errstate(invalid="ignore"):
        near = log_largest - log_weights.max() > -_FAR
    for q in np.flatnonzero(~near):
        counted = log_weights.copy()
        if leave_one_out:
            counted[q] = -np.inf
        own, is_limit = nearest_cells(codes, query_codes[q], similarity, counted > -np.inf)
        logs, largest = far_log_weights(points, queries[q], bandwidth, counted + own)
        w = np.exp(logs)
        total = w.sum()
        mean[q] = w @ columns / total
        means.log_largest_weight[q] = -np.inf if is_limit else largest
        means.log_total[q] = -np.inf if is_limit else largest + np.log(total)
        means.effective_size[q] = 0.0 if is_limit else total**2 / (w @ w)
        if means.variance is not None:
            means.variance[q] = w**2 @ u / total**2
    return means


class _QueryTiles:
    """Points and query points in tiles, in the order of their cells, ready for any columns."""

    def __init__(self, points, queries, bandwidth, codes, similarity, log_weights):
        n, self._m = len(points), len(queries)
        self.n_rows, n_queries = size_bucket(n), size_bucket(self._m)
        self._tile = tile_size(self.n_rows, largest=512)
        self._query_tile = tile_size(n_queries, largest=512)
        bandwidth, (points, queries) = shorten_gaps(bandwidth, points, queries)
        together = merge_codes(n + self._m, np.concatenate(codes), similarity)
        all_codes, log_similarity = together.tile_codes()
        n_tiles = n_queries // self._query_tile
        first = np.zeros(n_tiles, dtype=np.int32)
        stop = np.full(n_tiles, self.n_rows // self._tile, dtype=np.int32)
        self._order = query_order = self._place = None
        if together.n_cells > 1:
            cells, query_cells = together.cells[:n], together.cells[n:]
            self._order = np.argsort(cells, kind="stable")
            query_order = np.argsort(query_cells, kind="stable")
            self._place = np.argsort(query_order)
            ranges = tile_ranges(
                cells[self._order], query_cells[query_order], self._tile, self._query_tile
            )
            for whole, part in zip((first, stop), ranges):
                whole[: len(part)] = part
        log_padded = np.full(self.n_rows, -np.inf)
        log_padded[:n] = log_weights if self._order is None else log_weights[self._order]
        self._fixed = (
            pad(points, self.n_rows, order=self._order).T.copy(),
            pad(queries, n_queries, order=query_order).T.copy(),
            1.0 / bandwidth,
            pad(all_codes[:n], self.n_rows, order=self._order).T.astype(np.int32),
            pad(all_codes[n:], n_queries, order=query_order).T.astype(np.int32),
            log_similarity,
            first,
            stop,
            log_padded,
        )

    def __call__(self, columns, variances, **options):
        """Return means, variances, effective sizes and logarithms, without padding."""
        from .weighted_means import weighted_means

        padded = [
            pad(
                part, self.n_rows, order=self._order, columns=size_bucket(part.shape[1], smallest=1)
            )
            for part in (columns, variances)
        ]
        mean, variance, *others = (
            part[: self._m].copy() if self._place is None else part[self._place]
            for part in call(
                weighted_means,
                *self._fixed,
                *padded,
                tile=self._tile,
                query_tile=self._query_tile,
                **options,
            )
        )
        return mean[:, : columns.shape[1]], variance[:, : variances.shape[1]], *others
