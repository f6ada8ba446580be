"""Kernel errors with an RBF kernel on one probability from sums over rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..._core import fourier_series
from ..._data.sums import Mergeable, NotMergeableError, Sums, Totals, add_up, joined
from ..._data.targets import TARGETS, reduce_target, resolve_target
from ..._utils.options import check_bandwidth, check_option
from .._event_errors import Events
from .line_sums import LineSums, line_value
from .pair_error import ESTIMATORS, KERNELS, check_size

# Below this there are so many frequencies that binned errors are the better choice.
SMALLEST_BANDWIDTH = 5e-4
# Rows at a time, so that the waves stay in the cache of the processor.
_ROWS = 4096
# All other rows together have less than this share of the weight of the heaviest one.
_FEW_PAIRS = 1e-5


@dataclass(frozen=True)
class FourierSums(Events, Sums):
    r"""The sums :math:`\sum_i w_i e_i e^{2 \pi i m p_i / L}` of the residuals of each event.

    On [0, 1] the kernel is a sum of cosines (see `fourier_series`), so that the sum over all pairs
    of rows is one of squares of these. Beside them there are the number of rows, their weights,
    the squared weights, and the sum of ``w**2 e**2``, which are the pairs of a row with itself.

    Attributes
    ----------
    bandwidth : float
        Bandwidth of the kernel.
    """

    bandwidth: float

    @property
    def series(self) -> tuple[float, np.ndarray]:
        """The period, in units of probability, and the coefficients."""
        period, coefficients = fourier_series(1.0 / self.bandwidth)
        return period * self.bandwidth, coefficients

    @property
    def size(self) -> int:
        """Number of sums."""
        return 3 + self.n_events * (1 + 2 * self.series[1].size)

    def of_batch(self, predictions):
        """Return the totals of a batch of `Predictions`."""
        n = predictions.n_samples
        weight = np.ones(n) if predictions.weight is None else predictions.weight
        parts = [add_up(values) for values in (np.ones(n), weight, weight**2)]
        period, coefficients = self.series
        for reduction in reduce_target(predictions.proba, self.target):
            residuals = weight * reduction.residuals(predictions.codes)[:, 0, 0]
            angle = (2.0 * np.pi / period) * (reduction.proba[:, 0] - 0.5)
            parts += [add_up(residuals**2), _waves(angle, residuals, coefficients.size)]
        return joined(parts)

    def of_draws(self, predictions, codes):
        """Return the totals of a batch for several columns of labels."""
        n, n_draws = codes.shape
        weight = np.ones(n) if predictions.weight is None else predictions.weight
        parts = [np.tile([[n], [weight.sum()], [weight @ weight]], n_draws)]
        period, coefficients = self.series
        for reduction in reduce_target(predictions.proba, self.target):
            residuals = weight[:, np.newaxis] * reduction.residuals(codes)[:, 0]
            angle = (2.0 * np.pi / period) * (reduction.proba[:, 0] - 0.5)
            wave = np.exp(1j * np.outer(np.arange(coefficients.size), angle))
            parts.append(np.einsum("ib,ib->b", residuals, residuals)[np.newaxis])
            parts += [wave.real @ residuals, wave.imag @ residuals]
        high = np.vstack(parts)
        return Totals(high, np.zeros_like(high), np.empty((0, n_draws)))

    def parts(self, totals: Totals) -> tuple[int, float, float, np.ndarray, np.ndarray]:
        """Return rows, pair weight, squared weight, and per event the diagonal and the form.

        The weights are ``sum_{i != j} w_i w_j`` and ``(sum w)**2``. The diagonal is the sum of
        ``w**2 e**2``, and the form that over all pairs, those of a row with itself included.
        """
        n, weight, squares = totals.high[:3]
        total = weight**2
        rest = 2.0 * weight * totals.low[1] - totals.low[2]
        events = totals.values[3:].reshape(self.n_events, -1)
        coefficients = self.series[1]
        waves = events[:, 1:].reshape(self.n_events, 2, -1)
        form = (coefficients * (waves**2).sum(axis=1)).sum(axis=1)
        return int(n), total - squares + rest, total, events[:, 0], form


def _waves(angle, values, n_frequencies):
    """Return the sums of the values times the cosines and times the sines of multiples."""
    totals = Totals.zero(2 * n_frequencies)
    for start in range(0, angle.size, _ROWS):
        part = slice(start, start + _ROWS)
        turn = np.exp(1j * angle[part])
        wave, v = np.ones_like(turn), values[part]
        sums = np.empty((2, n_frequencies))
        for m in range(n_frequencies):
            sums[:, m] = v @ wave.real, v @ wave.imag
            wave *= turn
        totals = totals + Totals.of(sums.ravel())
    return totals


def merge_pairs(
    n_classes,
    *,
    estimator,
    kernel,
    bandwidth,
    target,
    auto_target="canonical",
    allowed_targets=TARGETS,
    block_size=None,
    root=False,
):
    """Return a kernel error as a function of sums, or raise `NotMergeableError`.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    estimator, kernel, bandwidth, target, auto_target, allowed_targets, block_size, root : object
        As `PairError` takes them.
    """
    check_option(estimator, "estimator", ESTIMATORS)
    check_option(kernel, "kernel", KERNELS)
    bandwidth = check_bandwidth(bandwidth)
    target = resolve_target(target, n_classes, multiclass=auto_target, allowed=allowed_targets)
    if estimator not in ("uq", "biased"):
        raise NotMergeableError(
            f"estimator={estimator!r} depends on the order of the rows. Use 'uq' or 'biased'."
        )
    if bandwidth == "median":
        raise NotMergeableError(
            "bandwidth='median' depends on all rows. Pass a number, such as 0.2."
        )
    if kernel == "rbf" and bandwidth < SMALLEST_BANDWIDTH:
        raise NotMergeableError(
            f"bandwidth={bandwidth:.6g} takes too many frequencies; it must be at least "
            f"{SMALLEST_BANDWIDTH:g}."
        )
    if target == "canonical":
        raise NotMergeableError(
            "target='canonical' compares whole vectors of probabilities, for which there are no "
            "short sums over rows. Use target='confidence' or 'classwise'."
        )
    if target == "classwise" and n_classes == 2:
        target = "binary"  # both columns say the same
    if kernel == "laplacian":
        if target == "classwise":
            raise NotMergeableError(
                "target='classwise' with kernel='laplacian' needs the rows sorted by each class. "
                "Use kernel='rbf', or one class at a time: its column and y_true == class."
            )
        return Mergeable(LineSums(bandwidth, target), partial(line_value, estimator, root))
    sums = FourierSums(target, n_classes, bandwidth)
    return Mergeable(sums, partial(_value, sums, estimator, root))


def _value(sums, estimator, root, totals):
    """Return a kernel error from its totals."""
    n, pairs, total, diagonal, form = sums.parts(totals)
    check_size(estimator, n)
    if estimator == "biased":
        value = max(float((form / total).mean()), 0.0)
        return float(np.sqrt(value)) if root else value
    if pairs < _FEW_PAIRS * total:
        raise ValueError(
            "One row has nearly all the weight, so that sums over rows do not tell what the pairs "
            "of different rows add. Use estimator='biased' (squared=False for kce), or the "
            "function of arrays."
        )
    return float(((form - diagonal) / pairs).mean())
