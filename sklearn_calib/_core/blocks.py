"""Pair sums inside consecutive blocks and over adjacent pairs, without more than they need."""

import numpy as np

from .distances import kernel_of_differences, shorten_gaps, two_axes
from .forms import pair_form

# Up to here all blocks are summed together, lag by lag; longer blocks are worth a form each.
_LONG_BLOCK = 128
_CHUNK = 1 << 18


def block_forms(points, columns, block_size, *, kernel, bandwidth):
    """Sum `k(r_i, r_j) v_ic v_jc` over i != j inside consecutive blocks of rows.

    The kernel is "laplacian" or "rbf", of the Euclidean distance over the bandwidth (one number, or
    one per coordinate). The result has one row per block and one column per column of residuals; an
    incomplete last block is left out. Time is O(n * block_size) at most; memory beyond the inputs
    is that of a chunk of blocks.
    """
    points, columns = two_axes(points), two_axes(columns)
    bandwidth = np.broadcast_to(np.asarray(bandwidth, dtype=np.float64), points.shape[1])
    bandwidth, (points,) = shorten_gaps(bandwidth, points)
    n_blocks = len(points) // block_size
    forms = np.zeros((n_blocks, columns.shape[1]))
    if block_size > _LONG_BLOCK:
        for block in range(n_blocks):
            rows = slice(block * block_size, (block + 1) * block_size)
            forms[block] = pair_form(
                points[rows], kernel=kernel, bandwidth=bandwidth, n_columns=columns.shape[1]
            )(columns[rows])
        return forms
    step = max(1, _CHUNK // (block_size * (points.shape[1] + columns.shape[1])))
    for start in range(0, n_blocks, step):
        chunk = slice(start, min(n_blocks, start + step))
        rows = slice(chunk.start * block_size, chunk.stop * block_size)
        r = points[rows].reshape(-1, block_size, points.shape[1])
        v = columns[rows].reshape(-1, block_size, columns.shape[1])
        for lag in range(1, block_size):
            k = kernel_of_differences((r[:, lag:] - r[:, :-lag]) / bandwidth, kernel)
            forms[chunk] += 2.0 * np.einsum("bi,bic,bic->bc", k, v[:, lag:], v[:, :-lag])
    return forms


def adjacent_products(points, columns, *, kernel, bandwidth):
    """Return `k(r_1, r_2) v_1 v_2`, `k(r_3, r_4) v_3 v_4`, ... for every column.

    An odd last row is left out; the arguments are those of `block_forms`.
    """
    points, columns = two_axes(points), two_axes(columns)
    bandwidth = np.broadcast_to(np.asarray(bandwidth, dtype=np.float64), points.shape[1])
    bandwidth, (points,) = shorten_gaps(bandwidth, points)
    end = len(points) // 2 * 2
    k = kernel_of_differences((points[1:end:2] - points[:end:2]) / bandwidth, kernel)
    return k[:, None] * columns[:end:2] * columns[1:end:2]
