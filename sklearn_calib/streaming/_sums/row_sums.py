"""Sums that every state keeps: the number of rows and their weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._data.sums import Sums, Totals, add_up, joined


@dataclass(frozen=True)
class RowSums(Sums):
    """The number of rows of positive weight, the sum of their weights and that of the squares."""

    @property
    def size(self) -> int:
        """Number of sums."""
        return 3

    def of_batch(self, predictions):
        """Return the totals of a batch of `Predictions`."""
        n = predictions.n_samples
        if predictions.weight is None:
            return Totals.of(np.full(3, float(n)))
        parts = np.ones(n), predictions.weight, predictions.weight**2
        return joined([add_up(one) for one in parts])
