"""Sums of waves over unevenly spaced points, by polynomials on the cells of a circle."""

from functools import lru_cache

import numpy as np
from scipy.fft import rfft
from scipy.special import jv

from ..residual_blocks import ONE_THREAD, ResidualBlocks

# Chebyshev polynomials on a cell: what the first one that is left out could add is below 1e-15.
_N_POLYNOMIALS = 16
# Numbers of the moments that are held at once.
_PORTION = 1 << 21


class WaveSums:
    r"""Points on a circle, ready for :math:`\sum_i v_i e^{-i \pi m x_i / M}` for m below M.

    The circle is cut into 2M cells. Within a cell a wave is a sum of Chebyshev polynomials of the
    distance from the middle, with Bessel functions as coefficients, so that all waves follow from
    the Fourier transforms of the cells' moments [1]_.

    Parameters
    ----------
    position : ndarray of shape (n_samples,)
        The positions x, between 0 and 2M.
    n_waves : int
        The number M of waves.

    References
    ----------
    .. [1] C. Anderson, M. D. Dahleh, "Rapid computation of the discrete Fourier transform", SIAM
       Journal on Scientific Computing 17 (1996), doi:10.1137/0917059.
    """

    def __init__(self, position, n_waves):
        cell = np.minimum(position, 2 * n_waves - 1).astype(
            np.uint16 if n_waves <= 1 << 15 else np.int64
        )
        self._n_waves = n_waves
        self._order = np.argsort(cell, kind="stable")  # fast for short numbers
        self._offset = (2.0 * (position - cell) - 1.0)[self._order]
        cell = cell[self._order].astype(np.intp)
        self._first = np.flatnonzero(np.diff(cell, prepend=-1))
        self._cells = cell[self._first]

    def __call__(self, columns, proba=None, weight=None):
        """Return the sums of each column of ``v = weight * (columns - proba)``.

        Parameters
        ----------
        columns : ndarray of bool or float of shape (n_samples, n_columns)
            What the values are made of.
        proba, weight : ndarray of shape (n_samples,), default=None
            As above; zeros and ones by default.

        Returns
        -------
        sums : ndarray of complex of shape (n_waves, n_columns)
        """
        n_columns = columns.shape[1]
        step = max(1, _PORTION // (_N_POLYNOMIALS * self._n_waves))
        sums = np.empty((self._n_waves, n_columns), dtype=complex)
        blocks = ResidualBlocks(proba, self._order)
        weight = None if weight is None else weight[self._order]
        for start in range(0, n_columns, step):
            part = slice(start, min(start + step, n_columns))
            moments = self._moments(blocks(columns[:, part]), weight, part.stop - start)
            waves = rfft(moments, n=2 * self._n_waves, axis=0)[: self._n_waves]
            np.einsum("mk,mkc->mc", _coefficients(self._n_waves), waves, out=sums[:, part])
        return sums

    def _moments(self, blocks, weight, n_columns):
        """Return the sums of the polynomials in each cell up to the last one that is not empty."""
        moments = np.zeros((self._cells[-1] + 1, _N_POLYNOMIALS, n_columns))
        k, n_cells = 0, self._first.size
        step = max(1, ONE_THREAD // (_N_POLYNOMIALS * max(1, n_columns)))
        last = np.append(self._first[1:], self._offset.size)
        for rows, block in blocks:
            values = self._polynomials(rows, weight)
            if n_columns == 1:  # products of matrices would be too small
                low, high = np.searchsorted(self._first, [rows.start, rows.stop])
                low -= low == n_cells or self._first[low] > rows.start
                starts = np.maximum(self._first[low:high] - rows.start, 0)
                values *= block[:, 0]
                moments[self._cells[low:high], :, 0] += np.add.reduceat(values, starts, axis=1).T
                continue
            while k < n_cells and self._first[k] < rows.stop:
                low, high = max(self._first[k], rows.start), min(last[k], rows.stop)
                for start in range(low - rows.start, high - rows.start, step):
                    piece = slice(start, min(start + step, high - rows.start))
                    moments[self._cells[k]] += values[:, piece] @ block[piece]
                if last[k] > rows.stop:  # the rest of the cell is in the next block
                    break
                k += 1
        return moments

    def _polynomials(self, rows, weight):
        """Return the weighted polynomials at some points, shape (n_polynomials, n_points)."""
        t = self._offset[rows]
        values, twice = np.empty((_N_POLYNOMIALS, t.size)), 2.0 * t
        values[0] = 1.0 if weight is None else weight[rows]
        np.multiply(values[0], t, out=values[1])
        for k in range(2, _N_POLYNOMIALS):
            np.multiply(twice, values[k - 1], out=values[k])
            values[k] -= values[k - 2]
        return values


@lru_cache(maxsize=16)
def _coefficients(n_waves):
    """Return the factor of each polynomial of a cell in each wave, that of its middle included.

    With z = pi m / (2 M), the wave at the distance t / 2 from the middle of a cell is
    ``exp(-i z t)``, whose Chebyshev coefficients are ``2 (-i)^k J_k(z)``, half of that for k = 0.
    """
    z = np.pi / (2 * n_waves) * np.arange(n_waves)[:, np.newaxis]
    k = np.arange(_N_POLYNOMIALS)
    sizes = np.where(k > 0, 2.0, 1.0) * jv(k, z)
    return sizes * np.array([1.0, -1j, -1.0, 1j])[k % 4] * np.exp(-1j * z)
