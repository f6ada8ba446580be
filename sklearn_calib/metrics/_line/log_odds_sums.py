"""Slope and intercept of a logistic line from sums over rows, with a bound on the error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ..._data.sums import Mergeable, Sums, Totals, add_by_cell, add_up, joined
from ..._data.targets import reduce_target
from ..._utils.links import lift, logit
from .line_model import LineModel, SoftplusSums

_EPS = np.finfo(float).eps
# Panels of log-odds, beyond which there are no floating-point probabilities but 0 and 1, and the
# Chebyshev polynomials whose sums each has. Their nodes then stand for the rows of the panel.
_LOW, _WIDTH, _N_PANELS, _N_NODES = -37.0, 0.5, 148, 20
# Relative range below which all values count as equal, as in `LogisticLine`.
_EQUAL = 1e-12
# Rows in which the first one of many columns is looked for at a time.
_FIRST_ROWS = 256
# Relative rounding of the sums over nodes.
_ROUNDING = 1e-14
# Half-heights of the strip around the real axis in which the logistic function is looked at.
_HEIGHTS = np.pi * np.linspace(0.5, 0.99, 50)


class _Basics(NamedTuple):
    """Sums beside the polynomials: of the rows between 0 and 1, and of those at 0 and at 1."""

    weight: float
    events: float
    events_x: float
    weight_at_zero: float
    events_at_zero: float
    weight_at_one: float
    events_at_one: float


class _Extremes(NamedTuple):
    """Smallest values over the rows between 0 and 1."""

    distance: float
    events_low: float
    events_high: float
    others_low: float
    others_high: float


@dataclass(frozen=True)
class LogOddsSums(Sums):
    """Sums over the rows of each panel of log-odds.

    For each panel they are those of the weight times the Chebyshev polynomials. Exact 0 and 1,
    whose log-odds are set by the smallest distance to 0 or 1 among all rows, stand apart.

    Attributes
    ----------
    target : {"binary", "confidence"}
        The event.
    """

    target: str
    n_least = len(_Extremes._fields)

    @property
    def size(self) -> int:
        """Number of sums."""
        return len(_Basics._fields) + _N_NODES * _N_PANELS

    def of_batch(self, predictions):
        """Return the totals of a batch of `Predictions`."""
        (reduction,) = reduce_target(predictions.proba, self.target)
        p = reduction.proba[:, 0]
        y = predictions.codes == reduction.event[:, 0]
        w = np.ones(p.size) if predictions.weight is None else predictions.weight
        ends = [add_up(w[rows]) for end in (p == 0.0, p == 1.0) for rows in (end, end & y)]
        inside = (p > 0.0) & (p < 1.0)
        p, y, w = p[inside], y[inside], w[inside]
        # A row so close to 0 or 1 that it is moved at all is moved by this floor.
        x = logit(lift(p, _EPS), eps=0.5 * _EPS)
        extremes = np.minimum(p, 1.0 - p), x[y], -x[y], x[~y], -x[~y]
        least = np.array([values.min(initial=np.inf) for values in extremes])
        basics = [add_up(w), add_up(w[y]), add_up(w[y] * x[y]), *ends]
        place = (x - _LOW) / _WIDTH
        panel = place.astype(np.intp)
        t = 2.0 * (place - panel) - 1.0
        before, now, moments = w, w * t, []
        for _ in range(_N_NODES):
            moments.append(add_by_cell(before, panel, _N_PANELS))
            before, now = now, 2.0 * t * now - before
        sums = joined([*basics, *moments])
        return Totals(sums.high, sums.low, least)

    def of_draws(self, predictions, codes):
        """Return the totals of a batch for several columns of labels."""
        n_draws = codes.shape[1]
        fixed = self.of_batch(replace(predictions, codes=codes[:, 0]))
        high, low, least = (
            np.repeat(one[:, np.newaxis], n_draws, axis=1)
            for one in (fixed.high, fixed.low, fixed.least)
        )
        (reduction,) = reduce_target(predictions.proba, self.target)
        p = reduction.proba[:, 0]
        happened = codes == reduction.event
        w = np.ones(p.size) if predictions.weight is None else predictions.weight
        order = np.argsort(p, kind="stable")
        order = order[(p[order] > 0.0) & (p[order] < 1.0)]
        x, y = logit(lift(p[order], _EPS), eps=0.5 * _EPS), happened[order]
        of_labels = (
            ("events", w[order] @ y),
            ("events_x", (w[order] * x) @ y),
            ("events_at_zero", w[p == 0.0] @ happened[p == 0.0]),
            ("events_at_one", w[p == 1.0] @ happened[p == 1.0]),
        )
        for name, values in of_labels:
            row = _Basics._fields.index(name)
            high[row], low[row] = values, 0.0
        if x.size:
            ends = [_first(one, kept) for kept in (y, ~y) for one in (x, -x)]
            least[1:] = ends
        return Totals(high, low, least)


def _first(x, kept):
    """Return the smallest x of the rows that each column keeps, for x that rise or fall."""
    if x[0] > x[-1]:
        x, kept = x[::-1], kept[::-1]
    found, left = np.full(kept.shape[1], np.inf), np.arange(kept.shape[1])
    start, size = 0, _FIRST_ROWS
    while left.size and start < x.size:  # most columns keep one of the first rows
        part = kept[start : start + size, left]
        some = part.any(axis=0)
        found[left[some]] = x[start + part[:, some].argmax(axis=0)]
        left, start, size = left[~some], start + size, 4 * size
    return found


class NodesLine(LineModel):
    """The logistic line of rows of which only the totals of `LogOddsSums` are known.

    Attributes
    ----------
    slope_is : float or None
        The slope if the likelihood has no finite maximum: infinite or NaN.
    rate, moment : ndarray of shape (1,)
        Share of the events, and their mean of u times this share.
    inside : float
        Share of the rows between 0 and 1, for which nodes stand.
    """

    def __init__(self, totals):
        n = len(_Basics._fields)
        basics, extremes = _Basics(*totals.values[:n]), _Extremes(*totals.least)
        floor = max(0.5 * extremes.distance if np.isfinite(extremes.distance) else 0.0, _EPS)
        x_zero, x_one = logit(np.array([floor, 1.0 - floor]), eps=0.5 * _EPS).tolist()
        nodes, shares = _nodes(totals.values[n:])
        nodes = np.concatenate([[x_zero], nodes, [x_one]])
        shares = np.concatenate([[basics.weight_at_zero], shares, [basics.weight_at_one]])
        total = basics.weight + basics.weight_at_zero + basics.weight_at_one
        events = basics.events + basics.events_at_zero + basics.events_at_one
        events_x = basics.events_x + basics.events_at_zero * x_zero + basics.events_at_one * x_one
        shares = shares / total
        self.inside = basics.weight / total
        low, high = self._ends(basics, extremes, x_zero, x_one)
        ends = np.array([low.min(), high.max()])
        self.center = float(np.clip(shares @ nodes, *ends))
        spread = np.sqrt(max(float(shares @ (nodes - self.center) ** 2), 0.0))
        self.spread = float(spread) if spread > 0.0 else 1.0
        self.nodes = SoftplusSums((nodes - self.center) / self.spread, shares)
        self.ends, self.mean = (ends - self.center) / self.spread, 0.0
        everything = basics.weight == basics.events and (
            basics.weight_at_zero == basics.events_at_zero
            and basics.weight_at_one == basics.events_at_one
        )
        self.rate = np.array([1.0 if everything else events / total])
        self.moment = np.array([(events_x - self.center * events) / total / self.spread])
        self.slope_is = self._slope_at_infinity(low, high, ends)

    @staticmethod
    def _ends(basics, extremes, x_zero, x_one):
        """Return the lowest and the highest x of the events and of the others."""
        low = np.array([extremes.events_low, extremes.others_low])
        high = -np.array([extremes.events_high, extremes.others_high])
        for x, weight, events in (
            (x_zero, basics.weight_at_zero, basics.events_at_zero),
            (x_one, basics.weight_at_one, basics.events_at_one),
        ):
            occurs = np.array([events > 0.0, weight > events])
            low = np.where(occurs, np.minimum(low, x), low)
            high = np.where(occurs, np.maximum(high, x), high)
        return low, high

    @staticmethod
    def _slope_at_infinity(low, high, ends):
        """Return the slope if a threshold separates the labels or nothing determines it."""
        both = np.isfinite(low).all()
        equal = ends[1] - ends[0] <= _EQUAL * np.abs(ends).max()
        up, down = high[1] <= low[0], high[0] <= low[1]
        if not both or equal or (up and down):
            return np.nan
        return np.inf if up else -np.inf if down else None

    def _evaluate(self, alpha, beta):
        return self.nodes(alpha, beta)

    def fit(self):
        """Return intercept and slope, each NaN or infinite where `LogisticLine` says so."""
        if self.slope_is is not None:
            rate = self.rate[0]
            return (np.nan if 0.0 < rate < 1.0 else np.inf if rate else -np.inf), self.slope_is
        alpha, beta, *_ = self.newton(self.rate, self.moment)
        slope = float(beta[0]) / self.spread
        return float(alpha[0]) - slope * self.center, slope

    def bounds(self, intercept, slope, *, joint=True):
        """Return how far the intercept and the slope may be from those of the rows.

        Nodes in place of rows change the derivatives of the mean loss by no more than the error of
        interpolating the logistic function. By self-concordance the distance of the minima is at
        most four times as many Newton steps of that size. The coefficients are finite, and `joint`
        says whether the slope has been fitted as well.
        """
        beta = np.array([slope * self.spread])
        alpha = np.array([intercept + slope * self.center])
        error, widening = interpolation_error(abs(slope))
        error = self.inside * (error + _ROUNDING)
        reach = np.abs(self.ends).max() + widening / self.spread
        _, _, hessian = self._evaluate(alpha, beta)
        a, b, c = hessian[:, 0]
        if joint:
            determinant = a * c - b * b
            if determinant <= 0.0:
                return np.inf, np.inf
            step = np.array([c + abs(b) * reach, abs(b) + a * reach]) * (error / determinant)
        else:
            step = np.array([error / a if a > 0.0 else np.inf, 0.0])
        step *= 4.0
        if not step[0] + step[1] * reach <= np.log(2.0):
            return np.inf, np.inf if joint else 0.0
        of_slope = step[1] / self.spread
        return float(step[0] + of_slope * abs(self.center)), float(of_slope)


def interpolation_error(slope):
    """Return the largest error of the logistic function from its values at the nodes of a panel.

    It is Trefethen's bound, for a slope that is not negative, for a function that is analytic
    inside an ellipse around the panel: the best of several ellipses, of which the second result
    says how far it reaches beyond the panel.
    """
    if slope == 0.0:
        return 0.0, 0.0
    half_axis = 2.0 * _HEIGHTS / (slope * _WIDTH)
    size = half_axis + np.sqrt(half_axis**2 + 1.0)
    largest = 1.0 / np.sin(_HEIGHTS)
    with np.errstate(all="ignore"):  # a slope so steep that every ellipse is the panel itself
        errors = 4.0 * largest * size ** (1.0 - _N_NODES) / (size - 1.0)
    best = int(errors.argmin())
    beyond = 0.5 * (size[best] + 1.0 / size[best]) - 1.0
    return float(errors[best]), float(beyond * 0.5 * _WIDTH)


def _nodes(moments):
    """Return nodes and the weights at which they stand for the rows of their panels."""
    moments = moments.reshape(_N_NODES, _N_PANELS)
    filled = np.flatnonzero(moments[0])
    angle = np.pi * (np.arange(_N_NODES) + 0.5) / _N_NODES
    order = np.arange(_N_NODES)[:, np.newaxis]
    factor = np.where(order == 0, 1.0, 2.0) / _N_NODES * np.cos(order * angle)
    weights = moments[:, filled].T @ factor
    center = _LOW + (filled + 0.5) * _WIDTH
    nodes = center[:, np.newaxis] + 0.5 * _WIDTH * np.cos(angle)
    return nodes.ravel(), weights.ravel()


def merge_slope(target):
    """Return the `Mergeable` of the slope for a resolved target."""
    return Mergeable(LogOddsSums(target), partial(_coefficient, 1), partial(_bound, 1))


def merge_intercept(target, *, joint):
    """Return the `Mergeable` of the intercept for a resolved target."""
    options = {"joint": joint}
    return Mergeable(
        LogOddsSums(target), partial(_coefficient, 0, **options), partial(_bound, 0, **options)
    )


def _fit(totals, joint):
    """Return (intercept, slope) and the bounds of both, zero where they are not finite."""
    line = NodesLine(totals)
    found = line.fit() if joint else (float(line.fit_intercept(line.rate)[0]), 1.0)
    if not np.isfinite(found).all():
        return found, (0.0, 0.0)
    return found, line.bounds(*found, joint=joint)


def _coefficient(which, totals, joint=True):
    """Return the intercept (0) or the slope (1), NaN if the sums do not determine it."""
    found, bounds = _fit(totals, joint)
    return found[which] if np.isfinite(bounds[which]) else np.nan


def _bound(which, totals, joint=True):
    return _fit(totals, joint)[1][which]
