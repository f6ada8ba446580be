"""Tiles: any kernel in any dimension, exact, in memory set by the tile and not by n."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from ..gate import call_each, pad, size_bucket
from ..matches import tile_ranges
from .way import Way

# A tile of this size stays in the cache of a core, together with what is made from it.
TILE = 128
# Rows of tiles are dealt out to this many strands (one below as many tiles), whatever the number of
# cores, so that the sum does not depend on it. Threads that take whole strands need not wait.
N_STRANDS = 16


def squared_distances(a, b, inverse_bandwidth):
    """Return squared scaled distances between two small sets of points, by plain differences.

    Points have one coordinate a row, and differences are multiplied by `inverse_bandwidth`, so that
    a common offset of any size does no harm. Equal points are at distance exactly zero.
    """

    # A loop and not a sum over an axis: it holds one tile and keeps the compiled code small.
    def add_coordinate(k, total):
        difference = a[k][:, None] - b[k][None, :]
        return total + (difference * inverse_bandwidth[k]) ** 2

    return lax.fori_loop(0, a.shape[0], add_coordinate, jnp.zeros((a.shape[1], b.shape[1])))


def log_matches(a, b, log_similarity):
    """Return logarithms of the kernel on categories between two small sets of points.

    Categories have one column of codes a row. The kernel between different codes is
    `log_similarity`, minus infinity for an exact match; the result is zero where all codes agree.
    """

    def add_column(k, total):
        same = a[k][:, None] == b[k][None, :]
        return total + jnp.where(same, 0.0, log_similarity[k])

    return lax.fori_loop(0, a.shape[0], add_column, jnp.zeros((a.shape[1], b.shape[1])))


def tile_of(array, i, tile, axis):
    """Cut the i-th tile out of an array."""
    return lax.dynamic_slice_in_dim(array, i * tile, tile, axis)


def tile_sums(
    first, stride, points, inverse_bandwidth, codes, log_similarity, stop, columns, *, kernel
):
    """Sum `k(r_i, r_j) v_ic v_jc` over i != j, for every column and one strand of tile rows.

    Tiles above the diagonal count twice; each is built once and multiplied with all columns. The
    strand is tile rows `first`, `first + stride`, ... Points and codes have one coordinate a row,
    and their number is a multiple of `TILE`. For each tile row, `stop` is the number of the tile
    from which on all tiles of that row are zero. Memory is O(TILE * (TILE + n_columns)) beyond the
    inputs.
    """

    def kernel_tile(i, j):
        squared = squared_distances(
            tile_of(points, i, TILE, 1), tile_of(points, j, TILE, 1), inverse_bandwidth
        )
        logs = -squared if kernel == "rbf" else -jnp.sqrt(squared)
        if codes.shape[0]:
            own, other = tile_of(codes, i, TILE, 1), tile_of(codes, j, TILE, 1)
            logs = logs + log_matches(own, other, log_similarity)
        return jnp.exp(logs)

    n_tiles = points.shape[1] // TILE
    off_diagonal = 1.0 - jnp.eye(TILE)

    def add_row(k, total):
        i = first + k * stride
        v = tile_of(columns, i, TILE, 0)

        def add_tile(j, product):
            return product + kernel_tile(i, j) @ tile_of(columns, j, TILE, 0)

        right = lax.fori_loop(i + 1, stop[i], add_tile, jnp.zeros_like(v))
        within = (kernel_tile(i, i) * off_diagonal) @ v
        return total + jnp.sum(v * (within + 2.0 * right), axis=0)

    n_rows = (n_tiles - first + stride - 1) // stride
    return lax.fori_loop(0, n_rows, add_row, jnp.zeros(columns.shape[1]))


class Tiles(Way):
    """Padded positions, ready for any number of columns.

    Parameters
    ----------
    points, bandwidth, matches : ndarray and Matches
        As in `Way`. Rows are put in the order of their cells, and tiles whose rows have no cell in
        common are left out.
    kernel : {"laplacian", "rbf"}
        Kernel of the Euclidean distance.
    """

    def __init__(self, points, bandwidth, matches, kernel):
        self.column_size = -(-size_bucket(len(points)) // TILE) * TILE
        self._order = matches.order
        self._points = self._padded(points)
        self._inverse_bandwidth = 1.0 / bandwidth
        codes, self._log_similarity = matches.tile_codes()
        self._codes = self._padded(codes).astype(np.int32)
        self._stop = np.full(self.column_size // TILE, self.column_size // TILE, dtype=np.int32)
        if self._order is not None:
            cells = matches.cells[self._order]
            _, stop = tile_ranges(cells, cells, TILE, TILE)
            self._stop[: len(stop)] = stop
        self._kernel = kernel

    def _padded(self, rows):
        return np.ascontiguousarray(pad(rows, self.column_size, order=self._order).T)

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
            self._codes,
            self._log_similarity,
            self._stop,
            pad(columns, self.column_size, order=self._order, columns=n_columns),
            kernel=self._kernel,
        )
        return np.sum(strands, axis=0)
