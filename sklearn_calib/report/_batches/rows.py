"""Rows that are never in memory at once: batches one after the other, or Dask partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

import numpy as np

from ..._data.partitions import Partitions, compute_sum, take_known
from ..._data.predictions import Predictions
from .collect import Extent


class BatchedRows:
    """Batches that are read one after the other.

    Parameters
    ----------
    batches : callable
        ``batches()`` gives the batches of `Predictions`, the same ones in each call.
    extent : Extent
        What is known of all rows.
    say : callable, optional
        Told about progress.
    """

    def __init__(
        self,
        batches: Callable[[], Iterator[Predictions]],
        extent: Extent,
        say: Callable[[str], Any] = lambda text: None,
    ):
        self._batches, self.extent, self._say = batches, extent, say

    def total(self, function: Callable[[Predictions, int], Any]) -> Any:
        """Return the sum of ``function(batch, number of its first row)``."""
        total, done = None, 0
        for batch in self._batches():
            one = function(batch, done)
            total = one if total is None else total + one
            done += batch.n_samples
            self._say(f"{done:,} of {self.extent.n_samples:,} rows")
        return total


class PartitionedRows:
    """Rows that Dask holds in partitions.

    Parameters
    ----------
    partitions : Partitions
        The rows.
    say : callable
        Told about progress.
    """

    def __init__(self, partitions: Partitions, say: Any):
        from dask import compute

        self._say, self._n_parts = say, len(partitions.parts)
        say(f"counting the rows of {self._n_parts} partitions")
        sizes = compute(*partitions.each(_size))
        known = take_known(sizes)
        weight, square = (sum(one[k] for one in known) for k in (1, 2))
        n_samples, weighted = sum(one[0] for one in known), any(one[3] for one in known)
        self.extent = Extent(n_samples, partitions.classes, weight, square, weighted)
        counts = [0 if one is None else one[0] for one in sizes]
        self._first = [0, *accumulate(counts)][:-1]
        self._partitions = partitions

    def total(self, function: Callable[[Predictions, int], Any]) -> Any:
        """Return the sum of ``function(partition, number of its first row)``."""
        from dask import delayed

        self._say(f"adding up {self.extent.n_samples:,} rows of {self._n_parts} partitions")
        task = delayed(_of_part, pure=True)
        parts = zip(self._partitions.parts, self._first)
        return compute_sum(task(function, part, first) for part, first in parts)


def _size(predictions):
    """Return rows, weight, squared weight, and whether there are weights."""
    n, weight = predictions.n_samples, predictions.weight
    if weight is None:
        return n, float(n), float(n), False
    return n, float(np.sum(weight)), float(weight @ weight), True


def _of_part(function, predictions, first):
    return None if predictions is None else function(predictions, first)
