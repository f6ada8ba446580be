"""The maximum likelihood line of a logistic model, for many sets of labels at once."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import expit, xlogy

from ..._core import ResidualBlocks
from ..._data.bins import starts
from ..._utils.links import lift, logit, probability_floor
from .line_model import LineModel, SoftplusSums

# Relative range below which all values count as equal.
_EQUAL = 1e-12
# With more distinct values than this the sums over them become sums over Chebyshev nodes, which are
# exact to rounding for slopes up to the steepest: the nearest pole of the integrands is pi / slope
# away, and 25 nodes on an interval of length one leave a relative error of 1e-13.
_MOST_POINTS = 2048
_N_NODES = 25
_STEEPEST = 4.0
# Rows that are looked at first to see whether labels are mixed along x.
_FEW_ROWS = 256
# Curvature of the mean loss below which the rounding of its sums moves the minimum visibly.
_FLAT = 1e-6
_MOST_POLISHES = 100
_MOST_DOUBLINGS = 10
_LEAST_CURVATURE = 1e-290
# Change of a predictor up to which a full Newton step surely comes closer.
_NEAR = 0.5


class LineFit(NamedTuple):
    """The lines with the largest likelihood, one per set of labels.

    Attributes
    ----------
    intercept : ndarray of shape (n_draws,)
        Minus or plus infinity if there is one class only; NaN if the slope is infinite, or if all
        values of x are equal up to rounding.
    slope : ndarray of shape (n_draws,)
        Infinite if a threshold on x separates the labels; NaN if there is one class only or if
        all values of x are equal.
    log_likelihood : ndarray of shape (n_draws,)
        The supremum of the log-likelihood, which exists in all of these cases.
    """

    intercept: np.ndarray
    slope: np.ndarray
    log_likelihood: np.ndarray


class LogisticLine(LineModel):
    """The model ``logit P(y = 1) = intercept + slope * x`` with everything but the labels.

    Parameters
    ----------
    x : ndarray of shape (n_samples,)
        Finite values.
    weight : ndarray of shape (n_samples,) or None
        Positive weights; a weight counts as that many copies of the row.
    """

    def __init__(self, x, weight=None):
        weight = np.ones(x.size) if weight is None else weight
        self.scale = weight.max()
        self.weight = weight / self.scale
        self.total = self.weight.sum()
        self.x = x
        ordered = np.sort(x)
        # Predictions that differ by rounding only, such as a mean over folds, determine no slope.
        equal = ordered[-1] - ordered[0] <= _EQUAL * max(-ordered[0], ordered[-1])
        self.start = np.zeros(1, dtype=np.intp) if equal else starts(ordered)
        # Equal values are one row of the sums; what enters is a centred and scaled x.
        share = self.weight / self.total
        self.center = share @ (x - x[0]) + x[0]
        spread = np.sqrt(share @ (x - self.center) ** 2)
        self.spread = spread if self.start.size > 1 and spread > 0.0 else 1.0
        self.u = (x - self.center) / self.spread
        self.group_u = (ordered[self.start] - self.center) / self.spread
        self.share = share
        self.ends = self.group_u[[0, -1]]
        self.mean = self.share @ self.u
        self.nodes: SoftplusSums | None = None
        if self.start.size > _MOST_POINTS:
            # Equal shares need no order.
            shares = share[self.order] if np.ptp(weight) > 0.0 else share
            u = (ordered - self.center) / self.spread
            self.nodes = SoftplusSums(*_chebyshev_sums(u, shares, 1.0 / self.spread))

    @cached_property
    def order(self):
        """The rows in increasing order of x."""
        return np.argsort(self.x, kind="stable")

    @cached_property
    def groups(self):
        """The sums over groups of equal values."""
        return SoftplusSums(self.group_u, np.add.reduceat(self.share[self.order], self.start))

    def fit(self, y):
        """Return the lines with the largest likelihood.

        Parameters
        ----------
        y : ndarray of shape (n_samples, n_draws)
            Whether the event happened.

        Returns
        -------
        fit : LineFit
        """
        y = np.asarray(y, dtype=bool)
        n_draws = y.shape[1]
        count, rate, moment = self._sums(y)
        alpha, beta = np.full(n_draws, np.nan), np.full(n_draws, np.nan)
        value = np.zeros(n_draws)
        finite, slope, tie = self._separations(y)
        # With a threshold inside a group of equal values, this group alone is uncertain.
        for draw in np.flatnonzero(tie >= 0):
            value[draw] = self._loss_of_group(y[:, draw], tie[draw])
        if finite.any():
            *found, hessian, converged = self.newton(rate[finite], moment[finite])
            alpha[finite], beta[finite], value[finite] = found
            flat = hessian[0] * hessian[2] - hessian[1] ** 2 < _FLAT * (hessian[0] + hessian[2])
            for draw in np.flatnonzero(finite)[flat & converged]:
                alpha[draw], beta[draw] = self._polish(y[:, draw], alpha[draw], beta[draw])
            for draw in np.flatnonzero(finite)[~converged]:
                line = self._polish(y[:, draw], 0.0, 0.0)
                one = slice(draw, draw + 1)
                alpha[one], beta[one] = line[:, np.newaxis]
                value[one] = self._loss(alpha[one], beta[one], rate[one], moment[one])[0]
        slope[finite] = beta[finite] / self.spread
        intercept = alpha.copy()
        intercept[finite] -= slope[finite] * self.center
        intercept[count == self.x.size], intercept[count == 0] = np.inf, -np.inf
        return LineFit(intercept, slope, -value * self.total * self.scale)

    def log_likelihood(self, y, intercept, slope):
        """Return the log-likelihood of given lines, one per set of labels.

        Parameters
        ----------
        y : ndarray of shape (n_samples, n_draws)
            Whether the event happened.
        intercept, slope : float or ndarray of shape (n_draws,)
            Finite coefficients.

        Returns
        -------
        log_likelihood : ndarray of shape (n_draws,)
        """
        rate, moment = self.sums(y)
        return self.likelihood_of_sums(rate, moment, intercept, slope)

    def likelihood_of_sums(self, rate, moment, intercept, slope):
        """Return the log-likelihood of given lines for labels with the given `sums`."""
        beta = np.broadcast_to(np.asarray(slope, dtype=float) * self.spread, rate.shape)
        alpha = np.broadcast_to(intercept + beta / self.spread * self.center, rate.shape)
        loss = self._evaluate(alpha, beta)[0] - rate * alpha - moment * beta
        return -loss * self.total * self.scale

    def rate(self, y):
        """Return the share of the weight whose event happened, one per set of labels."""
        return self.sums(y)[0]

    def sums(self, y):
        """Return the share of the events and their mean of u times this share."""
        return self._sums(np.asarray(y, dtype=bool))[1:]

    def _sums(self, y):
        """Return the number of events, and the `sums`."""
        rows = np.stack([np.ones_like(self.share), self.share, self.share * self.u])
        count, rate, moment = ResidualBlocks(None).products(rows, y)
        # The shares may add up to less than one.
        return count, np.where(count == self.x.size, 1.0, np.clip(rate, 0.0, 1.0)), moment

    def _separations(self, y):
        """Return which draws have a finite line, the slopes of the others, and their tied group.

        The tied group is the one that holds both labels where a threshold separates all others,
        -1 if there is none.
        """
        n_draws = y.shape[1]
        finite = np.zeros(n_draws, dtype=bool)
        if n_draws == 1 or self.x.size > 2 * _FEW_ROWS:
            # Labels that are mixed among some of the rows are mixed among all.
            some = slice(None, None, 1 if n_draws == 1 else -(-self.x.size // _FEW_ROWS))
            finite = self._mixed(self.x[some], y[some])
        slope, tie = np.full(n_draws, np.nan), np.full(n_draws, -1)
        rest = np.flatnonzero(~finite)
        if rest.size:
            finite[rest], slope[rest], tie[rest] = self._separation(y[:, rest])
        return finite, slope, tie

    def _mixed(self, x, y):
        """Return for which draws no threshold on x separates the labels, found without sorting."""
        if self.start.size == 1:
            return np.zeros(y.shape[1], dtype=bool)
        x = x[:, np.newaxis]
        first_one, first_zero = (np.where(some, x, np.inf).min(axis=0) for some in (y, ~y))
        last_one, last_zero = (np.where(some, x, -np.inf).max(axis=0) for some in (y, ~y))
        return (first_one < last_zero) & (first_zero < last_one)

    def _separation(self, y):
        """Return the same for draws whose labels may be separated, after sorting them."""
        group = np.repeat(np.arange(self.start.size), np.diff(np.r_[self.start, self.x.size]))
        events = np.ascontiguousarray(y[self.order].T)
        last = self.x.size - 1
        first_one, first_zero = group[events.argmax(axis=1)], group[events.argmin(axis=1)]
        last_one = group[last - events[:, ::-1].argmax(axis=1)]
        last_zero = group[last - events[:, ::-1].argmin(axis=1)]
        both = events.any(axis=1) & ~events.all(axis=1)
        up, down = last_zero <= first_one, last_one <= first_zero
        slope = np.full(y.shape[1], np.nan)
        slope[both & up & ~down] = np.inf
        slope[both & down & ~up] = -np.inf
        tie = np.full(y.shape[1], -1)
        tie[both & up & (last_zero == first_one)] = first_one[both & up & (last_zero == first_one)]
        at_end = both & down & (last_one == first_zero)
        tie[at_end] = first_zero[at_end]
        return both & ~up & ~down, slope, tie

    def _loss_of_group(self, y, group):
        """Return the smallest mean loss of the rows of one group of equal values."""
        rows = self.order[self.start[group] :][: np.diff(np.r_[self.start, self.x.size])[group]]
        share, events = self.share[rows].sum(), self.share[rows] @ y[rows]
        return -xlogy(events, events / share) - xlogy(share - events, 1.0 - events / share)

    def _polish(self, y, alpha, beta):
        """Return the best line, found from another one by Newton steps with exact residuals.

        Where nearly all rows are as good as certain, or a few rows of tiny weight decide on the
        slope, the difference of the sums of labels and of probabilities does not tell residuals.
        """
        line, before = np.array([alpha, beta]), np.inf
        share, y = self.share[self.order], y[self.order]
        ones, zeros = (np.add.reduceat(share * label, self.start) for label in (y, ~y))
        total = ones + zeros

        def residuals(line):
            """Return those of groups, and the curvature of their losses."""
            eta = line[0] + line[1] * self.group_u
            p, q = expit(eta), expit(-eta)
            # Of equal rows first, so that what rounding leaves of them is the same in both sums.
            return np.where(eta > 0.0, zeros - total * q, total * p - ones), total * p * q

        for _ in range(_MOST_POLISHES):
            residual, curvature = residuals(line)
            # Around their mean, as one row may have nearly all the curvature.
            level = max(curvature.sum(), _LEAST_CURVATURE)
            mean = curvature @ self.group_u / level
            u = self.group_u - mean
            spread = curvature @ u**2
            if not spread > _LEAST_CURVATURE:
                if not line.any():
                    break
                line = np.zeros(2)  # all rows are certain, and no step leads back from here
                continue
            shift, tilt = residual.sum() / level, residual @ u / spread
            step = np.array([shift - tilt * mean, tilt])
            reach = np.abs(step[0] + step[1] * self.ends).max()
            if reach <= _NEAR:
                size = np.abs(step).max()
                if not size < 0.5 * before:
                    break
                line, before = line - step, size
                continue
            # A step of this length decreases any sum of logistic losses, and twice of it as well
            # as long as the loss falls there.
            step *= np.log1p(reach) / reach
            for _ in range(_MOST_DOUBLINGS):
                if not residuals(line - 2.0 * step)[0] @ (step[0] + step[1] * self.group_u) > 0.0:
                    break
                step *= 2.0
            line = line - step
        return line

    def _evaluate(self, alpha, beta):
        """Return the mean loss without the labels and its derivatives; see `LineModel`."""
        mild = np.abs(beta) <= _STEEPEST * self.spread
        if self.nodes is None or not mild.any():
            return self.groups(alpha, beta)
        found = self.nodes(alpha, beta)
        if not mild.all():
            exact = self.groups(alpha[~mild], beta[~mild])
            for fast, slow in zip(found, exact):
                fast[..., ~mild] = slow
        return found


def _chebyshev_sums(u, share, width):
    """Return points and shares whose sums of smooth functions are those of many sorted points.

    Parameters
    ----------
    u, share : ndarray of shape (n_points,)
        Sorted points and their shares.
    width : float
        Length of the intervals that have nodes of their own.

    Returns
    -------
    nodes, shares : ndarray of shape (n_nodes,)
    """
    panel = np.floor((u - u[0]) / width)
    start = starts(panel)
    center = u[0] + (panel + 0.5) * width
    t = (u - center) / (0.5 * width)
    angle = np.pi * (np.arange(_N_NODES) + 0.5) / _N_NODES
    shares = np.zeros((start.size, _N_NODES))
    before, now, twice = share, share * t, 2.0 * t
    for k in range(_N_NODES):
        moment = np.add.reduceat(before, start)
        shares += np.outer(moment, np.cos(k * angle) * ((1.0 if k == 0 else 2.0) / _N_NODES))
        before, now = now, twice * now - before
    nodes = center[start, np.newaxis] + 0.5 * width * np.cos(angle)
    return nodes.ravel(), shares.ravel()


def finite_logit(p):
    """Return log-odds that are finite: 0 and 1 count as half the smallest distance to them.

    Parameters
    ----------
    p : ndarray of shape (n_samples,)
        Probabilities.

    Returns
    -------
    x : ndarray of shape (n_samples,)
    floor : float
        The distance from 0 and 1 that stands for none.
    """
    floor = probability_floor(p)
    return logit(lift(p, floor), eps=0.5 * np.finfo(float).eps), floor
