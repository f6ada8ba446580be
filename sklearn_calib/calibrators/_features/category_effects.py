"""Shifts and slopes of log-odds by category, shrunk by empirical Bayes.

Every category of every column adds ``shift + slope * t`` to the log-odds, where t is the scaled
score. Shifts of a column are draws from a normal distribution of unknown variance, slopes from
another. The variances are those of the largest marginal likelihood (Laplace's approximation, by
EM), so that a category of few rows gets little, and one that never occurred nothing. Columns are
fitted in turn. Columns of two categories share their variances: two draws tell little of one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .log_odds import to_proba

_MAX_SWEEPS = 40
_TOLERANCE = 1e-3  # of the standard deviations of the effects
_START = 0.25  # variance of shifts and slopes before the first sweep
_SMALLEST = 1e-5
_LARGEST = 4.0
_LONGEST_STEP = 2.0
_MAX_ROWS = 200_000


class CategoryEffects(NamedTuple):
    """Effects of all categories.

    Attributes
    ----------
    effects : list of ndarray of shape (n_levels, n_outputs, 2)
        Shift and slope of every category, one array per column.
    variance : ndarray of shape (n_columns, 2)
        Variance of shifts and slopes.
    """

    effects: list
    variance: np.ndarray

    def correct(self, levels, scores):
        """Return the sum of the effects of the columns, zero for a level below zero."""
        total = np.zeros_like(scores)
        for column, effects in enumerate(self.effects):
            total += _of_levels(effects, levels[:, column], scores)
        return total


def fit_category_effects(levels, n_levels, scores, logits, target, weight, rng):
    """Fit shifts and slopes of all columns by turns.

    `levels`, of shape (n, n_columns), are the numbers of the categories, below zero for none.
    Slopes multiply `scores`, about standard scores; `logits` are log-odds (one output) or
    log-probabilities to start from, and `target` is one where the row has the class of the output.
    Weights have the mean one. Of more than 200,000 rows as many are drawn.
    """
    n, n_outputs = logits.shape
    if n > _MAX_ROWS:
        rows = np.sort(rng.choice(n, _MAX_ROWS, replace=False))
        levels, scores, logits = levels[rows], scores[rows], logits[rows]
        target, weight = target[rows], weight[rows]
    effects = [np.zeros((size, n_outputs, 2)) for size in n_levels]
    pools = np.array([0 if size <= 2 else k + 1 for k, size in enumerate(n_levels)])
    variance = np.full((len(n_levels) + 1, 2), _START)
    now = logits.copy()
    moments = np.zeros((len(n_levels), 2))
    used = np.array([np.unique(own[own >= 0]).size for own in levels.T]) * n_outputs
    for _ in range(_MAX_SWEEPS):
        for column, size in enumerate(n_levels):
            own = levels[:, column]
            step, spread, seen = _newton_step(
                own, size, scores, now, target, weight, effects[column], variance[pools[column]]
            )
            new = effects[column] + step
            now += _of_levels(step, own, scores)
            effects[column] = new
            moments[column] = (new**2 + spread)[seen].sum(axis=(0, 1))
        before = variance
        variance = variance.copy()
        for pool in np.unique(pools):
            members = pools == pool
            total = moments[members].sum(axis=0) / max(used[members].sum(), 1)
            variance[pool] = np.clip(total, _SMALLEST, _LARGEST)
        if np.abs(np.sqrt(variance) - np.sqrt(before)).max() < _TOLERANCE:
            break
    return CategoryEffects(effects, variance[pools])


def _of_levels(effects, own, scores):
    """Return shift + slope * score of each row."""
    padded = np.concatenate([effects, np.zeros((1, *effects.shape[1:]))])  # the last one: none
    taken = padded[np.where((own >= 0) & (own < len(effects)), own, len(effects))]
    return taken[..., 0] + taken[..., 1] * scores


def _newton_step(own, size, scores, now, target, weight, effects, variance):
    """Return one step of all effects of a column, their posterior variances, and who has rows."""
    inside = own >= 0
    own, scores, now = own[inside], scores[inside], now[inside]
    target, weight = target[inside], weight[inside]
    proba = to_proba(now)
    n_outputs = proba.shape[1]
    step, spread = np.zeros_like(effects), np.zeros_like(effects)
    for k in range(n_outputs):
        p, t = proba[:, k], scores[:, k]
        residual, curvature = weight * (target[:, k] - p), weight * p * (1.0 - p)

        def total(values):
            return np.bincount(own, weights=values, minlength=size)

        a = total(curvature) + 1.0 / variance[0]
        b = total(curvature * t)
        c = total(curvature * t * t) + 1.0 / variance[1]
        first = total(residual) - effects[:, k, 0] / variance[0]
        second = total(residual * t) - effects[:, k, 1] / variance[1]
        determinant = a * c - b * b
        step[:, k, 0] = (c * first - b * second) / determinant
        step[:, k, 1] = (a * second - b * first) / determinant
        spread[:, k, 0], spread[:, k, 1] = c / determinant, a / determinant
    seen = np.bincount(own, minlength=size) > 0
    return np.clip(step, -_LONGEST_STEP, _LONGEST_STEP), spread, seen
