"""A cubic spline basis in which the penalty on curvature is a plain ridge."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import BSpline

_DEGREE = 3
# Knots closer than this share of the scores' range would make the basis ill-conditioned.
_SMALLEST_GAP = 1e-3
# Scores whose range is below this share of their size differ by rounding.
_SMALLEST_RANGE = 1e-9


class SmoothBasis:
    """Cubic splines without their linear part, scaled so that roughness is a sum of squares.

    For `f = sum_j c_j S_j` the integral of the squared second derivative is `sum_j c_j ** 2`.
    Beyond the outer knots the functions are constant. On the rows they were made from they are
    orthogonal to constants and to the score itself, so that a penalty on them leaves slope and
    bias alone.

    Parameters
    ----------
    score : ndarray of shape (n_samples,)
        Scores.
    weight : ndarray of shape (n_samples,)
        Weights of the rows, for the orthogonality only.
    n_knots : int
        Number of knots, at quantiles of the distinct scores, so that repeated rows do not move
        them. Fewer where there are fewer distinct scores; with fewer than three the basis is
        empty.

    Attributes
    ----------
    size : int
        Number of functions, `n_knots` where all knots are used.
    knots : ndarray of shape (n_knots,)
        Increasing.
    spline_coef : ndarray of shape (n_knots + 2, size)
        B-spline coefficients of each function.
    """

    def __init__(self, score, weight, n_knots):
        self.knots = _quantile_knots(score, n_knots)
        self.size = len(self.knots) if len(self.knots) >= 3 else 0
        if self.size == 0:
            return
        ends = [self.knots[:1]] * _DEGREE, [self.knots[-1:]] * _DEGREE
        self._all_knots = np.concatenate([*ends[0], self.knots, *ends[1]])
        value, vector = np.linalg.eigh(self._roughness())
        # The two smallest eigenvalues belong to linear functions, which have no curvature.
        value = np.maximum(value[2:], 1e-12 * value[-1])
        self.spline_coef = vector[:, 2:] / np.sqrt(value)
        self._make_orthogonal(score, weight)

    def __call__(self, score):
        """Return the functions at scores, shape (size, n_samples)."""
        if self.size == 0:
            return np.empty((0, len(score)))
        return np.ascontiguousarray((self._splines(score)[0] @ self.spline_coef).T)

    def _splines(self, score):
        """Return the B-splines (a sparse matrix) at scores clipped to the knots, and those."""
        inside = np.clip(score, self.knots[0], self.knots[-1])
        return BSpline.design_matrix(inside, self._all_knots, _DEGREE), inside

    def linear_coef(self):
        """Return the B-spline coefficients of the score itself (those of a constant are equal)."""
        index = np.arange(len(self.knots) + _DEGREE - 1)[:, np.newaxis]
        return self._all_knots[index + np.arange(1, _DEGREE + 1)].mean(axis=1)

    def _roughness(self):
        """Return the integrals of products of second derivatives of the B-splines."""
        count = len(self.knots) + _DEGREE - 1
        second = BSpline(self._all_knots, np.eye(count), _DEGREE).derivative(2)
        gap = np.diff(self.knots)
        middle = (self.knots[1:] + self.knots[:-1]) / 2.0
        # Second derivatives are linear between knots: Gauss's rule with two nodes is exact.
        node = gap / (2.0 * np.sqrt(3.0))
        values = second(np.concatenate([middle - node, middle + node]))
        return (values * np.concatenate([gap, gap])[:, np.newaxis] / 2.0).T @ values

    def _make_orthogonal(self, score, weight):
        """Subtract from each function its regression on a constant and the score."""
        splines, inside = self._splines(score)
        mean = weight @ inside / weight.sum()
        linear = np.vstack([np.ones_like(inside), inside - mean])
        square = np.maximum((linear**2) @ weight, 1e-280)
        moment = (splines.T @ (linear * weight).T).T @ self.spline_coef
        regression = moment / square[:, np.newaxis]
        constant = np.ones(len(self.spline_coef))
        self.spline_coef -= np.vstack([constant, self.linear_coef() - mean]).T @ regression


def _quantile_knots(score, n_knots):
    distinct = np.unique(score)
    spread = distinct[-1] - distinct[0]
    if spread <= _SMALLEST_RANGE * np.abs(distinct).max():
        return distinct[:1]
    count = min(n_knots, len(distinct))
    kept = [distinct[0]]
    for knot in np.quantile(distinct, np.linspace(0.0, 1.0, count))[1:]:
        if knot - kept[-1] >= _SMALLEST_GAP * spread:
            kept.append(knot)
    # The last knot is the largest score; a knot too close to it makes room.
    kept[-1] = distinct[-1]
    return np.array(kept)
