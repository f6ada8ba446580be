"""Score tests of slope and intercept from sums over rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ...._data.sums import Mergeable, Sums, Totals, add_up, joined
from ...._data.targets import reduce_target, resolve_event
from ...._utils.links import logit
from ....metrics._event_errors import Events
from ..one_event import ratio
from .score_form import COLLINEAR

_EPS = np.finfo(float).eps
# Share of the variance of the log-odds that is no more than rounding.
_ROUNDING = 1e-13


class _Event(NamedTuple):
    """Sums of an event, with weights w, residuals e, variances v and log-odds x.

    Exact 0 and 1, whose log-odds follow from the smallest distance to 0 or 1 among all rows, have
    no variance and only residuals.
    """

    residual: float
    residual_x: float
    variance: float
    variance_x: float
    variance_xx: float
    residual_at_zero: float
    residual_at_one: float


# The sums that depend on the labels.
_OF_LABELS = ("residual", "residual_x", "residual_at_zero", "residual_at_one")


@dataclass(frozen=True)
class LogOddsScores(Events, Sums):
    """The sums of residuals, times log-odds, and their variances, for each event."""

    @property
    def size(self) -> int:
        """Number of sums."""
        return self.n_events * len(_Event._fields)

    @property
    def n_least(self) -> int:  # type: ignore[override]
        """Number of smallest values: the distance to 0 or 1 for each event."""
        return self.n_events

    def of_batch(self, predictions):
        """Return the totals of a batch of `Predictions`."""
        n = predictions.n_samples
        weight = np.ones(n) if predictions.weight is None else predictions.weight
        parts, least = [], []
        for reduction in reduce_target(predictions.proba, self.target):
            p = reduction.proba[:, 0]
            residuals = weight * reduction.residuals(predictions.codes)[:, 0, 0]
            variance = weight**2 * (p * (1.0 - p))
            inside = (p > 0.0) & (p < 1.0)
            x = np.where(inside, logit(p, _EPS), 0.0)
            columns = residuals, residuals * x, variance, variance * x, variance * x**2
            parts += [add_up(one) for one in (*columns, residuals[p == 0.0], residuals[p == 1.0])]
            least.append(np.minimum(p, 1.0 - p)[inside].min(initial=np.inf))
        sums = joined(parts)
        return Totals(sums.high, sums.low, np.array(least))

    def of_draws(self, predictions, codes):
        """Return the totals of a batch for several columns of labels."""
        fixed, n_draws = self.of_batch(replace(predictions, codes=codes[:, 0])), codes.shape[1]
        high, low, least = (
            np.tile(part[:, np.newaxis], n_draws) for part in (fixed.high, fixed.low, fixed.least)
        )
        weight = np.ones(len(codes)) if predictions.weight is None else predictions.weight
        for k, reduction in enumerate(reduce_target(predictions.proba, self.target)):
            p, residuals = reduction.proba[:, 0], reduction.residuals(codes)[:, 0]
            inside = (p > 0.0) & (p < 1.0)
            x = np.where(inside, logit(p, _EPS), 0.0)
            rows = k * len(_Event._fields) + np.array([_Event._fields.index(n) for n in _OF_LABELS])
            high[rows] = weight * np.stack([np.ones_like(x), x, p == 0.0, p == 1.0]) @ residuals
            low[rows] = 0.0
        return Totals(high, low, least)

    def events(self, totals):
        """Return the sums of each event, those of exact 0 and 1 with their log-odds in them."""
        found = []
        for values, distance in zip(totals.values.reshape(self.n_events, -1), totals.least):
            event = _Event(*values.tolist())
            floor = max(0.5 * distance if np.isfinite(distance) else 0.0, _EPS)
            at_ends = float(logit(floor, floor)) * (event.residual_at_zero - event.residual_at_one)
            found.append(event._replace(residual_x=event.residual_x + at_ends))
        return found


def merge_scores(n_classes, *, value, target="auto", every_class=False):
    """Return a score test as a function of sums.

    `value` is `slope_value` or `cox_value`, of the sums of an event; the largest of all events
    counts. There is one event, that of `target`, or with `every_class` those of all classes.
    """
    target = resolve_event(target, n_classes)
    if every_class and n_classes > 2:
        target = "classwise"
    sums = LogOddsScores(target, n_classes)
    return Mergeable(sums, partial(_largest, sums, value))


def _largest(sums, value, totals):
    return float(max(value(event) for event in sums.events(totals)))


def slope_value(event):
    """Return the standardised sum of residuals times what an intercept leaves of the log-odds."""
    mean = event.variance_x / event.variance if event.variance > 0.0 else 0.0
    spread = event.variance_xx - mean * event.variance_x
    if event.variance > 0.0 and spread <= _ROUNDING * event.variance_xx:
        return np.float64(0.0)  # all log-odds are equal
    return ratio(np.asarray(event.residual_x - mean * event.residual), np.sqrt(max(spread, 0.0)))


def cox_value(event):
    """Return the quadratic form of the sums of residuals and of residuals times log-odds."""
    wrong = event.residual_at_zero != 0.0 or event.residual_at_one != 0.0
    sums = np.array([event.residual, event.residual_x])
    covariance = np.array(
        [[event.variance, event.variance_x], [event.variance_x, event.variance_xx]]
    )
    spread = np.sqrt(covariance.diagonal())
    kept = spread > 0.0
    if not kept.any():
        return np.float64(np.inf if wrong else 0.0)
    spread = spread[kept]
    values, vectors = np.linalg.eigh(covariance[np.ix_(kept, kept)] / np.outer(spread, spread))
    which = values > COLLINEAR * values[-1]
    return ((vectors[:, which].T @ (sums[kept] / spread)) ** 2 / values[which]).sum()
