"""Pair sums inside consecutive blocks and over adjacent pairs, without more than they need."""

import numpy as np

from ._geometry import kernel_values, scaled

_CHUNK = 1 << 20


def block_forms(points, columns, block_size, *, kernel, bandwidth):
    """Sum `k(r_i, r_j) v_ic v_jc` over i != j inside consecutive blocks of rows.

    Parameters
    ----------
    points : ndarray of shape (n,) or (n, d)
        Positions.
    columns : ndarray of shape (n,) or (n, n_columns)
        Residual columns.
    block_size : int
        Rows a block; an incomplete last block is left out.
    kernel : {"laplacian", "rbf"}
        Kernel of the Euclidean distance.
    bandwidth : float or ndarray of shape (d,)
        Distance divisor.

    Returns
    -------
    ndarray of shape (n_blocks, n_columns)
        One sum a block and column.

    Notes
    -----
    Time is O(n * block_size); memory is set by a chunk of blocks, not by n.
    """
    points = scaled(points, bandwidth)
    columns = np.asarray(columns, dtype=np.float64).reshape(len(points), -1)
    n_blocks = len(points) // block_size
    points = points[: n_blocks * block_size].reshape(n_blocks, block_size, -1)
    columns = columns[: n_blocks * block_size].reshape(n_blocks, block_size, -1)
    forms = np.zeros((n_blocks, columns.shape[2]))
    # Lag by lag: rows i and i + lag of every block; each unordered pair occurs once.
    for lag in range(1, block_size):
        kernel_lag = kernel_values(points[:, lag:] - points[:, :-lag], kernel)
        forms += 2.0 * np.einsum("bi,bic,bic->bc", kernel_lag, columns[:, lag:], columns[:, :-lag])
    return forms


def adjacent_products(points, columns, *, kernel, bandwidth):
    """Return `k(r_1, r_2) v_1 v_2`, `k(r_3, r_4) v_3 v_4`, ... for every column.

    Parameters
    ----------
    points, columns, kernel, bandwidth
        As in `block_forms`; an odd last row is left out.

    Returns
    -------
    ndarray of shape (n // 2, n_columns)
        The products, in the order of the pairs.
    """
    points = scaled(points, bandwidth)
    columns = np.asarray(columns, dtype=np.float64).reshape(len(points), -1)
    even = len(points) // 2 * 2
    weight = kernel_values(points[1:even:2] - points[:even:2], kernel)
    return weight[:, None] * columns[:even:2] * columns[1:even:2]
