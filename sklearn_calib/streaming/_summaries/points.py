"""Weighted rows that stand for all rows of a summary."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

# Rows into which points are cut where a calibrator looks at the distribution of the scores.
_SPREAD_ROWS = 100_000


class Points(NamedTuple):
    """Places on the scale of probabilities with the weights of non-events and events there.

    Attributes
    ----------
    probability : ndarray of shape (n_points,)
        Mean probability, increasing.
    low, high : ndarray of shape (n_points,)
        The probabilities of all rows lie between.
    weight, n_rows : ndarray of shape (2, n_points)
        Weights and numbers of rows of non-events and events.
    log_odds, variance : ndarray of shape (2, n_points)
        Mean and variance of the log-odds of both.
    """

    probability: np.ndarray
    low: np.ndarray
    high: np.ndarray
    weight: np.ndarray
    n_rows: np.ndarray
    log_odds: np.ndarray
    variance: np.ndarray

    @property
    def single(self):
        """Whether all rows of a point have the same probability."""
        return self.low == self.high

    def mirrored(self):
        """Return the same points for the other event."""
        points = Points(
            1.0 - self.probability,
            1.0 - self.high,
            1.0 - self.low,
            self.weight[::-1],
            self.n_rows[::-1],
            -self.log_odds[::-1],
            self.variance[::-1],
        )
        return Points(*(part[..., ::-1] for part in points))

    def pooled_rows(self):
        """Return probabilities, events and weights of rows, both classes at the same places."""
        return self._rows(np.stack([self.probability] * 2))

    def separate_rows(self):
        """Return rows at the mean log-odds of non-events and of events of each point."""
        return self._rows(np.where(self.single, self.probability, expit(self.log_odds)))

    def spread_rows(self):
        """Return rows whose log-odds have the means, variances and frequencies of the points."""
        share = self.n_rows * min(1.0, _SPREAD_ROWS / self.n_rows.sum())
        copies = np.minimum(np.maximum(np.rint(share), 1), self.n_rows)
        copies = np.where(self.variance > 0.0, copies, 1).astype(int)
        event, point = np.nonzero(self.weight > 0.0)
        size = copies[event, point]
        event, point, size = (np.repeat(array, size) for array in (event, point, size))
        first = np.flatnonzero(np.r_[True, (np.diff(point) != 0) | (np.diff(event) != 0)])
        rank = np.arange(point.size) - np.repeat(first, np.diff(first, append=point.size))
        # Equally spaced numbers of variance one, closer where they would leave the point.
        spacing = np.sqrt(12.0 / np.maximum(size**2 - 1.0, 1.0))
        reach = 0.5 * (size - 1.0) * spacing * np.sqrt(self.variance[event, point])
        mean = self.log_odds[event, point]
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.minimum(mean - logit(self.low[point]), logit(self.high[point]) - mean)
        half = np.where(reach > 0.0, np.minimum(reach, np.maximum(room, 0.0)), 0.0)
        place = expit(mean + half * (2.0 * rank / np.maximum(size - 1.0, 1.0) - 1.0))
        place = np.where(self.single[point], self.probability[point], place)
        return place, event, self.weight[event, point] / size

    def _rows(self, place):
        event, point = np.nonzero(self.weight > 0.0)
        return place[event, point], event, self.weight[event, point]


def points_of_cells(cells):
    """Return a point for each cell; see `GridCells`."""
    number = np.unique(cells.key // 2)
    totals = cells.aligned((2 * number[:, np.newaxis] + [0, 1]).ravel())
    sums = totals.values.reshape(5, number.size, 2).transpose(0, 2, 1)
    count, weight, log_odds, square, probability = sums
    least = totals.least.reshape(2, number.size, 2).min(axis=2)
    low, high = least[0], -least[1]
    mean, square = (
        np.divide(total, weight, out=np.zeros_like(weight), where=weight > 0.0)
        for total in (log_odds, square)
    )
    probability = np.clip(probability.sum(axis=0) / weight.sum(axis=0), low, high)
    with np.errstate(divide="ignore"):
        mean = np.where(low == high, logit(probability), mean)
    variance = np.where(low == high, 0.0, np.maximum(square - mean**2, 0.0))
    return Points(probability, low, high, weight, count, mean, variance)
