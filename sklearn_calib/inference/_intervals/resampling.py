"""Intervals from the metric of resamples, for smooth statistics."""

from __future__ import annotations

import numpy as np

from .construction import ErrorConstruction, share_at_least


class Resampling(ErrorConstruction):
    """Percentiles of the metric over resamples of rows, as they are or mirrored at the estimate.

    ``of_rows(numbers)`` is the metric of given rows, and `resamples` yields the `n_resamples` row
    numbers of resamples of `n_samples` rows.
    """

    is_drawn = True

    def __init__(self, of_rows, name, n_samples, resamples, n_resamples, method, say):
        self.method = method
        self.estimate = of_rows(np.arange(n_samples))
        replicates = []
        for rows in resamples:
            replicates.append(of_rows(rows))
            say.count(len(replicates), n_resamples, "resamples")
        self.replicates = np.array(replicates)
        n_nan = np.count_nonzero(np.isnan(self.replicates)) + np.isnan(self.estimate)
        if n_nan:
            raise ValueError(
                f"The metric {name} is NaN on the data or on {n_nan} resamples, so there is no "
                "interval. Is it defined when a class is missing?"
            )
        self.ends = self.replicates
        if method == "basic":
            self.ends = 2.0 * self.estimate - self.replicates

    @property
    def bias(self):
        """Mean difference of replicates and estimate in standard deviations of the replicates."""
        deviation = self.replicates.std()
        difference = self.replicates.mean() - self.estimate
        return float(difference / deviation) if deviation > 0.0 else 0.0

    def pvalue_at_most(self, size):
        return float(share_at_least(np.sort(-self.ends), -size))

    def lower(self, alpha):
        return float(np.quantile(self.ends, alpha))

    def upper(self, alpha):
        return float(np.quantile(self.ends, 1.0 - alpha))
