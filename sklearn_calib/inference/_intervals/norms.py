"""Intervals of errors that are norms of the residuals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from ..._data.targets import reduce_target
from .._nulls.batches import simulated_values
from .._nulls.simulation import SimulatedLabels
from .._pvalues import tie_tolerance
from .construction import ErrorConstruction, share_at_least
from .surprises import Surprises


class NormOfResiduals(ErrorConstruction):
    r"""Bounds that hold for every error that is the norm of a mean of residuals.

    Each event's part of the error must be at most the mean size of the residuals.

    **Lower end.** By the triangle inequality the error T exceeds the true error by at most the norm
    of the noise. Its distribution is that of T for labels drawn from the predictions. If the
    squared residuals are larger than the predictions promise, the labels are drawn from predictions
    that are mixed with equal probabilities until they promise as much: where events are more
    frequent than predicted, labels drawn from the predictions would hardly contain any.

    **Upper end.** The true error is a mean residual with weights between -1 and 1, chosen for the
    true probabilities, and T is at least that mean of the observed residuals. Its standard error is
    at most that of the plain mean, and the bound is T plus its normal quantile.

    **Few surprises.** Where the less likely labels are few (`Surprises`), a size is also not
    rejected if an error of T could be due to the binomial noise of their number, and the upper end
    is at least T plus the distance of the observed rate from its exact limits.

    `prepare` gives the error for other predictions.
    """

    method = "projection"
    is_drawn = True

    def __init__(self, error, predictions, rng, n_draws, say, prepare):
        self.estimate = float(error(predictions.codes)[0])
        weight = predictions.weight
        weight = np.ones(predictions.n_samples) if weight is None else weight / weight.max()
        reductions = reduce_target(predictions.proba, error.target)
        self.surprises = [Surprises(one, predictions.codes, weight) for one in reductions]
        promised = [weight**2 @ _variances(one.proba) for one in reductions]
        seen = [weight**2 @ one.residuals(predictions.codes)[:, 0, 0] ** 2 for one in reductions]
        self.spreads = np.sqrt(np.maximum(promised, seen)) / weight.sum()
        uniform = 1.0 / predictions.n_classes
        part = max(
            _part_of_uniform(one.proba[:, 0], weight**2, uniform, variance)
            for one, variance in zip(reductions, seen)
        )
        if part > 0.0:
            proba = (1.0 - part) * predictions.proba + part * uniform
            predictions = replace(predictions, proba=proba)
            error = prepare(predictions)
            reductions = reduce_target(proba, error.target)
            promised = [weight**2 @ _variances(one.proba) for one in reductions]
        ratios = [a / b if b > 0.0 else np.inf for a, b in zip(seen, promised) if a > b]
        self.inflation = float(np.sqrt(max([1.0, *ratios])))
        n_cells = predictions.n_samples * error.n_columns
        null = SimulatedLabels([error], predictions)
        ((_, noise),) = simulated_values(null, n_draws, rng, n_cells=n_cells, say=say)
        self.ordered = np.sort(noise)

    def pvalue_at_most(self, size):
        excess = self.estimate - size
        if excess <= 0.0 or np.isinf(self.inflation):
            return 1.0
        tie = tie_tolerance(np.array([self.estimate]))
        pvalue = float(share_at_least(self.ordered, excess / self.inflation - tie))
        few = [one.pvalue(self.estimate, size) for one in self.surprises if one.few]
        return max([pvalue, *few])

    def upper(self, alpha):
        reach = -float(ndtri(alpha)) * self.spreads
        for k, one in enumerate(self.surprises):
            if one.few:
                # Rows of different probabilities have a number that varies less than a binomial.
                binomial = np.sqrt(one.rate * (1.0 - one.rate) / one.count)
                thinning = min(1.0, self.spreads[k] / binomial) if binomial > 0.0 else 1.0
                reach[k] = max(reach[k], thinning * one.reach(alpha))
        return min(1.0, self.estimate + float(np.mean(reach)))


def _variances(proba):
    """Return the variance of the event of each row."""
    return proba[:, 0] * (1.0 - proba[:, 0])


def _part_of_uniform(p, weight, uniform, variance):
    """Return how much of a uniform probability raises the total variance to a given one.

    The variance of a mixture is a quadratic function of the part. If it nowhere reaches the given
    variance, the part with the largest one is returned.
    """
    missing = variance - weight @ (p * (1.0 - p))
    slope = weight @ ((uniform - p) * (1.0 - 2.0 * p))
    curvature = weight @ (uniform - p) ** 2
    if missing <= 0.0 or slope <= 0.0:
        return 0.0
    root = slope**2 - 4.0 * curvature * missing
    if root <= 0.0:
        return min(1.0, slope / (2.0 * curvature))
    return min(1.0, 2.0 * missing / (slope + np.sqrt(root)))
