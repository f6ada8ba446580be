"""Tiles: any kernel in any dimension, exact, in memory set by the tile and not by n."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ._gate import call, pad, size_bucket, tile_size


def squared_distances(a, b, inverse_bandwidth):
    """Squared scaled distances between two small sets of points, by plain differences.

    Parameters
    ----------
    a : array of shape (d, n)
        Points, one coordinate a row.
    b : array of shape (d, m)
        Points, one coordinate a row.
    inverse_bandwidth : array of shape (d,)
        Multiplies the differences, so that a common offset of any size does no harm.

    Returns
    -------
    array of shape (n, m)
        Squared distances; exactly zero for equal points.
    """

    # A loop and not a sum over an axis: it holds one tile and keeps the compiled code small.
    def add_coordinate(k, total):
        difference = a[k][:, None] - b[k][None, :]
        return total + (difference * inverse_bandwidth[k]) ** 2

    return lax.fori_loop(0, a.shape[0], add_coordinate, jnp.zeros((a.shape[1], b.shape[1])))


def tile_of(array, i, tile, axis):
    """Cut the i-th tile out of an array."""
    return lax.dynamic_slice_in_dim(array, i * tile, tile, axis)


@partial(jax.jit, static_argnames=("kernel", "tile"))
def tile_sums(points, inverse_bandwidth, columns, *, kernel, tile):
    """Sum `k(r_i, r_j) v_ic v_jc` over i != j for every column.

    Tiles above the diagonal count twice; each is built once and multiplied with all columns.

    Parameters
    ----------
    points : array of shape (d, n)
        Positions, one coordinate a row.
    inverse_bandwidth : array of shape (d,)
        One over the distance divisors.
    columns : array of shape (n, n_columns)
        Residual columns.
    kernel : {"laplacian", "rbf"}
        Kernel of the Euclidean distance.
    tile : int
        Rows of a tile, a divisor of n. Memory is O(tile * (tile + n_columns)).

    Returns
    -------
    array of shape (n_columns,)
        The sums.
    """

    def kernel_tile(a, b):
        squared = squared_distances(a, b, inverse_bandwidth)
        return jnp.exp(-squared if kernel == "rbf" else -jnp.sqrt(squared))

    n_tiles = points.shape[1] // tile
    off_diagonal = 1.0 - jnp.eye(tile)

    def add_row(i, total):
        a, v = tile_of(points, i, tile, 1), tile_of(columns, i, tile, 0)

        def add_tile(j, product):
            b, w = tile_of(points, j, tile, 1), tile_of(columns, j, tile, 0)
            return product + kernel_tile(a, b) @ w

        right = lax.fori_loop(i + 1, n_tiles, add_tile, jnp.zeros_like(v))
        within = (kernel_tile(a, a) * off_diagonal) @ v
        return total + jnp.sum(v * (within + 2.0 * right), axis=0)

    return lax.fori_loop(0, n_tiles, add_row, jnp.zeros(columns.shape[1]))


class Tiles:
    """Padded positions, ready for any number of columns.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Positions.
    bandwidth : ndarray of shape (d,)
        Distance divisors.
    kernel : {"laplacian", "rbf"}
        Kernel of the Euclidean distance.
    """

    def __init__(self, points, bandwidth, kernel):
        self.column_size = size_bucket(len(points))
        # Small tiles waste less on the diagonal, large ones are shared among the cores.
        self._tile = tile_size(self.column_size, largest=128 if self.column_size <= 4096 else 512)
        self._points = np.ascontiguousarray(pad(points, self.column_size).T)
        self._inverse_bandwidth = 1.0 / bandwidth
        self._kernel = kernel

    def __call__(self, columns):
        """Return the form of each column; see `PairForm`."""
        n_columns = size_bucket(columns.shape[1], smallest=1)
        return call(
            tile_sums,
            self._points,
            self._inverse_bandwidth,
            pad(columns, self.column_size, columns=n_columns),
            kernel=self._kernel,
            tile=self._tile,
        )
