"""Intervals of kernel errors: rows drawn again, and no row paired with a copy of itself."""

from __future__ import annotations

import numpy as np

from .construction import ErrorConstruction, share_at_least

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

    `unbiased` is the same error as `error`, with the estimator "uq" and without root.
    """

    method = "pairs"

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

    def pvalue_at_most(self, size):
        return float(share_at_least(-self.ordered[::-1], -(size**2 if self.root else size)))

    def lower(self, alpha):
        return self._show(self.ordered[self._rank(alpha) - 1])

    def upper(self, alpha):
        return self._show(self.ordered[-self._rank(alpha)])

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
