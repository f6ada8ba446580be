"""What a construction is: tests of how large an error is, turned round into an interval."""

from __future__ import annotations

from abc import ABC, abstractmethod

_N_STEPS = 50


class Construction(ABC):
    """Tests of the hypotheses that the error is at most, or at least, a given size.

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
    """

    method: str
    estimate: float
    corrected: float | None = None
    replicates = None
    floor: float = 0.0

    @abstractmethod
    def pvalue_at_most(self, size):
        """Return the p-value of the hypothesis that the error is at most `size`."""

    @abstractmethod
    def upper(self, alpha):
        """Return a bound that lies below the error with probability at most `alpha`."""

    def lower(self, alpha):
        """Return the smallest error that is not rejected at level `alpha`."""
        low, high = self.floor, self.estimate
        if high <= low or self.pvalue_at_most(low) > alpha:
            return low
        for _ in range(_N_STEPS):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.pvalue_at_most(middle) > alpha else (middle, high)
        return high


def share_at_least(sorted_values, value):
    """Return the Monte Carlo p-value ``(1 + #{T_b >= value}) / (1 + B)`` of each value."""
    above = sorted_values.size - sorted_values.searchsorted(value, side="left")
    return (1.0 + above) / (1.0 + sorted_values.size)
