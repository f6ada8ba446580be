"""Sorted windows: the RBF in one dimension at any bandwidth, however small.

Only positions within reach of each other meet. Where few do, they meet one by one. Where many
crowd together they fall into boxes no wider than a bandwidth: inside a box a Gaussian is a
polynomial to machine precision, so that a box is summed up by its Chebyshev moments, and boxes
meet instead of points. Time is O(n log n) in either case.
"""

import numpy as np
from scipy.sparse import csr_array

from ..planner import FEW_NEIGHBOURS, REACH
from .way import Way

# Chebyshev terms of exp(-x^2) on a unit interval: the 18th coefficient is below 1e-16.
_N_TERMS = 18
_CHUNK = 1 << 20


def _box_kernels(width):
    """Expand the kernel between boxes 0, 1, 2, ... apart in products of Chebyshev polynomials.

    A box is at most one bandwidth wide. Coefficients, of shape (n_lags, n_terms, n_terms), are
    those for all lags at which two points can be within reach.
    """
    angles = np.pi * (np.arange(_N_TERMS) + 0.5) / _N_TERMS
    nodes = 0.5 * width * np.cos(angles)
    to_coefficients = np.cos(np.outer(np.arange(_N_TERMS), angles)) * (2.0 / _N_TERMS)
    to_coefficients[0] *= 0.5
    lags = width * np.arange(int(REACH / width) + 2)
    values = np.exp(-((lags[:, None, None] + nodes[None, None, :] - nodes[None, :, None]) ** 2))
    return to_coefficients @ values @ to_coefficients.T


class Pairs:
    """Sorted positions that meet one by one.

    Parameters
    ----------
    positions : ndarray of shape (n,)
        Sorted positions.
    bandwidth : float
        Distance divisor.
    stop : ndarray of shape (n,)
        First position out of reach of each one.
    """

    def __init__(self, positions, bandwidth, stop):
        self._positions, self._bandwidth, self._stop = positions, bandwidth, stop
        self.column_size = len(positions)

    def __call__(self, columns):
        """Return the form of each column, rows in the order of the positions."""
        n = len(columns)
        form = np.zeros(columns.shape[1])
        step = _CHUNK // FEW_NEIGHBOURS
        for start in range(0, n, step):
            rows = np.arange(start, min(n, start + step))
            count = self._stop[rows] - rows - 1
            ends = np.concatenate([[0], np.cumsum(count)])
            row = np.repeat(rows, count)
            neighbour = row + 1 + np.arange(ends[-1]) - np.repeat(ends[:-1], count)
            distance = (self._positions[neighbour] - self._positions[row]) / self._bandwidth
            kernel = csr_array((np.exp(-(distance**2)), neighbour, ends), shape=(len(rows), n))
            form += 2.0 * np.einsum("ic,ic->c", columns[rows], kernel @ columns)
        return form


class Boxes:
    """Sorted positions in boxes; `positions` and `bandwidth` are those of `Pairs`."""

    def __init__(self, positions, bandwidth):
        # A power of two as width keeps box numbers and positions inside a box free of rounding.
        width = 2.0 ** (np.frexp(bandwidth)[1] - 1)
        positions = positions / width
        boxes = np.floor(positions)
        self._inside = 2.0 * (positions - boxes) - 1.0
        self._boxes, self._box_of_row = np.unique(boxes, return_inverse=True)
        self._kernels = _box_kernels(width / bandwidth)
        self.column_size = len(positions) + _N_TERMS * len(self._boxes)

    def __call__(self, columns):
        """Return the form of each column, rows in the order of the positions."""
        moments = self._moments(columns)
        form = -np.einsum("ic,ic->c", columns, columns)
        n_boxes, n_columns, _ = moments.shape
        step = max(1, _CHUNK // (n_columns * _N_TERMS))
        for lag, kernel in enumerate(self._kernels):
            partner = np.searchsorted(self._boxes, self._boxes + lag)
            partner[partner == n_boxes] = 0
            met = np.flatnonzero(self._boxes[partner] == self._boxes + lag)
            for start in range(0, len(met), step):
                left = met[start : start + step]
                arrived = moments[partner[left]].reshape(-1, _N_TERMS) @ kernel.T
                pairs = np.einsum(
                    "bcp,bcp->c", moments[left], arrived.reshape(-1, n_columns, _N_TERMS)
                )
                form += pairs if lag == 0 else 2.0 * pairs
        return form

    def _moments(self, columns):
        """Sum `v_i T_p(position in the box)` over each box, shape (n_boxes, n_columns, n_terms)."""
        n, n_columns = columns.shape
        moments = np.zeros((len(self._boxes), n_columns, _N_TERMS))
        step = max(1, _CHUNK // (n_columns * _N_TERMS))
        for start in range(0, n, step):
            rows = slice(start, start + step)
            terms = np.polynomial.chebyshev.chebvander(self._inside[rows], _N_TERMS - 1)
            products = columns[rows, :, None] * terms[:, None, :]
            box = self._box_of_row[rows]
            first = np.flatnonzero(np.diff(box, prepend=-1))
            moments[box[first]] += np.add.reduceat(products, first, axis=0)
        return moments


class Windows(Way):
    """Sorted positions, ready for any number of columns."""

    def __init__(self, points, bandwidth):
        n, h = len(points), bandwidth[0]
        self._order = np.argsort(points[:, 0])
        positions = np.take(points[:, 0], self._order)
        stop = np.searchsorted(positions, positions + REACH * h, side="right")
        few = stop.sum() - n * (n + 1) // 2 <= FEW_NEIGHBOURS * n
        self._sums = Pairs(positions, h, stop) if few else Boxes(positions, h)
        self.column_size = self._sums.column_size

    def __call__(self, columns):
        """Return the form of each column; see `PairForm`."""
        return self._sums(np.take(columns, self._order, axis=0))
