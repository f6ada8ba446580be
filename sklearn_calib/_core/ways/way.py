"""What a way to add up pairs of rows is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np


class Way(ABC):
    """A way to evaluate the off-diagonal form of a kernel on fixed points.

    A subclass is made from `points`, positions of shape (n, d), and `bandwidth`, the divisors of
    distances of shape (d,). Ways on a line or a circle take one dimension, d = 1. The others also
    take `matches`, the categories of the points.

    Attributes
    ----------
    column_size : int
        Numbers that one residual column takes while it is evaluated, for the size of portions.
    certificate : object or None
        How far the way is from the exact form; None for an exact way.
    """

    column_size: int
    certificate: Any = None

    @abstractmethod
    def __call__(self, columns: np.ndarray) -> np.ndarray:
        """Return `sum_{i != j} k(r_i, r_j) v_ic v_jc` for each column; padding may follow.

        Columns, of shape (n, n_columns), are residuals with weights multiplied in.
        """

    def of_events(self, happened: np.ndarray, proba: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return the same for the columns `weight * (happened - proba)`.

        `happened`, of shape (n, n_columns), says whether the event happened, for several sets of
        labels.
        """
        return self(weight[:, np.newaxis] * (happened - proba[:, np.newaxis]))
