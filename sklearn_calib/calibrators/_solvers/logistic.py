"""Fit a logistic model with few coefficients; shared by the parametric calibrators.

The loss is the weighted mean of ``log(1 + exp(eta)) - t * eta`` with targets t in [0, 1] and a
linear predictor eta. It is convex, so that every stationary point is an optimum.

Features are rows here, and sums over samples go through `einsum`: for so few features it is as
fast as BLAS, without the threads that BLAS starts in every parallel worker.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ..._utils.links import expit, logit
from ..._utils.stack import warn

_GRADIENT_TOLERANCE = 1e-12
_ROUNDING = 1e-13
_SMALLEST_MAGNITUDE = 1e-280


class LogisticFit(NamedTuple):
    """Coefficients of a linear predictor and how they were found.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
        One coefficient per feature, in the units of the features.
    intercept : float
        Zero if none was fitted.
    loss : float
        Weighted mean loss.
    n_iter : int
        Iterations of the optimiser.
    gradient_norm : float
        Norm of the gradient of the mean loss with respect to uncorrelated features of unit
        variance, so that it has the same meaning for every scale of the features.
    """

    coef: np.ndarray
    intercept: float
    loss: float
    n_iter: int
    gradient_norm: float


def fit_logistic(features, target, weight, *, fit_intercept=True, nonnegative=False, max_iter=100):
    """Return the maximum-likelihood fit of a logistic model, exact to rounding.

    There are at most two finite `features`, one per row of the array; `target` lies in [0, 1], and
    weights are positive. `nonnegative` concerns the coefficients, not the intercept. Where the
    features do not determine the coefficients (constant or collinear columns), the solution is that
    of smallest norm in features scaled to the same largest magnitude.

    A convex optimum under signs is the free optimum if that is feasible; otherwise a coefficient is
    zero, and it is the best feasible optimum among the models without one of the features.
    """
    weight = weight / weight.sum()
    n_features = features.shape[0]
    for size in range(n_features, -1, -1):
        fits = [
            _fit_subset(features, list(columns), target, weight, fit_intercept, max_iter)
            for columns in combinations(range(n_features), size)
        ]
        feasible = [fit for fit in fits if not nonnegative or (fit.coef >= 0.0).all()]
        if feasible:
            return min(feasible, key=lambda fit: fit.loss)


def smoothed_targets(target, weight):
    """Return Platt's targets: the posterior means of the two classes under a uniform prior."""
    n_positive = weight[target == 1.0].sum()
    n_negative = weight[target == 0.0].sum()
    positive = (n_positive + 1.0) / (n_positive + 2.0)
    return np.where(target == 1.0, positive, 1.0 / (n_negative + 2.0))


def join_ties(score, target, weight):
    """Return sorted distinct scores with their mean targets and total weights.

    The sums are the same to the last bit in whatever order the rows come.
    """
    order = np.lexsort((weight, target, score))
    score, target, weight = score[order], target[order], weight[order]
    start = np.flatnonzero(np.r_[True, score[1:] > score[:-1]])
    total = np.add.reduceat(weight, start)
    return score[start], np.add.reduceat(weight * target, start) / total, total


def warn_not_converged(estimator, fit):
    """Warn if the optimiser stopped before the gradient vanished."""
    if fit.gradient_norm > 100 * _GRADIENT_TOLERANCE:
        warn(
            f"{type(estimator).__name__} did not converge after max_iter={estimator.max_iter} "
            f"iterations (gradient norm {fit.gradient_norm:.1e}). Increase max_iter.",
            ConvergenceWarning,
        )


def _fit_subset(features, columns, target, weight, fit_intercept, max_iter):
    """Fit the model with some of the features; the other coefficients are zero."""
    used = features[columns]
    magnitude = np.maximum(np.abs(used).max(axis=1), _SMALLEST_MAGNITUDE)
    used = used / magnitude[:, np.newaxis]
    center = np.zeros(len(columns))
    if fit_intercept:
        first = used[:, 0].copy()  # subtracted first, so that a constant feature becomes exactly 0
        used -= first[:, np.newaxis]
        mean = np.einsum("ki,i->k", used, weight)
        used -= mean[:, np.newaxis]
        center = first + mean
    basis = _whitening(used, weight)
    design = np.einsum("kl,ki->li", basis, used)
    start = np.zeros(basis.shape[1])
    if fit_intercept:
        design = np.vstack([design, np.ones(weight.size)])
        start = np.append(start, logit(np.einsum("i,i->", weight, target)))
    solution, loss, n_iter, gradient_norm = _minimize(design, target, weight, start, max_iter)

    scaled_coef = basis @ solution[: basis.shape[1]]
    coef = np.zeros(features.shape[0])
    coef[columns] = scaled_coef / magnitude
    intercept = float(solution[-1] - center @ scaled_coef) if fit_intercept else 0.0
    return LogisticFit(coef, intercept, loss, n_iter, gradient_norm)


def _whitening(features, weight):
    """Return the matrix that makes features uncorrelated, of unit mean square.

    It has one column per direction in which the features vary by more than rounding.
    """
    triangle = np.linalg.qr((np.sqrt(weight) * features).T, mode="r")
    _, spread, directions = np.linalg.svd(triangle, full_matrices=False)
    varies = spread > np.maximum(_ROUNDING, 100 * _ROUNDING * spread.max(initial=0.0))
    return directions[varies].T / spread[varies]


def _minimize(design, target, weight, start, max_iter):
    """Return the minimiser of the mean loss, the loss, the iterations and the gradient norm."""

    def loss_and_gradient(theta):
        eta = np.einsum("k,ki->i", theta, design)
        terms = np.maximum(eta, 0.0) - target * eta + np.log1p(np.exp(-np.abs(eta)))
        gradient = np.einsum("ki,i->k", design, weight * (expit(eta) - target))
        return np.einsum("i,i->", weight, terms), gradient

    def hessian(theta):
        p = expit(np.einsum("k,ki->i", theta, design))
        return np.einsum("ki,li,i->kl", design, design, weight * p * (1.0 - p))

    theta, n_iter = start, 0
    loss, gradient = loss_and_gradient(theta)
    if np.linalg.norm(gradient) > _GRADIENT_TOLERANCE:
        result = minimize(
            loss_and_gradient,
            start,
            method="trust-exact",
            jac=True,
            hess=hessian,
            options={"gtol": _GRADIENT_TOLERANCE, "maxiter": max_iter, "max_trust_radius": np.inf},
        )
        theta, loss, gradient, n_iter = result.x, result.fun, result.jac, result.nit
    # The loss cannot tell the last few steps apart, its gradient can: plain Newton steps.
    while n_iter < max_iter and np.linalg.norm(gradient) > _GRADIENT_TOLERANCE:
        candidate = theta - np.linalg.lstsq(hessian(theta), gradient)[0]
        candidate_loss, candidate_gradient = loss_and_gradient(candidate)
        if np.linalg.norm(candidate_gradient) >= np.linalg.norm(gradient):
            break
        theta, loss, gradient = candidate, candidate_loss, candidate_gradient
        n_iter += 1
    return theta, float(loss), int(n_iter), float(np.linalg.norm(gradient))
