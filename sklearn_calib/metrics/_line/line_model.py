"""Newton's method for a logistic line whose data are points with shares."""

from abc import ABC, abstractmethod

import numpy as np

# Entries of the matrices that are held at once.
_CELLS = 2**19
_MAX_ITER = 100
# Newton decrement of the mean loss below which the next step changes nothing that is visible.
_DECREMENT = 1e-24
_ROUNDING = 1e-14
# Change of a predictor in one step that is always allowed.
_LARGEST_CHANGE = 4.0
# Predictor from which a row is as good as certain.
_CERTAIN = 20.0
# Determinant of the Hessian of the mean loss below which Newton's steps go astray.
_FLAT = 1e-6


class LineModel(ABC):
    """The model ``logit P(y = 1) = alpha + beta * u`` with the shares of centred and scaled u.

    Attributes
    ----------
    center, spread : float
        ``u = (x - center) / spread``.
    ends : ndarray of shape (2,)
        Smallest and largest u.
    mean : float
        Mean of u.
    """

    center: float
    spread: float
    ends: np.ndarray
    mean: float

    @abstractmethod
    def _evaluate(self, alpha, beta):
        """Return the mean of ``log(1 + exp(alpha + beta * u))`` and its derivatives.

        Returns
        -------
        value : ndarray of shape (n_draws,)
        gradient : ndarray of shape (2, n_draws)
        hessian : ndarray of shape (3, n_draws)
            With respect to alpha twice, both, and beta twice.
        """

    def fit_intercept(self, rate, slope=1.0):
        """Return the intercepts with the largest likelihood for given slopes, one per draw.

        `rate` is the share of the weight whose event happened; where it is zero or one, the
        intercept is infinite.
        """
        beta = np.broadcast_to(np.asarray(slope, dtype=float) * self.spread, rate.shape)
        inverse = np.zeros(1, dtype=np.intp)
        if rate.size > 1:
            (rate, beta), inverse = np.unique(np.stack([rate, beta]), axis=1, return_inverse=True)
        ends = np.multiply.outer(self.ends, beta)
        inside = (rate > 0.0) & (rate < 1.0)
        result = np.where(rate > 0.5, np.inf, -np.inf)
        target, beta, ends = rate[inside], beta[inside], ends[:, inside]
        base = np.log(target) - np.log1p(-target)
        low, high = base - ends.max(axis=0), base - ends.min(axis=0)
        alpha = np.clip(base - beta * self.mean, low, high)
        for _ in range(_MAX_ITER):
            _, gradient, hessian = self._evaluate(alpha, beta)
            excess = gradient[0] - target
            low, high = np.where(excess < 0.0, alpha, low), np.where(excess < 0.0, high, alpha)
            with np.errstate(divide="ignore", invalid="ignore"):
                newton = alpha - excess / hessian[0]
            use = (newton >= low) & (newton <= high)
            following = np.where(use, newton, 0.5 * (low + high))
            change = np.abs(following - alpha)
            alpha = following
            if np.all(change <= 1e-14 * (1.0 + np.abs(alpha))):
                break
        result[inside] = alpha - beta / self.spread * self.center
        return result[inverse.ravel()]

    def newton(self, rate, moment):
        """Minimise the mean loss by Newton steps, halved where it does not fall.

        A step may double the predictors and no more: a lower loss may lie where all rows are
        certain, from where no step leads back.

        Returns
        -------
        alpha, beta, value : ndarray of shape (n_draws,)
            The minimum.
        hessian : ndarray of shape (3, n_draws)
            The second derivatives next to it.
        converged : ndarray of bool of shape (n_draws,)
        """
        n_draws = rate.size
        alpha = np.full(n_draws, self.center)
        beta = np.full(n_draws, self.spread)
        value, gradient, hessian = self._loss(alpha, beta, rate, moment)
        flat = hessian[0, 0] * hessian[2, 0] - hessian[1, 0] ** 2 < _FLAT
        farthest = max(-self.ends[0], self.ends[1])
        if flat or abs(self.center) + self.spread * farthest > _CERTAIN:
            # Some or nearly all rows are as good as certain: begin where they are not.
            alpha, beta = np.zeros(n_draws), np.zeros(n_draws)
            value, gradient, hessian = self._loss(alpha, beta, rate, moment)
        size = np.ones(n_draws)
        active = np.arange(n_draws)
        for _ in range(_MAX_ITER):
            steps = newton_steps(hessian[:, active], gradient[:, active])
            decrement = (steps * gradient[:, active]).sum(axis=0)
            done = decrement <= _DECREMENT
            alpha[active[done]] -= steps[0, done]
            beta[active[done]] -= steps[1, done]
            active, steps = active[~done], steps[:, ~done]
            if not active.size:
                break
            if (np.abs(steps[0]) + farthest * np.abs(steps[1])).max() > _LARGEST_CHANGE:
                now, change = (
                    np.abs(one[0] + np.multiply.outer(self.ends, one[1])).max(axis=0)
                    for one in ((alpha[active], beta[active]), steps)
                )
                size[active] = np.minimum(size[active], np.maximum(now, _LARGEST_CHANGE) / change)
            new_alpha = alpha[active] - size[active] * steps[0]
            new_beta = beta[active] - size[active] * steps[1]
            found = self._loss(new_alpha, new_beta, rate[active], moment[active])
            falls = found[0] <= value[active] + _ROUNDING
            size[active] = np.where(falls, 1.0, 0.5 * size[active])
            kept = active[falls]
            alpha[kept], beta[kept] = new_alpha[falls], new_beta[falls]
            value[kept] = found[0][falls]
            gradient[:, kept], hessian[:, kept] = found[1][:, falls], found[2][:, falls]
        converged = np.ones(n_draws, dtype=bool)
        converged[active] = False
        return alpha, beta, value, hessian, converged

    def _loss(self, alpha, beta, rate, moment):
        """Return the mean loss, its gradient and its Hessian for labels with given sums."""
        value, gradient, hessian = self._evaluate(alpha, beta)
        value = value - rate * alpha - moment * beta
        return value, gradient - np.array([rate, moment]), hessian


class SoftplusSums:
    """Points with shares, ready for the sums of `LineModel._evaluate` over them."""

    def __init__(self, u, share):
        self.u = u
        self.powers = share * np.stack([np.ones_like(u), u, u**2])

    def __call__(self, alpha, beta):
        """Return the sums for each pair of coefficients."""
        value = np.zeros(alpha.size)
        gradient, hessian = np.zeros((2, alpha.size)), np.zeros((3, alpha.size))
        step = max(1, _CELLS // max(alpha.size, 1))
        for first in range(0, self.u.size, step):
            powers = self.powers[:, first : first + step]
            eta = alpha + np.multiply.outer(self.u[first : first + step], beta)
            small = np.exp(-np.abs(eta))
            one = 1.0 / (1.0 + small)
            value += powers[0] @ (np.maximum(eta, 0.0) + np.log1p(small))
            gradient += powers[:2] @ np.where(eta > 0.0, one, small * one)
            hessian += powers @ (small * one**2)
        return value, gradient, hessian


def newton_steps(hessian, gradient):
    """Return the Newton steps of problems with two unknowns."""
    a, b, c = hessian
    determinant = np.maximum(a * c - b**2, 1e-300)
    first, second = gradient
    return np.array([c * first - b * second, a * second - b * first]) / determinant
