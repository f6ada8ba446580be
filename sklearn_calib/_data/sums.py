"""Sums over rows from which errors follow, whatever part of the data each computer has seen.

The interface between metrics that can be merged and everything that merges them:

- `Sums` says **which** sums to keep. It is immutable and compares by its class and its options, so
  that several metrics share one table. ``sums.of_batch(predictions)`` gives the `Totals` of a batch
  of rows, ``sums.zero()`` those of none.
- `Totals` are the sums themselves. ``a + b`` are the totals of the rows of both, and
  ``totals.values`` the numbers in float64. Entries are kept in twice the precision, so the order in
  which batches are added, and how the rows are split into batches, are not visible in the values.
- `Mergeable` is what a metric declares: the sums that it needs, its value as a function of their
  totals, and, if the value is not exact, a bound on the distance from that of the rows.
- `NotMergeableError` is raised for a metric whose value, with the given options, is no function
  of sums. It says what to change.

A new kind of sums is a frozen dataclass that derives from `Sums` and has `size`, `n_least` if it
keeps smallest values as well, and `of_batch`, which is most easily written with `add_by_cell`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over rows in double-double arithmetic, and smallest values.

    Attributes
    ----------
    high, low : ndarray of shape (size,)
        Each sum is ``high + low``, and `high` is that rounded to float64.
    least : ndarray of shape (n_least,)
        Smallest values over the rows, infinity for no rows.
    """

    high: np.ndarray
    low: np.ndarray
    least: np.ndarray

    @classmethod
    def zero(cls, size: int, n_least: int = 0) -> Totals:
        """Return the totals of no rows."""
        return cls(np.zeros(size), np.zeros(size), np.full(n_least, np.inf))

    @classmethod
    def of(cls, high: np.ndarray, low: np.ndarray | float = 0.0, least: Any = ()) -> Totals:
        """Return totals of sums ``high + low``, whose parts may overlap."""
        total, rest = _two_sum(high, low)
        return cls(total, rest, np.asarray(least, dtype=float))

    def __add__(self, other: Totals) -> Totals:
        """Return the totals of the rows of both."""
        high, error = _two_sum(self.high, other.high)
        high, low = _two_sum(high, error + (self.low + other.low))
        return Totals(high, low, np.minimum(self.least, other.least))

    @property
    def values(self) -> np.ndarray:
        """The sums in float64."""
        return self.high

    def column(self, b: int) -> Totals:
        """Return the totals of one of several columns of labels."""
        return Totals(self.high[:, b], self.low[:, b], self.least[:, b])


class Sums(ABC):
    """Which sums over rows to keep; derived classes are frozen dataclasses.

    Attributes
    ----------
    size : int
        Number of sums.
    n_least : int
        Number of smallest values.
    sorted_by : str or None
        The target by whose event rows must be sorted, so that batches are consecutive ranges, which
        `of_draws` takes as `EventRows`. None if rows may come in any order.
    """

    n_least: int = 0
    sorted_by: str | None = None

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of sums."""

    @abstractmethod
    def of_batch(self, predictions: Any) -> Totals:
        """Return the totals of a batch of `Predictions`, which has at least one row."""

    def of_draws(self, predictions: Any, codes: np.ndarray) -> Any:
        """Return the totals of a batch for several columns of label codes, on the last axis.

        For `EventRows` the columns say whether the event happens.
        """
        each = [self.of_batch(replace(predictions, codes=column)) for column in codes.T]
        fields = ("high", "low", "least")
        return Totals(*(np.stack([getattr(one, f) for one in each], axis=-1) for f in fields))

    def zero(self) -> Totals:
        """Return the totals of no rows."""
        return Totals.zero(self.size, self.n_least)


@dataclass(frozen=True)
class Mergeable:
    """A metric as a function of sums over rows.

    Attributes
    ----------
    sums : Sums
        The sums that it needs.
    value : callable
        ``value(totals)`` -> float.
    bound : callable or None
        ``bound(totals)`` -> float, the largest possible distance of the value from that of the
        rows; None if the value is exact up to rounding.
    """

    sums: Sums
    value: Callable[[Totals], float]
    bound: Callable[[Totals], float] | None = None


class NotMergeableError(ValueError):
    """The value of a metric, with the given options, does not follow from sums over rows."""


def add_by_cell(values: np.ndarray, index: np.ndarray, n_cells: int) -> Totals:
    """Add up finite values cell by cell, with an error far below the rounding of float64.

    Each value is split into a multiple of a unit so large that the sums of these multiples are
    exact, and a rest that is 2 ** 30 times smaller or less. `index` is the cell of each value.
    """
    coarse = _coarse(values)
    high = np.bincount(index, coarse, minlength=n_cells)
    return Totals.of(high, np.bincount(index, values - coarse, minlength=n_cells))


def add_up(values: np.ndarray) -> Totals:
    """Return the one sum of values, with the precision of `add_by_cell`."""
    coarse = _coarse(values)
    return Totals.of(coarse.sum(keepdims=True), (values - coarse).sum(keepdims=True))


def _coarse(values):
    """Return multiples of a unit next to the values, whose partial sums are all exact."""
    largest = np.abs(values).max(initial=0.0)
    # Adding and subtracting this number rounds to multiples of its last digit.
    big = np.ldexp(0.75, int(np.frexp(largest)[1]) + int(values.size).bit_length() + 1)
    return (values + big) - big


def joined(parts: list[Totals]) -> Totals:
    """Return several totals one behind the other."""
    return Totals(
        *(
            np.concatenate([getattr(one, name) for one in parts])
            for name in ("high", "low", "least")
        )
    )


def _two_sum(a, b):
    """Return the rounded sum and its rounding error (Knuth)."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)
