"""A sample of the different rows of one class that does not depend on their order.

Every row has a priority that follows from its numbers and a seed by a hash, and the rows of the
smallest priorities are kept (bottom-k sampling). A row of the sample of all rows is in the samples
of all parts in which it occurs, so that its weight is that of all its copies.

References
----------
Cohen, E., Kaplan, H. (2007). Summarizing data using bottom-k sketches. Proceedings of the 26th ACM
Symposium on Principles of Distributed Computing, 225-234. doi:10.1145/1281100.1281133
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._data.sums import Totals, add_by_cell


class RowSample(NamedTuple):
    """The different rows of smallest priority, in increasing order of it.

    Attributes
    ----------
    priority : ndarray of uint64 of shape (n_kept,)
    proba : ndarray of shape (n_kept, n_columns)
    totals : Totals
        Total weight of the copies of each row.
    complete : bool
        Whether there were no other rows.
    """

    priority: np.ndarray
    proba: np.ndarray
    totals: Totals
    complete: bool

    def merge(self, other, size):
        """Return the sample of the rows of both, of at most `size` rows."""
        order, group = _group(
            np.concatenate([self.priority, other.priority]),
            np.concatenate([self.proba, other.proba]),
        )
        n_groups = group[-1] + 1 if group.size else 0
        place = np.empty(group.size, dtype=int)
        place[order] = group
        mine, theirs = place[: self.priority.size], place[self.priority.size :]
        totals = Totals.zero(n_groups)
        for own, where in ((self.totals, mine), (other.totals, theirs)):
            part = Totals.zero(n_groups)
            part.high[where], part.low[where] = own.high, own.low
            totals = totals + part
        priority = np.empty(n_groups, dtype=np.uint64)
        proba = np.empty((n_groups, self.proba.shape[1]))
        for own, where in ((self, mine), (other, theirs)):
            priority[where], proba[where] = own.priority, own.proba
        return _cut(priority, proba, totals, self.complete and other.complete, size)


def no_sample(n_columns):
    """Return the sample of no rows."""
    return RowSample(np.empty(0, np.uint64), np.empty((0, n_columns)), Totals.zero(0), True)


def sample_rows(proba, weight, size, seed):
    """Return the sample of some rows with positive weights."""
    proba = proba + 0.0  # of the two zeros, one
    priority = _priorities(proba, seed)
    complete = True
    if priority.size > 2 * size:
        # Copies of a row have the same priority: as many different ones as are wanted, at least.
        limit = np.unique(priority)[:size][-1]
        kept = priority <= limit
        complete = bool(kept.all())
        priority, proba, weight = priority[kept], proba[kept], weight[kept]
    order, group = _group(priority, proba)
    first = order[np.flatnonzero(np.diff(group, prepend=-1))]
    totals = add_by_cell(weight[order], group, first.size)
    return _cut(priority[first], proba[first], totals, complete, size)


def _cut(priority, proba, totals, complete, size):
    kept = Totals(totals.high[:size], totals.low[:size], totals.least)
    return RowSample(priority[:size], proba[:size], kept, complete and priority.size <= size)


def _group(priority, proba):
    """Return an order of the rows and, in this order, the number of each different row."""
    order = np.lexsort((*proba.T[::-1], priority))
    priority, proba = priority[order], proba[order]
    differs = (priority[1:] != priority[:-1]) | (proba[1:] != proba[:-1]).any(axis=1)
    return order, np.cumsum(np.r_[False, differs])[: priority.size]


def _priorities(proba, seed):
    """Return 64-bit hashes of the rows."""
    value = np.full(len(proba), seed, dtype=np.uint64)
    for column in proba.T:
        value = _mix(
            value + np.uint64(0x9E3779B97F4A7C15) ^ np.ascontiguousarray(column).view(np.uint64)
        )
    return value


def _mix(value):
    """Return the finaliser of SplitMix64 (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
