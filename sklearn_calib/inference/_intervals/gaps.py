"""Intervals of binned errors: sums of gaps, root of their squares, and the largest gap."""

from __future__ import annotations

import numpy as np

from .binomial import gap_pvalue, rate_limits
from .construction import ErrorConstruction, share_at_least

_N_STEPS = 40
# Noise that differs from an excess by less than this equals it.
_TIE = 1e-9


class SumOfGaps(ErrorConstruction):
    r"""Turn tests of a binned error round, whose worst case over all bin gaps is known.

    **Lower end.** The error T is a norm of the gaps, so that it exceeds the true error by at most
    the norm of the noise, which is drawn. So does every smaller norm; that of gaps added up with
    their signs, which may change once along the probabilities, has less noise. The two are tested
    together, on the same draws. The square of a root of squares has a distribution that depends
    little on which bins the error is in, so there the true error is spread as at the upper end, and
    the two tests are put together by Bonferroni's rule.

    The noise is drawn at the predicted or the observed rate of a bin, whichever varies more. If a
    rate between the two varies clearly more than both, as one half does between 0.1 and 0.9, then
    the noise also depends on the size that is tested: all gaps are made smaller by the same factor
    until they have this size, and the rates that follow are a third choice.

    **Upper end.** Among all gaps that give the same error, T is smallest if the error is spread so
    that each gap is the same number of standard errors. The bound is the largest such error for
    which a value as small as T is not too rare.

    If one bin holds all rows, its error is the largest gap as well, whose bounds are exact.

    The norm of the gaps is "l1", "l2" or "mean", and `estimate` the metric of the data, which may
    be corrected for its bias. If `pooled`, squares are averaged over the events before the root is
    taken, and if `squared`, no root is taken in the end.
    """

    method = "inversion"
    is_drawn = True

    def __init__(self, cells, norm, rng, n_draws, *, estimate, pooled=False, squared=False):
        self.cells = cells
        self.norm = norm
        self.pooled = pooled
        self.squared = squared
        self.weights = cells.share
        if norm == "mean":
            self.weights = 1.0 / np.bincount(cells.group)[cells.group]
        self.single = LargestGap(cells) if cells.share.size == 1 else None
        self.plain = float(self._error(cells.gap[np.newaxis])[0])
        self.estimate = estimate
        self.signed = float(self._signed(cells.gap[np.newaxis])[0])
        self.normals = cells.normals(rng, n_draws)
        self.noise = self._noise(cells.noisy_rates())
        # An error that is unusually small for a calibrated model is no evidence of calibration.
        calibrated = self._error(cells.deviations(cells.proba, self.normals))
        self.at_least_typical = max(self.plain, float(np.median(calibrated)))
        self.corrected = self._show(min(self.plain, self._size(self._distance(0.5, self.plain))))

    @property
    def observed(self):
        return self._show(self.plain)

    def pvalue_at_most(self, size):
        size = np.sqrt(size) if self.squared else size
        if self.single is not None:
            return self.single.pvalue_at_most(size)
        *ordered, smallest = self.noise
        if self.cells.between.any():
            *ordered, smallest = self._noise(self.cells.noisy_rates(size / self.plain))
        each = [
            share_at_least(noise, (value - size) * (1.0 - _TIE) - _TIE)
            for noise, value in zip(ordered, (self.plain, self.signed))
        ]
        if self.norm == "l2" and (self.pooled or self.cells.n_groups == 1):
            values = np.sort(self._error(self._drawn_gaps(self._distance_of(size))))
            return float(min(1.0, 2.0 * min(share_at_least(values, self.plain), each[1])))
        count = np.searchsorted(smallest, min(each), side="right")
        return float((1.0 + count) / (1.0 + smallest.size))

    def _noise(self, rates):
        """Return the sorted noise of both errors at these rates, and its smallest p-values."""
        drawn = self.cells.deviations(rates, self.normals)
        values = self._error(drawn), self._signed(drawn)
        ordered = [np.sort(one) for one in values]
        each = [share_at_least(noise, one) for noise, one in zip(ordered, values)]
        return *ordered, np.sort(np.minimum(*each))

    def upper(self, alpha):
        if self.single is not None:
            return self._show(self.single.upper(alpha))
        return self._show(self._size(self._distance(alpha, self.at_least_typical)))

    def _show(self, size):
        """Return a size as the metric shows it."""
        return size**2 if self.squared else size

    def _distance(self, alpha, observed):
        """Return the largest number of standard errors for which `observed` is not too small."""
        low, high = 0.0, 1.0
        while self._share_at_most(high, observed) > alpha and high < 1e8:
            low, high = high, 2.0 * high
        for _ in range(_N_STEPS):
            middle = 0.5 * (low + high)
            if self._share_at_most(middle, observed) > alpha:
                low = middle
            else:
                high = middle
            if high - low < 1e-4 * high:
                break
        return low

    def _distance_of(self, size):
        """Return the number of standard errors at which the spread error has a size."""
        low, high = 0.0, 1.0
        while self._size(high) < size and high < 1e8:
            low, high = high, 2.0 * high
        for _ in range(_N_STEPS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._size(middle) < size else (low, middle)
        return high

    def _drawn_gaps(self, distance):
        """Return drawn gaps whose true values are a number of standard errors."""
        rates = self.cells.rates_at(distance)
        return rates - self.cells.proba + self.cells.deviations(rates, self.normals)

    def _share_at_most(self, distance, observed):
        values = self._error(self._drawn_gaps(distance))
        below = np.count_nonzero(values <= observed * (1.0 + 1e-12))
        return (1.0 + below) / (1.0 + values.size)

    def _size(self, distance):
        return float(self._error((self.cells.rates_at(distance) - self.cells.proba)[np.newaxis])[0])

    def _error(self, gaps):
        """Return the error for rows of gaps."""
        values = np.abs(gaps) if self.norm != "l2" else gaps**2
        sums = np.add.reduceat(values * self.weights, self.cells.starts, axis=1)
        if self.pooled:
            return np.sqrt(sums.mean(axis=1))
        return (sums if self.norm != "l2" else np.sqrt(sums)).mean(axis=1)

    def _signed(self, gaps):
        """Return the gaps added up with signs that may change once, averaged over the events."""
        total = np.zeros(len(gaps))
        ends = [*self.cells.starts[1:], gaps.shape[1]]
        for start, stop in zip(self.cells.starts, ends):
            part = np.cumsum(gaps[:, start:stop] * self.weights[start:stop], axis=1)
            total += np.abs(part[:, -1:] - 2.0 * np.hstack([0.0 * part[:, :1], part])).max(axis=1)
        return total / self.cells.n_groups


class LargestGap(ErrorConstruction):
    """Exact binomial bounds of every bin.

    The largest gap is at most t exactly if all are, hence Bonferroni's rule at the lower end; it is
    at least t if one of them is, and this is rejected if each bin alone rejects it, hence no
    correction at the upper end.
    """

    method = "exact"

    def __init__(self, cells):
        self.cells = cells
        self.hits = cells.rate * cells.count
        self.estimate = float(np.abs(cells.gap).max())

    def pvalue_at_most(self, size):
        n, gap = self.cells.count, np.abs(self.cells.gap)
        worst = gap_pvalue(gap, n, self.cells.proba, size)
        return float(min(1.0, n.size * worst.min()))

    def upper(self, alpha):
        lowest, highest = rate_limits(self.hits, self.cells.count, alpha)
        return float(np.maximum(highest - self.cells.proba, self.cells.proba - lowest).max())
