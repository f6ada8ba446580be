"""Low rank: products of RBF kernels at large n, by randomly pivoted Cholesky."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from .way import Way

_BLOCK = 32
_N_PAIRS = 10_000


class LowRankCertificate(NamedTuple):
    """How far a low-rank form is from the exact one.

    Attributes
    ----------
    rank : int
        Columns of the factor F.
    trace : float
        Trace of `K - F F'`. The hard bound: the form of a column v is off by at most
        `trace * sum(v**2)`.
    relative_std : float
        Standard deviation of the error of the form over that of the form itself, when the
        residuals are independent with mean zero (the null hypothesis); estimated from 10,000
        random pairs of points.
    """

    rank: int
    trace: float
    relative_std: float


class ProductKernel:
    """RBF on scaled points times the kernel on categories.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Positions over bandwidths.
    matches : Matches
        Categories of the points.
    """

    def __init__(self, points, matches):
        self.points = points
        self.codes, self.log_similarity = matches.tile_codes()

    def between(self, rows, others):
        """Return the kernel of two choices of rows as a matrix, from plain differences."""
        a, b = self.points[rows], self.points[others]
        logs = np.zeros((len(a), len(b)))
        for k in range(a.shape[1]):
            difference = a[:, k, None] - b[None, :, k]
            difference *= difference
            logs -= difference
        for k, log_similarity in enumerate(self.log_similarity):
            differs = self.codes[rows, k, None] != self.codes[None, others, k]
            logs += np.where(differs, log_similarity, 0.0)
        return np.exp(logs, out=logs)

    def of_pairs(self, i, j):
        """Return the kernel of pairs of rows."""
        differs = self.codes[i] != self.codes[j]
        logs = np.where(differs, self.log_similarity, 0.0).sum(axis=1)
        return np.exp(logs - ((self.points[i] - self.points[j]) ** 2).sum(axis=1))


def pivoted_cholesky(kernel, *, tol, max_rank, rng, enough=None):
    """Factor the matrix of a product kernel by randomly pivoted Cholesky.

    Pivots are drawn in proportion to the diagonal that is still unexplained [1]_, in blocks with
    rejection, which draws from the same distribution and works with matrix products [2]_.

    Parameters
    ----------
    kernel : ProductKernel
        The kernel, one on its diagonal.
    tol : float
        Stop once the unexplained trace is at most `tol * n`.
    max_rank : int
        Stop at this many columns.
    rng : numpy.random.Generator
        Source of the pivots.
    enough : callable, default=None
        Stop when ``enough(rank, left)`` is true.

    Returns
    -------
    factor : ndarray of shape (n, rank)
        F, with `F F'` close to the kernel matrix.
    left : ndarray of shape (n,)
        Unexplained diagonal.

    References
    ----------
    .. [1] Y. Chen, E. N. Epperly, J. A. Tropp, R. J. Webber. "Randomly pivoted Cholesky:
       practical approximation of a kernel matrix with few entry evaluations". 2022.
       arXiv:2207.06503.
    .. [2] E. N. Epperly, J. A. Tropp, R. J. Webber. "Embrace rejection: kernel matrix
       approximation by accelerated randomly pivoted Cholesky". 2024. arXiv:2410.03969.
    """
    n = len(kernel.points)
    factor = np.zeros((n, max_rank), order="F")
    left = np.ones(n)
    # Below this a pivot is rounding noise: the numerical rank is reached.
    noise = 100.0 * np.finfo(float).eps
    rank = 0
    while rank < max_rank and left.sum() > tol * n and left.max() > noise:
        candidates = rng.choice(n, size=_BLOCK, p=left / left.sum())
        rows = factor[candidates, :rank]
        block = kernel.between(candidates, candidates) - rows @ rows.T
        accepted, triangle = _accept(block, left[candidates], noise, max_rank - rank, rng)
        if not accepted:
            break  # all that is left at the candidates is rounding noise, too
        pivots = candidates[accepted]
        new = kernel.between(slice(None), pivots) - factor[:, :rank] @ factor[pivots, :rank].T
        new = solve_triangular(triangle, new.T, lower=True, overwrite_b=True).T
        factor[:, rank : rank + len(pivots)] = new
        rank += len(pivots)
        left -= np.einsum("ik,ik->i", new, new)
        left[pivots] = 0.0
        np.maximum(left, 0.0, out=left)
        if enough is not None and enough(rank, left):
            break
    return factor[:, :rank], left


def _accept(block, weight, noise, at_most, rng):
    """Walk through candidates, accept each by its unexplained share, and factor the accepted."""
    accepted: list[int] = []
    n = len(block)
    triangle = np.zeros((n, n))
    draws = rng.uniform(size=n)
    for i in range(n):
        if len(accepted) == at_most:
            break
        r = len(accepted)
        row = np.zeros(r)
        if r:
            row = solve_triangular(triangle[:r, :r], block[accepted, i], lower=True)
        unexplained = block[i, i] - row @ row
        if unexplained > max(noise, draws[i] * weight[i]):
            triangle[r, :r] = row
            triangle[r, r] = np.sqrt(unexplained)
            accepted.append(i)
    r = len(accepted)
    return accepted, triangle[:r, :r]


class LowRank(Way):
    """A factor of the kernel matrix, ready for any number of columns.

    Parameters
    ----------
    points, bandwidth, matches : ndarray and Matches
        As in `Way`.
    tol : float
        Unexplained share of the trace at which to stop.
    max_rank : int
        Largest number of columns of the factor.
    seed : int
        Seed of pivots and of the pairs behind the certificate.
    """

    def __init__(self, points, bandwidth, matches, *, tol, max_rank, seed):
        rng = np.random.default_rng(seed)
        kernel = ProductKernel((points - points.mean(axis=0)) / bandwidth, matches)
        n = len(points)
        self._factor, left = pivoted_cholesky(kernel, tol=tol, max_rank=min(max_rank, n), rng=rng)
        self._diagonal = np.einsum("ik,ik->i", self._factor, self._factor)
        self.certificate = LowRankCertificate(
            rank=self._factor.shape[1],
            trace=float(left.sum()),
            relative_std=self._relative_std(kernel, matches, rng),
        )
        self.column_size = n

    def _relative_std(self, kernel, matches, rng):
        """Compare `K - F F'` with K on random pairs of different points.

        Between different cells both are zero, so pairs of the same cell are enough.
        """
        i, j = _random_pairs(matches.cells, rng)
        if not len(i):
            return 0.0
        exact = kernel.of_pairs(i, j)
        error = exact - np.einsum("pk,pk->p", self._factor[i], self._factor[j])
        scale = np.sqrt(np.mean(exact**2))
        size = np.sqrt(np.mean(error**2))
        return float(size / scale) if scale > 0 else (np.inf if size > 0 else 0.0)

    def __call__(self, columns):
        """Return the form of each column; see `PairForm`."""
        projected = self._factor.T @ columns
        # Minus the factor's own diagonal, not the kernel's: the error then has mean zero.
        own = self._diagonal @ (columns * columns)
        return np.einsum("kc,kc->c", projected, projected) - own


def _random_pairs(cells, rng):
    """Draw pairs of different rows of the same cell, each with the same probability."""
    size = np.bincount(cells)
    partners = size[cells] - 1
    if not partners.any():
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    n = len(cells)
    if len(size) == 1:
        i = rng.integers(n, size=_N_PAIRS)
        return i, (i + rng.integers(1, n, size=_N_PAIRS)) % n
    order = np.argsort(cells, kind="stable")
    start = np.concatenate([[0], np.cumsum(size)[:-1]])
    i = rng.choice(n, size=_N_PAIRS, p=partners[order] / partners.sum())  # places in the order
    cell = cells[order[i]]
    steps = rng.integers(1, size[cell])
    j = start[cell] + (i - start[cell] + steps) % size[cell]
    return order[i], order[j]
