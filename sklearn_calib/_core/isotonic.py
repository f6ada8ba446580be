"""Fit a non-decreasing step function to labels, block by block."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.isotonic import isotonic_regression


class IsotonicBlocks(NamedTuple):
    """The blocks of constant value of an isotonic fit, in increasing order.

    Attributes
    ----------
    first, last : ndarray of shape (n_blocks,)
        Smallest and largest score.
    centre : ndarray of shape (n_blocks,)
        Weighted mean score.
    value : ndarray of shape (n_blocks,)
        Non-decreasing values in [0, 1].
    """

    first: np.ndarray
    last: np.ndarray
    centre: np.ndarray
    value: np.ndarray

    def points(self, first, last):
        """Return points (x, y) of a map that is constant from the first to the last of a block."""
        x = np.stack([first, last], axis=1).ravel()
        keep = np.r_[True, x[1:] > x[:-1]]
        return x[keep], np.repeat(self.value, 2)[keep]


def fit_isotonic(score, target, weight, *, tolerance, pseudo_count):
    """Return the non-decreasing function with the smallest weighted squared error.

    Targets lie in [0, 1], and weights are positive. Scores that are less than `tolerance` above the
    smallest one of a group count as equal to it. `pseudo_count` is a weight at the overall rate
    that is added to every block; blocks that change their order by it are pooled.
    """
    distinct, group = np.unique(score, return_inverse=True)
    leader = _leaders(distinct, tolerance)
    group = leader[group]
    group_weight = np.bincount(group, weights=weight)
    rate = np.bincount(group, weights=weight * target) / group_weight
    centre = np.bincount(group, weights=weight * score) / group_weight
    first = distinct[np.searchsorted(leader, np.arange(group_weight.size))]
    blocks = _pool(first, first, centre, rate, group_weight)
    if pseudo_count > 0.0:
        first, last, centre, value, total = blocks
        overall = np.average(target, weights=weight)
        shrunk = (total * value + pseudo_count * overall) / (total + pseudo_count)
        blocks = _pool(first, last, centre, shrunk, total, total + pseudo_count)
    return IsotonicBlocks(*blocks[:4])


def _pool(first, last, centre, rate, weight, fit_weight=None):
    """Pool neighbours to a non-decreasing rate; return first, last, centre, value and weight."""
    fit_weight = weight if fit_weight is None else fit_weight
    value = isotonic_regression(rate, sample_weight=fit_weight, y_min=0.0, y_max=1.0)
    start = np.flatnonzero(np.r_[True, value[1:] != value[:-1]])
    end = np.r_[start[1:], value.size] - 1
    total = np.add.reduceat(weight, start)
    centre = np.add.reduceat(weight * centre, start) / total
    # Rounding must not move the mean of a block out of it.
    centre = np.clip(centre, first[start], last[end])
    return first[start], last[end], centre, value[start], total


def _leaders(distinct, tolerance):
    """Return the number of the group of each distinct score."""
    is_first = np.ones(distinct.size, dtype=bool)
    close = np.flatnonzero(np.diff(distinct) < tolerance) + 1
    is_first[close] = False
    leader = None
    previous = -1
    for position in close:  # a chain of close scores is cut where it gets too long
        if position != previous + 1:
            leader = distinct[position - 1]
        if distinct[position] - leader >= tolerance:
            is_first[position] = True
            leader = distinct[position]
        previous = position
    return np.cumsum(is_first) - 1


def interpolate(score, x, y):
    """Return values between increasing points, constant outside, never in reversed order."""
    score = np.clip(score, x[0], x[-1])
    left = np.searchsorted(x, score, side="right") - 1
    right = np.minimum(left + 1, x.size - 1)
    # Dividing distances first stays finite over the tiniest gap, unlike a slope; the minimum
    # keeps rounding from reversing the order.
    gap = np.where(right > left, x[right] - x[left], 1.0)
    return np.minimum(y[left] + (score - x[left]) / gap * (y[right] - y[left]), y[right])
