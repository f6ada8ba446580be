"""Categories of rows in a kernel: which rows can meet at all, and in what order that is cheap.

A kernel on categories is a product over the columns of codes: 1 where two rows agree and
`similarity` where they differ. With similarity zero, rows that differ never meet, so all such
columns together are one: the cell of a row.
"""

from typing import NamedTuple

import numpy as np

from .planner import REACH

# So many bandwidths between the cells on a line; kernels over that distance are zero.
_GAPS = {"rbf": REACH + 1.0, "laplacian": 750.0}
# A line that is longer than this, in bandwidths, loses digits.
_LONGEST_LINE = 1e5


class Matches(NamedTuple):
    """Categories of rows, with all columns of exact match merged.

    Attributes
    ----------
    cells : ndarray of int of shape (n,)
        Rows in different cells have kernel zero.
    codes : ndarray of int of shape (n, n_codes)
        The other columns of codes.
    log_similarity : ndarray of shape (n_codes,)
        Logarithm of their kernel between different codes.
    """

    cells: np.ndarray
    codes: np.ndarray
    log_similarity: np.ndarray

    @property
    def n_cells(self):
        """Number of cells."""
        return int(self.cells.max()) + 1

    @property
    def order(self):
        """Rows in the order of their cells; None if there is one cell."""
        return None if self.n_cells == 1 else np.argsort(self.cells, kind="stable")

    @property
    def n_pairs(self):
        """Number of ordered pairs of rows that can meet, rows with themselves included."""
        return float((np.bincount(self.cells).astype(np.float64) ** 2).sum())

    def tile_codes(self):
        """Return codes for tiles, cells first if there are several, and their logarithms."""
        if self.n_cells == 1:
            return self.codes, self.log_similarity
        return (
            np.column_stack([self.cells, self.codes]),
            np.concatenate([[-np.inf], self.log_similarity]),
        )

    def split(self, n):
        """Return the matches of the first n rows and of the others."""
        return (
            Matches(self.cells[:n], self.codes[:n], self.log_similarity),
            Matches(self.cells[n:], self.codes[n:], self.log_similarity),
        )


def merge_codes(n, codes, similarity):
    """Return the `Matches` of n rows with categories `codes`, of shape (n, n_columns), or None.

    `similarity` is the kernel between different codes of each column, in [0, 1).
    """
    cells = np.zeros(n, dtype=np.intp)
    if codes is None or not codes.shape[1]:
        return Matches(cells, np.zeros((n, 0), dtype=np.intp), np.zeros(0))
    similarity = np.broadcast_to(np.asarray(similarity, dtype=np.float64), codes.shape[1])
    varies = (codes != codes[:1]).any(axis=0)
    for k in np.flatnonzero(varies & (similarity == 0)):
        own = codes[:, k] - codes[:, k].min()
        _, cells = np.unique(cells * (int(own.max()) + 1) + own, return_inverse=True)
    soft = varies & (similarity > 0)
    return Matches(cells, codes[:, soft], np.log(similarity[soft]))


def cells_on_a_line(points, bandwidth, kernel, cells):
    """Move cells apart along a line, so that a kernel in one dimension keeps them apart.

    The result is None if the line would be too long for its digits. Cells are numbered from 0 on.
    """
    low = np.full(cells.max() + 1, np.inf)
    high = -low
    np.minimum.at(low, cells, points[:, 0])
    np.maximum.at(high, cells, points[:, 0])
    room = high - low + _GAPS[kernel] * bandwidth[0]
    if not room.sum() <= _LONGEST_LINE * bandwidth[0]:
        return None
    start = np.concatenate([[0.0], np.cumsum(room)[:-1]])
    return (points[:, 0] - low[cells] + start[cells])[:, np.newaxis]


def nearest_cells(codes, query_codes, similarity, counts):
    """Return logarithms of the kernel on categories between rows and one query point.

    Where no row agrees with the query point in all columns of exact match, the limit of small
    similarities is taken: the rows that differ in the fewest of these columns count, and others,
    with minus infinity, do not. The second result says whether this is so. `counts` says which rows
    there are at all.
    """
    differs = codes != query_codes
    exact = similarity == 0
    n_different = differs[:, exact].sum(axis=1)
    fewest = n_different[counts].min()
    logs = differs[:, ~exact] @ np.log(similarity[~exact])
    return np.where(n_different == fewest, logs, -np.inf), bool(fewest > 0)


def tile_ranges(cells, query_cells, tile, query_tile):
    """Return for each tile of query points the first row tile it meets and the one after the last.

    Parameters
    ----------
    cells, query_cells : ndarray of int
        Sorted cells of rows and query points, without padding.
    tile, query_tile : int
        Lengths of the tiles.
    """
    starts = np.arange(0, len(query_cells), query_tile)
    lowest = query_cells[starts]
    highest = query_cells[np.minimum(starts + query_tile, len(query_cells)) - 1]
    first = np.searchsorted(cells, lowest, side="left") // tile
    stop = -(-np.searchsorted(cells, highest, side="right") // tile)
    return first.astype(np.int32), np.maximum(stop, first).astype(np.int32)
