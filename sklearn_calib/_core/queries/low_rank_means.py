"""Query form by low rank: kernel-weighted means around many query points, approximately."""

import numpy as np

from ..distances import shorten_gaps
from ..matches import merge_codes
from ..ways.low_rank import ProductKernel, pivoted_cholesky

_TOLERANCE = 1e-9
# Share of the query points at which the low rank need not be good enough: the last of them would
# need as many columns as cost more than exact means there.
_MISSED = 0.01
# Query points of a matrix product, when these are some of all.
_PART = 4096


class LowRankMeans:
    """Means of columns with RBF weights around query points, by a factor of the kernel matrix.

    The weights `K` of rows and query points are replaced by `G F'`, and their sums by those of `K`.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Positions.
    queries : ndarray of shape (m, d)
        Where to average; the same array as `points` for the rows themselves, which halves the cost.
    variances : ndarray of shape (n, n_variances)
        Variances of the rows.
    local : LocalMeans
        Exact means around the same query points, with these variances.
    bandwidth : ndarray of shape (d,)
        Distance divisors.
    codes, query_codes, similarity : ndarray
        Categories, as in `local_means`.
    weights : ndarray of shape (n,) or None
        Row weights.
    wanted : ndarray of bool of shape (m,)
        Query points that matter.
    tol : float
        Error that is small enough.
    ranks : tuple of two int
        Numbers of columns of the factor. It gets more than the first only until the error is small
        enough at 99 of 100 of the query points that matter, and never more than the second. A
        column takes ``8 * (n + m)`` bytes, and ``8 * n`` if the query points are the rows.

    Attributes
    ----------
    rank : int
        Columns of the factor.
    error : ndarray of shape (m,)
        Bound on the standard deviation of the error of a mean, over that of the mean itself, for
        independent rows with these variances. Infinite where the mean has no variance, or nothing
        is left of the weights.
    """

    def __init__(
        self,
        points,
        queries,
        variances,
        local,
        *,
        bandwidth,
        codes,
        query_codes,
        similarity,
        weights,
        wanted,
        tol,
        ranks,
    ):
        n = len(points)
        same = points is queries and codes is query_codes
        if not same:
            points, codes = np.vstack([points, queries]), np.vstack([codes, query_codes])
        bandwidth, (points,) = shorten_gaps(bandwidth, points)
        kernel = ProductKernel(
            (points - points.mean(axis=0)) / bandwidth, merge_codes(len(points), codes, similarity)
        )
        self._weight = None if weights is None else weights / weights.max()
        log_scale = 0.0 if weights is None else np.log(weights.max())
        with np.errstate(under="ignore"):
            total = np.exp(local.log_total - log_scale)
            squares = local.variance * total[:, np.newaxis] ** 2
        usable = (total > 0.0) & (squares > 0.0).all(axis=1)
        self._total = np.where(usable, total, 1.0)[:, np.newaxis]
        inverse = 1.0 / np.where(usable[:, np.newaxis], squares, 1.0)
        shares = variances
        if self._weight is not None:
            shares = self._weight[:, np.newaxis] ** 2 * variances

        def error(left):
            # An entry of the kernel matrix is off by at most the root of the product of what is
            # left at its row and at its column (Cauchy and Schwarz).
            own = left if same else left[n:]
            squared = own * (inverse * (left[:n] @ shares)).max(axis=1)
            return np.where(usable, np.sqrt(squared), np.inf)

        # More columns help nowhere else.
        reachable = wanted & usable
        most_missed = _MISSED * np.count_nonzero(reachable)

        def enough(rank, left):
            if rank < ranks[0]:
                return False
            return np.count_nonzero(error(left)[reachable] > tol) <= most_missed

        factor, left = pivoted_cholesky(
            kernel,
            tol=_TOLERANCE,
            max_rank=min(ranks[1], len(points)),
            rng=np.random.default_rng(0),
            enough=enough,
        )
        self.rank = factor.shape[1]
        self._rows = factor[:n]
        self._queries = factor if same else factor[n:]
        self.error = error(left)

    def mean(self, columns, chosen):
        """Average columns around some of the query points.

        Parameters
        ----------
        columns : ndarray of shape (n, n_columns)
            What to average.
        chosen : ndarray of bool of shape (m,)
            Which query points.

        Returns
        -------
        ndarray of shape (n_chosen, n_columns)
        """
        weighted = columns if self._weight is None else self._weight[:, np.newaxis] * columns
        inner = self._rows.T @ weighted
        if chosen.all():
            sums = self._queries @ inner
        else:
            places = np.flatnonzero(chosen)
            sums = np.empty((len(places), columns.shape[1]))
            for start in range(0, len(places), _PART):
                part = slice(start, start + _PART)
                np.matmul(self._queries[places[part]], inner, out=sums[part])
        sums /= self._total[chosen]
        return sums
