"""Tiles: any kernel in any dimension, exact, in memory set by the tile and not by n."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..gate import call_each, pad, size_bucket
from .way import Way

# A tile of this size stays in the cache of a core, together with what is made from it.
TILE = 128
# Rows of tiles are dealt out to this many strands (one below as many tiles), whatever the number of
# cores, so that the sum does not depend on it. Threads that take whole strands need not wait.
N_STRANDS = 16


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


@partial(jax.jit, static_argnames=("kernel",))
def tile_sums(first, stride, points, inverse_bandwidth, columns, *, kernel):
    """Sum `k(r_i, r_j) v_ic v_jc` over i != j, for every column and one strand of tile rows.

    Tiles above the diagonal count twice; each is built once and multiplied with all columns.

    Parameters
    ----------
    first, stride : int
        The strand: tile rows `first`, `first + stride`, ... are summed.
    points : array of shape (d, n)
        Positions, one coordinate a row; n is a multiple of `TILE`.
    inverse_bandwidth : array of shape (d,)
        One over the distance divisors.
    columns : array of shape (n, n_columns)
        Residual columns.
    kernel : {"laplacian", "rbf"}
        Kernel of the Euclidean distance.

    Returns
    -------
    array of shape (n_columns,)
        The sums. Memory is O(TILE * (TILE + n_columns)) beyond the inputs.
    """

    def kernel_tile(a, b):
        squared = squared_distances(a, b, inverse_bandwidth)
        return jnp.exp(-squared if kernel == "rbf" else -jnp.sqrt(squared))

    n_tiles = points.shape[1] // TILE
    off_diagonal = 1.0 - jnp.eye(TILE)

    def add_row(k, total):
        i = first + k * stride
        a, v = tile_of(points, i, TILE, 1), tile_of(columns, i, TILE, 0)

        def add_tile(j, product):
            b, w = tile_of(points, j, TILE, 1), tile_of(columns, j, TILE, 0)
            return product + kernel_tile(a, b) @ w

        right = lax.fori_loop(i + 1, n_tiles, add_tile, jnp.zeros_like(v))
        within = (kernel_tile(a, a) * off_diagonal) @ v
        return total + jnp.sum(v * (within + 2.0 * right), axis=0)

    n_rows = (n_tiles - first + stride - 1) // stride
    return lax.fori_loop(0, n_rows, add_row, jnp.zeros(columns.shape[1]))


class Tiles(Way):
    """Padded positions, ready for any number of columns.

    Parameters
    ----------
    points, bandwidth : ndarray
        As in `Way`.
    kernel : {"laplacian", "rbf"}
        Kernel of the Euclidean distance.
    """

    def __init__(self, points, bandwidth, kernel):
        self.column_size = -(-size_bucket(len(points)) // TILE) * TILE
        self._points = np.ascontiguousarray(pad(points, self.column_size).T)
        self._inverse_bandwidth = 1.0 / bandwidth
        self._kernel = kernel

    def __call__(self, columns):
        """Return the form of each column; see `PairForm`."""
        n_columns = size_bucket(columns.shape[1], smallest=1)
        n_strands = N_STRANDS if self.column_size > N_STRANDS * TILE else 1
        strands = call_each(
            tile_sums,
            range(n_strands),
            n_strands,
            self._points,
            self._inverse_bandwidth,
            pad(columns, self.column_size, columns=n_columns),
            kernel=self._kernel,
        )
        return np.sum(strands, axis=0)
