"""Intervals of errors that are norms of the residuals."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from ..._data.arrays import scale_of
from ..._data.targets import reduce_target
from .._nulls.batches import simulated_values
from .._nulls.simulation import SimulatedLabels
from .construction import ErrorConstruction, share_at_least


class NormOfResiduals(ErrorConstruction):
    r"""Bounds that hold for every error that is the norm of a mean of residuals.

    Each event's part of the error must be at most the mean size of the residuals.

    **Lower end.** By the triangle inequality the error T exceeds the true error by at most the norm
    of the noise. Its distribution is that of T for labels drawn from the predictions, times the
    root of the ratio of observed to predicted squared residuals if that exceeds one.

    **Upper end.** The true error is a mean residual with weights between -1 and 1, chosen for the
    true probabilities, and T is at least that mean of the observed residuals. Its standard error is
    at most that of the plain mean, and the bound is T plus its normal quantile.
    """

    method = "projection"

    def __init__(self, error, predictions, rng, n_draws, say):
        n_cells = predictions.n_samples * error.n_columns
        null = SimulatedLabels([error], predictions)
        ((_, noise),) = simulated_values(null, n_draws, rng, n_cells=n_cells, say=say)
        self.estimate = float(error(predictions.codes)[0])
        weight = np.ones(predictions.n_samples)
        if predictions.weight is not None:
            weight = predictions.weight / scale_of(predictions.weight)
        spreads, ratios = [], []
        for reduction in reduce_target(predictions.proba, error.target):
            p, residuals = reduction.proba[:, 0], reduction.residuals(predictions.codes)[:, 0, 0]
            predicted, seen = weight**2 @ (p * (1.0 - p)), weight**2 @ residuals**2
            spreads.append(np.sqrt(max(predicted, seen)) / weight.sum())
            ratios.append(np.sqrt(seen / predicted) if predicted > 0.0 else np.inf)
        self.spread = float(np.mean(spreads))
        self.inflation = max(1.0, *ratios)
        self.ordered = np.sort(noise)

    def pvalue_at_most(self, size):
        excess = self.estimate - size
        if excess <= 0.0 or np.isinf(self.inflation):
            return 1.0
        return float(share_at_least(self.ordered, excess / self.inflation))

    def upper(self, alpha):
        return min(1.0, self.estimate - float(ndtri(alpha)) * self.spread)
