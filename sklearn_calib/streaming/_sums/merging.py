"""What states, summaries and monitors share: sums over rows that merge."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from typing import Any, Self

from .classes import Classes, refuse_differences
from .dask_rows import sum_states
from .documents import Document


class Merging(Document):
    """Sums over rows. Derived classes say what must agree (`_settings`), and add (`_merged`)."""

    def merge(self, other: Self) -> Self:
        """Return what holds the rows of both.

        Parameters
        ----------
        other : object
            Another one of the same class with the same settings, such as that of another machine.

        Returns
        -------
        merged : object
            A new one; the two are left as they are.

        Raises
        ------
        TypeError
            If `other` is something else.
        ValueError
            If settings, classes or columns differ; the message names the difference.
        """
        self._check_alike(other)
        return self._merged(other)

    def _check_alike(self, other):
        """Raise unless another object is of the same class and has the same settings."""
        kind = type(self).__name__
        if not isinstance(other, type(self)):
            raise TypeError(f"other must be a {kind}, got {type(other).__name__}.")
        refuse_differences(self._settings(), other._settings())

    @abstractmethod
    def _settings(self) -> dict[str, Any]:
        """Return what must agree between two that are merged, as plain values by name."""

    @abstractmethod
    def _merged(self, other: Self) -> Self:
        """Return what holds the rows of both, which have the same settings."""


class Adding(Merging):
    """Sums over rows in any order, which `+`, `sum` and Dask collections may add as well."""

    _classes: Classes

    def __add__(self, other: Self) -> Self:
        """Return what holds the rows of both, as :meth:`merge`."""
        return self.merge(other) if isinstance(other, type(self)) else NotImplemented

    def __radd__(self, other: object) -> Self:
        """Let ``sum`` of several work, which starts with zero."""
        return deepcopy(self) if isinstance(other, int) and other == 0 else NotImplemented

    @abstractmethod
    def _without_rows(self, classes: Classes) -> Self:
        """Return one without rows with the same settings."""

    def _add_partitions(self, **rows: Any) -> Self:
        """Add the rows of Dask collections."""
        total = sum_states(self._without_rows, self._classes, **rows)
        vars(self).update(vars(self.merge(total)))
        return self
