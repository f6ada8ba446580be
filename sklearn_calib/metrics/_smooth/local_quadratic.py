"""Local quadratic regression on probabilities (loess), as weights of the observations."""

import numpy as np

from ..._data.bins import quantile_bin_index

# Up to so many distinct probabilities the fit is exact; beyond, neighbours are put together in
# cells that are at most one part in _N_CELLS wide and hold at most one part of the weight.
_EXACT = 512
_N_CELLS = 256
# Directions of a design whose squared size is less than this part of the largest are left out.
_SINGULAR = 1e-10
_ROUNDING = 1e-12
# Distances over radii from here on up have finite powers.
_TINY = 1e-100
# Small arrays stay in the cache of the processor.
_CELLS_AT_ONCE = 2**14
# Determinant, over the cube of the trace, from which a matrix is far from singular.
_WELL = 1e-5
_HANKEL = np.add.outer(np.arange(3), np.arange(3))


def group_probabilities(p, share):
    """Return a group number for each probability; numbers increase with the probability."""
    distinct, index = np.unique(p, return_inverse=True)
    if distinct.size <= _EXACT:
        return index
    width = np.minimum((distinct * _N_CELLS).astype(np.intp), _N_CELLS - 1)
    mass = quantile_bin_index(p, _N_CELLS, share)
    first = np.zeros(distinct.size, dtype=np.intp)
    first[index] = mass
    new = (np.diff(width, prepend=width[0]) > 0) | (np.diff(first, prepend=first[0]) > 0)
    return np.cumsum(new)[index]


def smoothing_matrix(center, share, span):
    """Return S such that ``S @ values`` is the local quadratic fit of values at the centers.

    Parameters
    ----------
    center : ndarray of shape (n_groups,)
        Increasing probabilities.
    share : ndarray of shape (n_groups,)
        Their weights, which sum to one.
    span : float
        Share of the weight that a fit uses: those nearest to the point, with tricube weights.

    Returns
    -------
    S : ndarray of shape (n_groups, n_groups)
        Rows sum to one.
    """
    S = np.empty((center.size, center.size))
    radius = _radius(center, share, span)
    step = max(1, _CELLS_AT_ONCE // center.size)
    for first in range(0, center.size, step):
        rows = slice(first, first + step)
        _fill_rows(S[rows], center[rows], radius[rows, np.newaxis], center, share)
    return S


def _radius(center, share, span):
    """Return the smallest distance from each center within which the span is reached.

    With more centers on the left the farthest of these is farther away, and the farthest on the
    right that is still needed is nearer, so the best number is where the two cross.
    """
    place = np.arange(center.size)
    below = np.concatenate([[0.0], np.cumsum(share)])
    wanted = span * (1.0 - _ROUNDING)
    beyond = np.append(center, np.inf)

    def right(left):
        """Return how far the right end is if `left` is the first center that counts."""
        last = np.searchsorted(below, below[left] + wanted) - 1
        return beyond[np.maximum(last, place)] - center

    # The last left end from which the left distance is the larger one; -1 if there is none.
    low, high = np.full(center.size, -1), place.copy()
    while np.any(open_ := high - low > 1):
        middle = np.maximum((low + high) // 2, 0)
        larger = center - center[middle] >= right(middle)
        low, high = np.where(open_ & larger, middle, low), np.where(open_ & ~larger, middle, high)
    at_high = np.maximum(right(high), center - center[high])
    at_low = np.where(low >= 0, center - center[np.maximum(low, 0)], np.inf)
    return np.minimum(at_high, at_low)


def _fill_rows(S, points, radius, center, share):
    """Write the rows of the smoothing matrix for some of the centers."""
    u = center - points[:, np.newaxis]
    # Where one value has the whole span, the fit at it is its own mean.
    reach = np.where(radius > 0.0, radius, 1.0)
    if reach.min() < _TINY:
        np.clip(u, -reach, reach, out=u)  # what is farther away has no weight, and may overflow
    u /= reach
    size = np.minimum(np.abs(u), 1.0)
    kernel = 1.0 - size * size * size
    kernel *= kernel * kernel * share
    if not radius.all():
        kernel = np.where(radius > 0.0, kernel, (u == 0.0) * share)
    sums, term = [kernel.sum(axis=1)], kernel
    for _ in range(4):
        term = term * u
        sums.append(term.sum(axis=1))
    moments = np.moveaxis(np.stack(sums)[_HANKEL], 2, 0)
    first = _first_columns(moments)
    np.multiply(first[:, 2:], u, out=S)
    S += first[:, 1:2]
    S *= u
    S += first[:, :1]
    S *= kernel


def _first_columns(moments):
    """Return the first column of the inverse of each matrix, or of the pseudoinverse."""
    first = np.empty(moments.shape[:2])
    well = np.linalg.det(moments) > _WELL * np.trace(moments, axis1=1, axis2=2) ** 3
    unit = np.array([[1.0], [0.0], [0.0]])
    first[well] = np.linalg.solve(moments[well], unit)[:, :, 0]
    if not well.all():
        inverse = np.linalg.pinv(moments[~well], rcond=_SINGULAR, hermitian=True)
        first[~well] = inverse[:, 0]
    return first
