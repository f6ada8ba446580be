"""Bring columns of numbers to scales without far tails."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

_MAX_KNOTS = 1000
_SHARES = (0.05, 0.95)
_HEAVY = 1.2  # standard deviations, in units that far values do not change


class NormalScores:
    """Standard scores, but normal quantiles of the ranks for a column with heavy tails.

    Heavy are tails that make the standard deviation more than 1.2 times as large as that of the
    normal distribution with the same 5 % and 95 % quantiles. Equal values get their mean rank.
    Between the values of `fit` the map is linear, beyond them it is constant. A long column is
    summarised by 1,000 of its quantiles.
    """

    def fit(self, numbers, weight):
        """Learn the map of each column of finite numbers, with positive weights."""
        self._knots = [_knots(column, weight) for column in numbers.T]
        return self

    def transform(self, numbers):
        """Return the scores, zero for a column that was constant."""
        scores = np.empty(numbers.shape)
        for k, (values, images) in enumerate(self._knots):
            scores[:, k] = np.interp(numbers[:, k], values, images)
        return scores


def _knots(column, weight):
    order = np.argsort(column, kind="stable")
    values, first = np.unique(column[order], return_index=True)
    if values.size == 1:
        return values, np.zeros(1)
    mass = np.add.reduceat(weight[order], first) / weight.sum()
    rank = np.cumsum(mass) - mass / 2.0
    mean = mass @ values
    scale = np.sqrt(mass @ (values - mean) ** 2)
    low, high = values[np.searchsorted(np.cumsum(mass), _SHARES).clip(max=values.size - 1)]
    if scale <= _HEAVY * (high - low) / (2.0 * ndtri(_SHARES[1])):
        ends = values[[0, -1]]
        return ends, (ends - mean) / scale
    if values.size > _MAX_KNOTS:
        low, high = ndtri(rank[[0, -1]])
        wanted = ndtr(np.linspace(low, high, _MAX_KNOTS))
        kept = np.unique(np.searchsorted(rank, wanted))
        kept[[0, -1]] = 0, rank.size - 1
        values, rank = values[kept], rank[kept]
    return values, ndtri(rank)
