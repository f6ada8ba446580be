"""Newton's method under linear inequalities, for maps that must not reverse an order."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

_MAX_HALVINGS = 40
_MAX_STEPS = 50
# The loss cannot tell steps apart that promise less.
_SMALLEST_DECREASE = 1e-15


def minimise_constrained(problem, ridge, start, matrix, offset):
    """Return the minimiser of a penalised mean loss with `matrix @ coef + offset >= 0`.

    `ridge` is the positive factor of ``coef ** 2 / 2``. `start` satisfies the constraints, and so
    does every iterate. Each step minimises the quadratic approximation under the constraints
    exactly, as a least distance problem solved by nonnegative least squares (Lawson, C. L., Hanson,
    R. J. (1974). Solving Least Squares Problems, chapter 23), and is halved until the loss falls.
    """
    coef = start

    def evaluate(coef):
        eta = problem.offset + problem.direction(coef)
        return eta, problem.log_loss(eta) + 0.5 * float(ridge @ coef**2)

    eta, loss = evaluate(coef)
    for _ in range(_MAX_STEPS):
        proba = problem.probabilities(eta)
        gradient = problem.gradient(proba) + ridge * coef
        hessian = problem.hessian(proba) + np.diag(ridge)
        step = _quadratic_program(hessian, gradient, matrix, offset + matrix @ coef)
        decrease = -float(gradient @ step)
        if decrease <= _SMALLEST_DECREASE:
            break
        size = 1.0
        for _ in range(_MAX_HALVINGS):
            new_eta, new_loss = evaluate(coef + size * step)
            if new_loss <= loss - 1e-4 * size * decrease:
                break
            size *= 0.5
        else:
            break
        coef, eta, loss = coef + size * step, new_eta, new_loss
    return coef


def _quadratic_program(hessian, gradient, matrix, slack):
    """Return the step that minimises the quadratic with `matrix @ step + slack >= 0`."""
    lower = cholesky(hessian, lower=True)
    newton = -solve_triangular(lower, gradient, lower=True)
    rotated = solve_triangular(lower, matrix.T, lower=True)
    # With step = L^-T (newton + x): the shortest x with rotated.T @ x >= bound.
    bound = -(slack + rotated.T @ newton)
    scale = max(np.abs(bound).max(initial=0.0), 1e-280)
    stacked = np.vstack([rotated, bound / scale])
    target = np.zeros(len(stacked))
    target[-1] = 1.0
    residual = stacked @ nnls(stacked, target)[0] - target
    shortest = -scale * residual[:-1] / residual[-1]
    return solve_triangular(lower, newton + shortest, lower=True, trans=1)
