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
    u = center - center[:, np.newaxis]
    distance = np.abs(u)
    order = np.argsort(distance, axis=1, kind="stable")  # each row falls and rises: quickly sorted
    reached = np.cumsum(share[order], axis=1) >= span * (1.0 - _ROUNDING)
    nearest = order[np.arange(center.size), reached.argmax(axis=1)]
    radius = np.abs(center[nearest] - center)[:, np.newaxis]
    # Where one value has the whole span, the fit at it is its own mean.
    u /= np.where(radius > 0.0, radius, 1.0)
    kernel = 1.0 - np.minimum(np.abs(u), 1.0) ** 3
    kernel = np.where(radius > 0.0, kernel * kernel * kernel, distance == 0.0) * share
    terms = [kernel]
    for _ in range(4):
        terms.append(terms[-1] * u)
    sums = np.stack([term.sum(axis=1) for term in terms])
    moments = np.moveaxis(sums[np.add.outer(np.arange(3), np.arange(3))], 2, 0)
    first = np.linalg.pinv(moments, rcond=_SINGULAR, hermitian=True)[:, 0]
    return first[:, :1] * terms[0] + first[:, 1:2] * terms[1] + first[:, 2:] * terms[2]
