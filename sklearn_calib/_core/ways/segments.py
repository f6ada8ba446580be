"""Laplacian pair sums of neighbouring segments of a sorted line, put together in any order.

A segment of sorted points is summarised by a few numbers, and two neighbouring segments have a
summary that follows from theirs. This is associative: parts of the line can be summarised on
different machines, and a whole array is one by halving the number of segments again and again.
"""

from typing import NamedTuple

import numpy as np

# Rows that are turned into one segment at a time, for bounded memory.
_ROWS = 1 << 16


class Segments(NamedTuple):
    """Summaries of m segments of a sorted line, for several columns of values at once.

    Attributes
    ----------
    start, end : ndarray of shape (m,)
        Smallest and largest point.
    to_start, to_end : ndarray of shape (m, n_columns)
        Sums of the values times the kernel at the distance to the start, and to the end.
    inner : ndarray of shape (m, n_columns)
        Sums of ``k(r_i, r_j) v_i v_j`` over the pairs i < j inside.
    """

    start: np.ndarray
    end: np.ndarray
    to_start: np.ndarray
    to_end: np.ndarray
    inner: np.ndarray

    def take(self, which):
        """Return some of the segments."""
        return Segments(*(part[which] for part in self))


def compose(left, right, bandwidth):
    """Return the segments that each left and right neighbour make together.

    No left one ends above the start of its right neighbour. The kernel is ``exp(-distance /
    bandwidth)``.
    """

    def decay(distance):
        return np.exp(-distance / bandwidth)[:, np.newaxis]

    between = decay(right.start - left.end)
    return Segments(
        left.start,
        right.end,
        left.to_start + decay(right.start - left.start) * right.to_start,
        right.to_end + decay(right.end - left.end) * left.to_end,
        left.inner + right.inner + between * left.to_end * right.to_start,
    )


def compose_all(segments, bandwidth):
    """Return the one segment that all neighbours in an array make together."""
    while (m := segments.start.size) > 1:
        pairs = compose(segments.take(slice(0, m - 1, 2)), segments.take(slice(1, m, 2)), bandwidth)
        if m % 2:
            rest = segments.take(slice(m - 1, m))
            pairs = Segments(*map(np.concatenate, zip(pairs, rest)))
        segments = pairs
    return segments


def line_segment(points, columns, bandwidth):
    """Return the summary of sorted rows, at least one, as one segment, in the time O(n n_columns).

    Columns are residuals with weights multiplied in.
    """
    parts = []
    for first in range(0, points.size, _ROWS):
        rows = slice(first, first + _ROWS)
        r, v = points[rows], columns[rows]
        each = Segments(r, r, v, v, np.zeros_like(v))
        parts.append(compose_all(each, bandwidth))
    return compose_all(Segments(*map(np.concatenate, zip(*parts))), bandwidth)
