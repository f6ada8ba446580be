"""Bring columns of numbers to normal scores of their ranks."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

_MAX_KNOTS = 1000


class NormalScores:
    """Monotone maps to the normal quantiles of weighted ranks, equal values at their mean rank.

    Neither units nor skewness nor heavy tails of a column matter afterwards. Between the values of
    `fit` the map is linear, beyond them it is constant. A long column is summarised by 1,000 of its
    quantiles.
    """

    def fit(self, numbers, weight):
        """Learn the map of each column.

        Parameters
        ----------
        numbers : ndarray of shape (n, n_columns)
            Finite numbers.
        weight : ndarray of shape (n,)
            Positive weights.
        """
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
    mass = np.add.reduceat(weight[order], first)
    rank = (np.cumsum(mass) - mass / 2.0) / mass.sum()
    if values.size > _MAX_KNOTS:
        low, high = ndtri(rank[[0, -1]])
        wanted = ndtr(np.linspace(low, high, _MAX_KNOTS))
        kept = np.unique(np.searchsorted(rank, wanted).clip(max=rank.size - 1))
        kept[[0, -1]] = 0, rank.size - 1
        values, rank = values[kept], rank[kept]
    return values, ndtri(rank)
