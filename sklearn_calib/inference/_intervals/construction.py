"""What a construction is: tests of how large an error is, turned round into an interval."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

_N_STEPS = 50
# Levels such as (1 - 0.9) / 2 are off by rounding, and p-values are whole multiples of 1 / (1 + B).
_ROUNDING = 1e-9


class Construction(ABC):
    """What an interval is read from.

    Attributes
    ----------
    method : str
        What the result calls it.
    estimate : float
        The metric of the data.
    corrected : float or None
        The estimate without its bias, if the construction gives one.
    replicates : ndarray of shape (n_resamples,) or None
        Values that were drawn, if any.
    is_drawn : bool
        Whether the ends are quantiles of draws.
    """

    method: str
    estimate: Any
    corrected: float | None = None
    replicates: Any = None
    is_drawn = False

    @abstractmethod
    def lower(self, alpha):
        """Return a bound that lies above the metric with probability at most `alpha`."""

    @abstractmethod
    def upper(self, alpha):
        """Return a bound that lies below the metric with probability at most `alpha`."""


class ErrorConstruction(Construction):
    """Tests of the hypotheses that an error is at most a given size, turned round.

    Attributes
    ----------
    observed : float
        What is tested: the estimate, before a correction that the metric itself may make.
    """

    @property
    def observed(self):
        return self.estimate

    @abstractmethod
    def pvalue_at_most(self, size):
        """Return the p-value of the hypothesis that the error is at most `size`."""

    def lower(self, alpha):
        """Return the smallest error that is not rejected at level `alpha`."""
        return smallest_kept(self.pvalue_at_most, self.observed, alpha)


def smallest_kept(pvalue_at_most, largest, alpha):
    """Return the smallest size between zero and the largest one that is not rejected at `alpha`."""
    alpha *= 1.0 + _ROUNDING
    low, high = 0.0, largest
    if high <= low or pvalue_at_most(low) > alpha:
        return low
    for _ in range(_N_STEPS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if pvalue_at_most(middle) > alpha else (middle, high)
    return high


def share_at_least(sorted_values, value):
    """Return the Monte Carlo p-value ``(1 + #{T_b >= value}) / (1 + B)`` of each value."""
    above = sorted_values.size - sorted_values.searchsorted(value, side="left")
    return (1.0 + above) / (1.0 + sorted_values.size)
