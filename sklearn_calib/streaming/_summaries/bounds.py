"""How much the loss of a calibrator fitted from a summary can exceed that of one fitted in memory.

Write L for the mean loss over all rows, M for that over the rows that stand for them, f for the map
fitted from the summary and g for the one fitted in memory. As f minimises M,
``L(f) - L(g) <= (L - M)(f) + (M - L)(g)``.

Smooth maps. Non-events and events of a cell stand at their mean log-odds z, so that the difference
is ``v / 2`` times a second derivative of the loss of a row, with v the variance of z in the cell.
With the predictor e(z) the second derivative is ``p (1 - p) e'^2 + (p - y) e''``.

- A line (Platt, temperature, beta with a = b) has ``e'' = 0``: the second derivative is between 0
  and ``a^2 / 4``, so M is never above L and ``L(f) - L(g) <= a^2 / 8 * mean(v)``.
- The adaptive map has an e'' that is computed; both differences are counted. Its strengths and
  knots follow from the summary, too. What another choice of them gains on the rows is of the size
  of half its effective parameters over the number of rows, which is added but not proved.
- Beta has e' between a and b and ``|e''| <= |a - b| / 4``, which gives
  ``max(a, b)^2 / 8 + |a - b| / 4`` times mean(v) for all maps with such a difference.

Step functions. Only the place of a row within its cell is unknown. Every row is counted at its most
harmful place for f and at the most useful one for g.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import logit
from sklearn.isotonic import isotonic_regression

from ..._data.bins import automatic_count, bin_index, effective_size
from ...calibrators import (
    AdaptiveCalibrator,
    BetaCalibrator,
    DirichletCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    MatrixScalingCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
    VectorScalingCalibrator,
)

# Beyond these log-odds probabilities that become log-odds may be bent, see `lift`.
_STRAIGHT = 35.0


class LossBound(NamedTuple):
    """A bound on a difference of mean losses.

    Attributes
    ----------
    loss : {"log_loss", "brier_score"}
        The loss that the calibrator minimises; with smoothed labels where it smooths them.
    bound : float
        How much the mean loss over all rows of the calibrator fitted from the summary can exceed
        that of the calibrator fitted to the rows in memory.
    proved : bool
        Whether that is certain, or only the size to be expected.
    """

    loss: str
    bound: float
    proved: bool = True


def bound_loss(points, calibrator):
    """Return the `LossBound` of a binary calibrator fitted to points."""
    for kind, bound in _BOUNDS.items():
        if isinstance(calibrator, kind):
            return bound(points, calibrator)
    raise _no_bound(calibrator, _BOUNDS)


def _no_bound(calibrator, kinds):
    known = ", ".join(kind.__name__ for kind in kinds)
    return ValueError(
        f"No bound is known for {type(calibrator).__name__}, but for {known}. Compare the loss on "
        "held-out rows instead."
    )


def _line(points, slope):
    bend = np.where(np.abs(points.log_odds) > _STRAIGHT, abs(slope), 0.0)
    return LossBound("log_loss", _mean(points, points.variance * (slope**2 / 8.0 + bend)))


def _platt(points, calibrator):
    return _line(points, calibrator.slope_)


def _temperature(points, calibrator):
    return _line(points, 1.0 / calibrator.temperature_)


def _beta(points, calibrator):
    steepest = max(abs(calibrator.a_), abs(calibrator.b_))
    straight = calibrator.parameters in ("am", "a")
    difference = 0.0 if straight else max(1.0, 2.0 * abs(calibrator.a_ - calibrator.b_))
    factor = np.full(points.variance.shape, steepest**2 / 8.0 + difference / 4.0)
    terms = factor * points.variance
    for clip in (calibrator.eps_, 1.0 - calibrator.eps_):
        across = (points.low < clip) & (clip < points.high)
        terms += across * 2.0 * steepest * np.sqrt(points.variance)
    return LossBound("log_loss", _mean(points, terms))


def _adaptive(points, calibrator):
    # What one parameter gains on the rows it was fitted to, for each that may be another one.
    exchanged = sum(calibrator.effective_dof_.values()) / (2.0 * points.weight.sum())
    inside = (points.low > 0.0) & (points.high < 1.0) & ~points.single
    if not inside.any():
        return LossBound("log_loss", 0.0)
    # The second derivative follows from differences on a grid finer than the cells.
    ends = np.stack([logit(points.low[inside]), logit(points.high[inside])])
    step = 1.0 / 512.0
    grid = np.arange(ends.min() - 2 * step, ends.max() + 2 * step, step)
    proba = calibrator.predict_proba(_columns(1.0 / (1.0 + np.exp(-grid)), calibrator))
    curve = np.log(proba[:, 1]) - np.log(proba[:, 0])
    slope, bend = np.gradient(curve, step), np.gradient(np.gradient(curve, step), step)
    spread = proba[:, 0] * proba[:, 1] * slope**2
    largest = [np.abs(spread + (proba[:, 1] - event) * bend) for event in (0, 1)]
    first = np.maximum(np.searchsorted(grid, ends[0]) - 2, 0)
    last = np.minimum(np.searchsorted(grid, ends[1]) + 2, grid.size - 1)
    terms = np.zeros(points.variance.shape)
    for event in (0, 1):
        reduced = np.maximum.reduceat(
            np.append(largest[event], 0.0), np.stack([first, last], axis=1).ravel()
        )[::2]
        terms[event, inside] = reduced * points.variance[event, inside]
    return LossBound("log_loss", _mean(points, terms) + exchanged, proved=False)


def _columns(p, calibrator):
    return p if calibrator.n_features_in_ == 1 else np.column_stack([1.0 - p, p])


def _histogram(points, calibrator):
    edges, value = calibrator.bin_edges_, calibrator.bin_values_
    first, last = bin_index(points.low, edges), bin_index(points.high, edges)
    if calibrator.strategy == "quantile":
        n_bins = calibrator.n_bins
        n_bins = automatic_count(points.weight.sum()) if n_bins == "auto" else n_bins
        first, last = _uncertain_quantiles(points, first, last, n_bins)
    unsure = first < last
    if not unsure.any():
        return LossBound("brier_score", 0.0)
    sure = points.weight * ~unsure
    total, events = (np.bincount(first, one, value.size) for one in (sure.sum(axis=0), sure[1]))
    best = events - np.divide(events**2, total, out=np.zeros_like(total), where=total > 0.0)
    given = events * (1.0 - value) ** 2 + (total - events) * value**2
    worst = [
        np.maximum.reduceat(np.append(loss, 0.0), np.stack([first, last + 1], 1).ravel())[::2]
        for loss in (value**2, (1.0 - value) ** 2)
    ]
    harm = (given - best).sum() + (points.weight * worst * unsure).sum()
    return LossBound("brier_score", float(harm / points.weight.sum()))


def _uncertain_quantiles(points, first, last, n_bins):
    """Widen the bins of the points that an edge in memory may cut or may lie between."""
    first, last = first.copy(), last.copy()
    weight = points.weight.sum(axis=0)
    share = np.cumsum(weight) / weight.sum()
    # Quantiles count weights as rows, and at least as many as there are different scores.
    one_row = 1.0 / max(weight.sum(), weight.size)
    for level in np.arange(1, n_bins) / n_bins:
        begin = np.searchsorted(share, level - one_row - 1e-12)
        end = min(np.searchsorted(share, level + one_row + 1e-12) + 1, weight.size - 1)
        near = slice(begin, end + 1)
        first[near], last[near] = first[begin], last[end]
    return first, last


def _isotonic(points, calibrator):
    at_low, at_high = (
        calibrator.predict_proba(_columns(place, calibrator))[:, 1]
        for place in (points.low, points.high)
    )
    harm = points.weight * np.stack([at_high**2, (1.0 - at_low) ** 2])
    # The non-events of a cell below its events, unless all are at the same place.
    total, events = points.weight.sum(axis=0), points.weight[1]
    apart = ~points.single
    weight = np.stack([np.where(apart, points.weight[0], total), np.where(apart, events, 0.0)])
    rate = np.stack([np.where(apart, 0.0, events / total), np.ones(total.size)])
    weight, rate = weight.T.ravel(), rate.T.ravel()
    weight, rate = weight[weight > 0.0], rate[weight > 0.0]
    fitted = isotonic_regression(rate, sample_weight=weight)
    useful = weight * ((rate - fitted) ** 2 + rate * (1.0 - rate))
    difference = max(0.0, harm.sum() - useful.sum())
    return LossBound("brier_score", float(difference / total.sum()))


def expected_loss(samples, class_weight, calibrator):
    """Return what a calibrator of several classes loses by being fitted to a sample."""
    if all(sample.complete for sample in samples):
        return LossBound("log_loss", 0.0)
    n_classes = len(samples)
    if type(calibrator) not in _COUNTS:
        raise _no_bound(calibrator, _COUNTS)
    count = _COUNTS[type(calibrator)](calibrator, n_classes)
    share = class_weight / class_weight.sum()
    rows = [effective_size(sample.totals.values) for sample in samples]
    return LossBound("log_loss", float(count / 2.0 * (share**2 / rows).sum()), proved=False)


def _mean(points, terms):
    return float((points.weight * terms).sum() / points.weight.sum())


_BOUNDS: dict[type, Callable] = {
    PlattCalibrator: _platt,
    TemperatureCalibrator: _temperature,
    BetaCalibrator: _beta,
    AdaptiveCalibrator: _adaptive,
    HistogramCalibrator: _histogram,
    IsotonicCalibrator: _isotonic,
}
# Numbers of parameters of calibrators of several classes.
_COUNTS: dict[type, Callable] = {
    AdaptiveCalibrator: lambda calibrator, n_classes: sum(calibrator.effective_dof_.values()),
    DirichletCalibrator: lambda calibrator, n_classes: n_classes * (n_classes + 1),
    MatrixScalingCalibrator: lambda calibrator, n_classes: n_classes * (n_classes + 1),
    TemperatureCalibrator: lambda calibrator, n_classes: 1,
    VectorScalingCalibrator: lambda calibrator, n_classes: 2 * n_classes,
}
