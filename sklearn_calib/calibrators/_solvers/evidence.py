"""Empirical Bayes: the precision of each group of coefficients from the marginal likelihood.

Every group has an independent zero-mean Gaussian prior of unknown precision. With the likelihood
replaced by its quadratic approximation at the mode (Laplace), the marginal likelihood is
stationary where `precision = dof / |coef|^2` for each group, where `dof = n_group - precision *
trace(covariance of the group)` is its effective number of parameters (MacKay 1992).

Two loops: the inner one iterates that equation on a fixed quadratic approximation, the outer one
moves the mode and renews the approximation, all by warm starts.

References
----------
MacKay, D. J. C. (1992). Bayesian interpolation. Neural Computation 4, 415-447.
doi:10.1162/neco.1992.4.3.415

Varadhan, R., Roland, C. (2008). Simple and globally convergent methods for accelerating the
convergence of any EM algorithm. Scandinavian Journal of Statistics 35, 335-353.
doi:10.1111/j.1467-9469.2007.00585.x
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from .multinomial import EXACT_LIMIT, factorise, fit_multinomial

# Precisions stay within these factors of the group's largest possible curvature per coefficient:
# at the upper end a coefficient has a ten thousandth of an effective parameter, at the lower end
# the prior is too wide to shrink anything.
_LARGEST_FACTOR = 1e4
_SMALLEST_FACTOR = 1e-8
# Steps of the inner loop, each two inverses; fewer for more coefficients than the next number.
_MAX_INNER = 30
_MAX_INNER_LARGE = 3
_LARGE = 100
# Beyond the exact limit the covariance is approximate, and precisions need not be finer than it.
_COARSER_TOLERANCE = 10.0
# The mode is followed loosely until the precisions have settled.
_LOOSE_NEWTON = 2
_LOOSE_TOLERANCE = 1e-5
# The equation is trusted locally only: longest step in log precision, and extrapolation.
_LONGEST_STEP = 6.0
_LARGEST_EXTRAPOLATION = 8.0
_SMALLEST_EXTRAPOLATION = 0.2  # below one where the steps overshoot and turn back
# From this move of the mode on, steps of the precisions are halved, against cycles.
_DAMPED_FROM = 15


class EvidenceFit(NamedTuple):
    """Coefficients, precisions and what the search for them took.

    Attributes
    ----------
    coef : ndarray of shape (n_coef,)
        Posterior mode.
    precision : ndarray of shape (n_groups,)
        Prior precision of each group, in units of the weights as counts.
    dof : ndarray of shape (n_groups,)
        Effective number of parameters of each group.
    n_iter : int
        Moves of the mode.
    gradient_norm : float
        Norm of the gradient of the penalised mean log loss at the mode.
    converged : bool
        Whether precisions and mode have settled.
    """

    coef: np.ndarray
    precision: np.ndarray
    dof: np.ndarray
    n_iter: int
    gradient_norm: float
    converged: bool


def fit_evidence(problem, group, total, least, *, start, say, shape=0.0, tol=1e-3, max_iter=50):
    """Return the posterior mode under the precisions of largest marginal likelihood.

    `group` has the group of each coefficient; -1 keeps it at zero. Weights count as numbers of
    rows, and `total` is their sum. Each group has a `least` precision, the inverse variance of the
    widest sensible prior, and precisions start from `start`, relative to the group's largest
    possible curvature. The prior on each precision is proportional to ``precision ** (shape - 1)``:
    a positive `shape` favours large precisions, so that a group enters only if the data ask for it.

    The iteration stops at a change of at most `tol` of the effective numbers of parameters,
    relative to those of at least one, and of the log precisions of groups that matter. The mode is
    exact for its precisions.
    """
    count = np.bincount(group[group >= 0], minlength=len(least))
    if not count.any():
        return EvidenceFit(np.zeros(problem.n_coef), least, 0.0 * least, 0, 0.0, True)
    curvature = _largest_curvature(problem, group, count, total)
    low = np.log(np.maximum(curvature * _SMALLEST_FACTOR, least))
    bounds = low, np.maximum(low, np.log(curvature * _LARGEST_FACTOR))
    exact = (group >= 0).sum() <= EXACT_LIMIT
    model = _quadratic_model if exact else _block_model
    tol = tol if exact else _COARSER_TOLERANCE * tol
    max_inner = _MAX_INNER if (group >= 0).sum() <= _LARGE else _MAX_INNER_LARGE
    x, coef = np.clip(np.log(curvature * start), *bounds), np.zeros(problem.n_coef)
    converged, n_iter = False, 0
    while n_iter < max_iter and not converged:
        penalty = _penalty(x, group, total)
        coef = fit_multinomial(
            problem, penalty, start=coef, max_iter=_LOOSE_NEWTON, tol=_LOOSE_TOLERANCE
        ).coef
        update = model(problem, coef, group, count, total, shape)
        new, change = _fixed_point(update, x, bounds, tol, max_inner)
        converged = n_iter > 0 and change < tol
        x = new if n_iter < _DAMPED_FROM else (x + new) / 2
        coef = _better(problem, coef, update(x)[2], _penalty(x, group, total))
        n_iter += 1
        say(f"update {n_iter} of at most {max_iter}, change {change:.2g}")
    fit = fit_multinomial(problem, _penalty(x, group, total), start=coef)
    dof = model(problem, fit.coef, group, count, total, shape)(x)[1]
    return EvidenceFit(
        fit.coef, np.exp(x), dof, n_iter, fit.gradient_norm, bool(converged and fit.converged)
    )


def _better(problem, coef, other, penalty):
    """Return the coefficients of the smaller penalised loss."""
    ridge = np.where(np.isfinite(penalty), penalty, 0.0)

    def loss(coef):
        log_loss = problem.log_loss(problem.offset + problem.direction(coef))
        return log_loss + 0.5 * float(ridge @ coef**2)

    return other if loss(other) < loss(coef) else coef


def _penalty(log_precision, group, total):
    """Return the ridge of the mean loss; infinite for coefficients without a group."""
    penalty = np.full(len(group), np.inf)
    used = group >= 0
    penalty[used] = np.exp(log_precision)[group[used]] / total
    return penalty


def _largest_curvature(problem, group, count, total):
    """Return for each group a quarter of the mean over coefficients of the summed squares."""
    square = [np.einsum("mik,mik,i->m", problem.shared, problem.shared, problem.weight)]
    square += [problem.weight @ feature**2 for feature in problem.local]
    square.append(np.repeat(problem.weight @ problem.cross**2, problem.n_columns))
    square = np.concatenate(square)
    used = group >= 0
    mean = np.bincount(group[used], square[used], len(count)) / np.maximum(count, 1)
    return np.maximum(0.25 * total * mean, 1e-12)


def _quadratic_model(problem, coef, group, count, total, shape):
    """Return the update of the precisions for the quadratic approximation at a mode."""
    used = np.flatnonzero(group >= 0)
    group = group[used]
    proba = problem.probabilities(problem.offset + problem.direction(coef))
    hessian = total * problem.hessian(proba)[np.ix_(used, used)]
    right = hessian @ coef[used] - total * problem.gradient(proba)[used]
    diagonal = np.diag_indices_from(hessian)

    def update(log_precision):
        matrix = hessian.copy()
        matrix[diagonal] += np.exp(log_precision)[group]
        factor = factorise(matrix)
        inverse = lapack.dpotri(factor[0], lower=True)[0]
        mode = lapack.dpotrs(factor[0], right, lower=True)[0]
        trace = np.bincount(group, inverse[diagonal], len(count))
        full = np.zeros(problem.n_coef)
        full[used] = mode
        return *_new_precision(log_precision, mode, trace, group, count, shape), full

    return update


def _block_model(problem, coef, group, count, total, shape):
    """Return the same for many coefficients, as if those of different classes were independent."""
    free, head = group >= 0, problem.n_shared
    proba = problem.probabilities(problem.offset + problem.direction(coef))
    gradient = total * problem.gradient(proba)
    shared = total * problem.shared_block(proba)
    blocks = total * problem.class_blocks(proba)
    parts = [np.arange(head)[np.newaxis]]
    parts.append(np.arange(head, problem.n_coef).reshape(problem.n_per_class, -1).T)

    def update(log_precision):
        ridge = np.where(free, np.exp(log_precision)[group], 0.0)
        variance, mode = np.zeros(problem.n_coef), np.zeros(problem.n_coef)
        for index, hessians in zip(parts, (shared[np.newaxis], blocks), strict=True):
            for position, hessian in zip(index, hessians, strict=True):
                used = free[position]
                place, inner = position[used], hessian[np.ix_(used, used)]
                right = inner @ coef[place] - gradient[place]
                inverse = np.linalg.inv(inner + np.diag(ridge[place]))
                variance[place], mode[place] = np.diag(inverse), inverse @ right
        trace = np.bincount(group[free], variance[free], len(count))
        new = _new_precision(log_precision, mode[free], trace, group[free], count, shape)
        return *new, mode

    return update


def _new_precision(log_precision, mode, trace, group, count, shape):
    """Return the next log precisions and the effective numbers of parameters."""
    dof = np.clip(count - np.exp(log_precision) * trace, 1e-12 * count, count)
    square = np.bincount(group, mode**2, len(count))
    next_one = (dof + 2.0 * shape) / np.maximum(square, 1e-280)
    return np.log(np.maximum(next_one, 1e-280)), dof


def _fixed_point(update, x, bounds, tol, max_steps):
    """Iterate the update, extrapolated group by group; return the end and the first change.

    The change is of the log precision times the share of the group's parameters that are in
    use: a group that is out, or all in, may drift without moving the map.
    """

    def step(x):
        new, dof, _ = update(x)
        new = np.clip(new, *bounds)
        return np.clip(new, x - _LONGEST_STEP, x + _LONGEST_STEP), dof

    first_change = None
    for _ in range(max_steps):
        first, dof = step(x)
        move = first - x
        change = np.max(np.abs(move) * np.minimum(1.0, dof), initial=0.0)
        first_change = change if first_change is None else first_change
        if change < 0.1 * tol:
            return first, first_change
        second, _ = step(first)
        bend = second - first - move
        # Aitken's extrapolation, group by group, where the steps get shorter or turn back.
        shorter = move * bend < 0.0
        factor = np.abs(move) / np.maximum(np.abs(bend), 1e-12)
        factor = np.where(
            shorter, np.clip(factor, _SMALLEST_EXTRAPOLATION, _LARGEST_EXTRAPOLATION), 1.0
        )
        ahead = x + 2.0 * factor * move + factor**2 * bend
        ahead = np.clip(ahead, second - _LONGEST_STEP, second + _LONGEST_STEP)
        x = np.clip(ahead, *bounds)
    return x, first_change
