"""Query form by low rank: kernel-weighted means around many query points, approximately."""

import numpy as np

from ..distances import shorten_gaps
from ..matches import merge_codes
from ..ways.low_rank import ProductKernel, pivoted_cholesky

# A factor of this many columns is made; more of them cost as much as they save.
MAX_RANK = 1000
_TOLERANCE = 1e-9


class LowRankMeans:
    """Means of columns with RBF weights around query points, by a factor of the kernel matrix.

    The weights `K` of rows and query points are replaced by `G F'`. Everything below is that of
    these weights, so that means and their variances belong together exactly.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Positions.
    queries : ndarray of shape (m, d)
        Where to average; the same array as `points` for the rows themselves, which halves the cost.
    variances : ndarray of shape (n, n_variances)
        Variances of the rows.
    bandwidth : ndarray of shape (d,)
        Distance divisors.
    codes, query_codes, similarity : ndarray
        Categories, as in `local_means`.
    weights : ndarray of shape (n,) or None
        Row weights.
    max_rank : int, default=MAX_RANK
        Largest number of columns of the factor. It takes ``8 * (n + m) * max_rank`` bytes.
    seed : int, default=0
        Seed of the pivots.

    Attributes
    ----------
    rank : int
        Columns of the factor.
    variance : ndarray of shape (m, n_variances)
        Variances of the means, for independent rows.
    error : ndarray of shape (m,)
        Bound on the standard deviation of the error of a mean, over that of the mean itself, for
        independent rows with these variances. Infinite where nothing is left of the weights.
    """

    def __init__(
        self,
        points,
        queries,
        variances,
        *,
        bandwidth,
        codes,
        query_codes,
        similarity,
        weights,
        max_rank=MAX_RANK,
        seed=0,
    ):
        n = len(points)
        same = points is queries and codes is query_codes
        if not same:
            points, codes = np.vstack([points, queries]), np.vstack([codes, query_codes])
        bandwidth, (points,) = shorten_gaps(bandwidth, points)
        matches = merge_codes(len(points), codes, similarity)
        kernel = ProductKernel((points - points.mean(axis=0)) / bandwidth, matches)
        factor, left = pivoted_cholesky(
            kernel,
            tol=_TOLERANCE,
            max_rank=min(max_rank, len(points)),
            rng=np.random.default_rng(seed),
        )
        self.rank = factor.shape[1]
        weight = np.ones(n) if weights is None else weights / weights.max()
        self._rows = factor[:n] * weight[:, np.newaxis]
        self._queries = factor if same else factor[n:]
        total = self._queries @ self._rows.sum(axis=0)
        squares = np.stack([self._squares(u) for u in variances.T], axis=1)
        # An entry of the kernel matrix is off by at most the root of the product of what is left
        # at its row and at its column (Cauchy and Schwarz).
        missing = (left[:n] * weight**2) @ variances
        left_at_queries = left if same else left[n:]
        usable = (total > 0.0) & (squares > 0.0).all(axis=1)
        self._total = np.where(usable, total, 1.0)
        self.variance = np.maximum(squares, 0.0) / self._total[:, np.newaxis] ** 2
        ratio = left_at_queries[:, np.newaxis] * missing / np.where(squares > 0.0, squares, 1.0)
        self.error = np.where(usable, np.sqrt(ratio.max(axis=1)), np.inf)

    def _squares(self, variance):
        """Return the sums of squared weights times variances of the rows, one a query point."""
        inner = self._rows.T @ (variance[:, np.newaxis] * self._rows)
        return np.einsum("qr,qr->q", self._queries @ inner, self._queries)

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
        sums = self._queries[chosen] @ (self._rows.T @ columns)
        sums /= self._total[chosen, np.newaxis]
        return sums
