"""Intervals of kernel errors: rows drawn again, and no row paired with a copy of itself."""

from __future__ import annotations

from copy import copy
from functools import cached_property

import numpy as np

from .._nulls.batches import simulated_values
from .._nulls.simulation import SimulatedLabels
from .._pvalues import monte_carlo_pvalue
from .construction import ErrorConstruction, share_at_least, smallest_kept
from .surprises import Surprises

_BATCH_CELLS = 12_000_000


class PairsOfRows(ErrorConstruction):
    r"""Percentiles of the unbiased pair sum over resamples.

    A resample holds some rows several times. Pairs of copies of one row would add :math:`k(r_i,
    r_i) |e_i|^2` each, which makes every resample look worse than the data; they are left out, so
    that the replicates scatter around the unbiased estimate. Their variance is the sum of that of
    the row means, which is inflated by noise, and of that of pairs, V; for a calibrated model it is
    3 V instead of V. Random signs of the residuals tell V, and replicates below the estimate are
    moved towards it by the factor :math:`(1 - 2 V / \mathrm{var})^{1/2}`; those above stay, since
    the distribution is skewed to the right. The estimate of an error with the "biased" estimator,
    or of its root, has an interval from the same replicates: it measures the same error of the
    population.

    **What resamples cannot tell.** The lower end is above zero only if labels drawn from the
    predictions reject that they are calibrated, which holds its level at any n. Where the less
    likely labels are few (`Surprises`), resamples hold too few of them, or none. A size is then
    also not rejected if the root of the biased error could be due to the binomial noise of their
    number, and the upper end is at least the error that the predictions have if the odds of a
    surprise are off by the same factor in all rows, as far as the exact limits of the rate allow.

    `unbiased` is the same error as `error`, with the estimator "uq" and without root.
    """

    method = "pairs"
    is_drawn = True

    def __init__(self, error, unbiased, predictions, rng, n_draws, say):
        self.root = error.root
        self.clipped = error.root or error.estimator == "biased"
        self.estimate = float(error(predictions.codes)[0])
        center = float(unbiased(predictions.codes)[0])
        residuals = [reduction.residuals(predictions.codes) for reduction in unbiased.reductions]
        drawn = np.concatenate(
            [
                _replicates(unbiased, residuals, multiplicity)
                for multiplicity in _resamples(rng, n_draws, unbiased, predictions.n_samples, say)
            ]
        )
        signs = rng.choice(
            [-1.0, 1.0], size=(predictions.n_samples, _n_signs(unbiased, predictions))
        )
        of_pairs = unbiased.of_residuals([one * signs[:, np.newaxis, :] for one in residuals])
        share = np.mean(of_pairs**2) / max(drawn.var(), np.finfo(float).tiny)
        shrinkage = np.sqrt(max(1.0 / 3.0, 1.0 - 2.0 * share))
        self.replicates = np.where(drawn < center, center + shrinkage * (drawn - center), drawn)
        self.ordered = np.sort(self.replicates)
        self.corrected = self._show(center) if self.clipped else center
        self.unbiased, self.predictions = unbiased, predictions
        self.rng, self.n_draws, self.say = rng, n_draws, say
        self.surprises = [
            Surprises(one, predictions.codes, predictions.weight) for one in unbiased.reductions
        ]
        self.biased = copy(unbiased)
        self.biased.estimator = "biased"
        # The residuals of a row are as long as this at most, and so is the mean of any rows.
        self.longest = 1.0 if unbiased.n_columns == len(residuals) else np.sqrt(2.0)
        self.norm = float(np.sqrt(self.biased(predictions.codes)[0])) / self.longest

    def pvalue_at_most(self, size):
        of_rows = float(share_at_least(-self.ordered[::-1], -(size**2 if self.root else size)))
        return max(of_rows, self._pvalue_of_labels(size))

    def lower(self, alpha):
        of_rows = self._show(self.ordered[self._rank(alpha) - 1])
        if of_rows <= 0.0 or self._pvalue_of_labels(of_rows) <= alpha * (1.0 + 1e-9):
            return of_rows
        return smallest_kept(self._pvalue_of_labels, of_rows, alpha)

    def upper(self, alpha):
        of_rows = self._show(self.ordered[-self._rank(alpha)])
        if not any(one.few for one in self.surprises):
            return of_rows
        shifts = [one.shift(alpha) * one.direction for one in self.surprises]
        return max(of_rows, self._show(self.biased.of_residuals(shifts)[0]))

    def _pvalue_of_labels(self, size):
        """Return the p-value of labels instead of rows that are drawn, of one true size."""
        size = (size if self.root else np.sqrt(max(size, 0.0))) / self.longest
        few = [one.pvalue(self.norm, size) for one in self.surprises if one.few]
        return max([self._pvalue_of_zero, *few])

    @cached_property
    def _pvalue_of_zero(self):
        """The p-value of calibration from labels that are drawn from the predictions."""
        n_cells = self.predictions.n_samples * self.unbiased.n_columns
        null = SimulatedLabels([self.unbiased], self.predictions)
        ((observed, drawn),) = simulated_values(
            null, self.n_draws, self.rng, n_cells=n_cells, say=self.say
        )
        return monte_carlo_pvalue(observed, drawn)

    def _rank(self, alpha):
        """Return which of the sorted replicates is the bound of a Monte Carlo test."""
        return max(1, int(alpha * (self.ordered.size + 1.0) + 1e-9))

    def _show(self, value):
        """Return a squared error as the metric shows it."""
        value = max(float(value), 0.0) if self.clipped else float(value)
        return value**0.5 if self.root else value


def _n_signs(error, predictions):
    """Return the number of sets of random signs."""
    return int(np.clip(_BATCH_CELLS // (predictions.n_samples * error.n_columns), 20, 200))


def _resamples(rng, n_draws, error, n_samples, say):
    """Yield batches of columns: how often each row is drawn."""
    size = max(1, _BATCH_CELLS // (n_samples * error.n_columns))
    for start in range(0, n_draws, size):
        rows = [rng.integers(n_samples, size=n_samples) for _ in range(min(size, n_draws - start))]
        yield np.stack([np.bincount(one, minlength=n_samples) for one in rows], axis=1)
        say.count(start + len(rows), n_draws, "resamples")


def _replicates(error, residuals, multiplicity):
    """Return the mean over pairs of different rows, each as often as it was drawn."""
    weight = error.weight
    drawn = weight[:, np.newaxis] * multiplicity
    of_all = weight.sum() ** 2 - weight @ weight
    of_drawn = drawn.sum(axis=0) ** 2 - np.einsum("ij,ij->j", drawn, drawn)
    columns = [one * multiplicity[:, np.newaxis, :] for one in residuals]
    return error.of_residuals(columns) * of_all / np.maximum(of_drawn, np.finfo(float).tiny)
