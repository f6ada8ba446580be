"""Fit a penalised multinomial model; shared by the softmax calibrators and the adaptive map.

The loss is the weighted mean of the log loss of `softmax(eta)` plus `sum(penalty * coef ** 2) / 2`.
The predictor `eta` is an offset plus a linear function of the coefficients, in up to three parts:

- shared features (n_shared, n_samples, n_columns): one coefficient for all classes, such as a
  temperature or a spline of each class's own score;
- local features (n_local, n_samples, n_columns): each class has a coefficient for the feature of
  its own column, such as a bias or a slope per class;
- cross features, shape (n_samples, n_cross): every class has a coefficient for every feature,
  such as the matrix of matrix scaling.

The coefficients are one vector: shared, local (feature by feature), cross (feature by feature).
With `reference=True` there is one more class, whose predictor is zero; it takes the share of the
targets that the columns leave. Binary problems are one column and the reference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

GRADIENT_TOLERANCE = 1e-11
# Beyond this number of coefficients a Hessian takes longer to form than conjugate gradients run.
EXACT_LIMIT = 1000
# Doubles in the temporary arrays of a block of rows (4 MiB, about a cache) and in the
# preconditioner (256 MiB).
_BLOCK_SIZE = 2**19
_PRECONDITIONER_SIZE = 2**25
_SUFFICIENT_DECREASE = 1e-4  # share of the predicted decrease that a step must reach, as usual
_LOSS_ROUNDING = 1e-14  # relative change of the loss that it cannot tell from none
_MAX_HALVINGS = 60
_LONGEST_STEP = 1e100  # which can be multiplied with features without overflow
_LARGEST_CHANGE = 1e3  # of a linear predictor in one step, relative to its size if that is above 1
_MAX_CG_ITERATIONS = 500


class MultinomialFit(NamedTuple):
    """Coefficients of a penalised multinomial model and how they were found.

    Attributes
    ----------
    coef : ndarray of shape (n_coef,)
        Coefficients in the order of the module's docstring.
    loss : float
        Weighted mean log loss plus penalty.
    n_iter : int
        Newton steps.
    gradient_norm : float
        Norm of the gradient of `loss` with respect to the free coefficients.
    converged : bool
        Whether the gradient norm is at most the tolerance.
    """

    coef: np.ndarray
    loss: float
    n_iter: int
    gradient_norm: float
    converged: bool


class MultinomialProblem:
    """The loss of a penalised multinomial model with its derivatives.

    Parameters
    ----------
    offset : ndarray of shape (n_samples, n_columns)
        Predictor where every coefficient is zero.
    target : ndarray of shape (n_samples, n_columns)
        Share of each class in the label, for example the one-hot label.
    weight : ndarray of shape (n_samples,)
        Nonnegative weights, not all zero; only their ratios matter.
    shared, local : ndarray of shape (n_features, n_samples, n_columns), default=None
        Features of one column each, with coefficients common to the classes or their own.
    cross : ndarray of shape (n_samples, n_features), default=None
        Features that every class sees.
    reference : bool, default=False
        Whether there is one more class whose predictor is zero.

    Rows are taken in blocks where there are many coefficients, which bounds the memory.
    """

    def __init__(
        self, offset, target, weight, *, shared=None, local=None, cross=None, reference=False
    ):
        self.n_rows, self.n_columns = offset.shape
        empty = np.empty((0, *offset.shape))
        self.offset, self.target, self.reference = offset, target, reference
        self.weight = weight / weight.sum()
        self.shared = empty if shared is None else shared
        self.local = empty if local is None else local
        self.cross = np.empty((self.n_rows, 0)) if cross is None else cross
        self._flat_shared = self.shared.reshape(len(self.shared), offset.size)
        self.n_shared, self.n_local = len(self.shared), len(self.local)
        self.n_per_class = self.n_local + self.cross.shape[1]
        self.n_coef = self.n_shared + self.n_per_class * self.n_columns

    def split(self, coef):
        """Return views of the shared, local (local, columns) and cross (cross, columns) parts."""
        per_class = coef[self.n_shared :].reshape(self.n_per_class, self.n_columns)
        return coef[: self.n_shared], per_class[: self.n_local], per_class[self.n_local :]

    def direction(self, coef):
        """Return the change of the predictor that coefficients make, (n_samples, n_columns)."""
        shared, local, cross = self.split(coef)
        eta = self.cross @ cross
        if self.n_shared:
            eta += (shared @ self._flat_shared).reshape(eta.shape)
        for feature, row in zip(self.local, local, strict=True):
            eta += feature * row
        return eta

    def adjoint(self, residual):
        """Return the sums of features times a residual (n_samples, n_columns), one a coef."""
        parts = [self._flat_shared @ residual.ravel()]
        parts += [np.einsum("ik,ik->k", feature, residual) for feature in self.local]
        parts.append((self.cross.T @ residual).ravel())
        return np.concatenate(parts)

    def log_loss(self, eta):
        """Return the weighted mean log loss of a predictor."""
        top = eta.max(axis=1)
        if self.reference:
            top = np.maximum(top, 0.0)
        total = np.exp(eta - top[:, np.newaxis]).sum(axis=1)
        share = 1.0
        if self.reference:
            total += np.exp(-top)
            share = self.target.sum(axis=1)
        # Differences to the largest predictor are small where the prediction is good.
        terms = np.log(total) + (1.0 - share) * top
        terms -= np.einsum("ik,ik->i", self.target, eta - top[:, np.newaxis])
        return float(self.weight @ terms)

    def probabilities(self, eta):
        """Return the softmax of a predictor, without the reference's column."""
        top = eta.max(axis=1, keepdims=True)
        if self.reference:
            top = np.maximum(top, 0.0)
        exponential = np.exp(eta - top)
        total = exponential.sum(axis=1, keepdims=True)
        return exponential / (total + np.exp(-top) if self.reference else total)

    def gradient(self, proba):
        """Return the gradient of the mean log loss."""
        return self.adjoint((proba - self.target) * self.weight[:, np.newaxis])

    def hessian_product(self, proba, vector):
        """Return the Hessian of the mean log loss times a vector."""
        change = self.direction(vector)
        change -= np.einsum("ik,ik->i", proba, change)[:, np.newaxis]
        return self.adjoint(change * proba * self.weight[:, np.newaxis])

    def hessian(self, proba):
        """Return the Hessian of the mean log loss, (n_coef, n_coef)."""
        hessian = np.zeros((self.n_coef, self.n_coef))
        step = max(1, _BLOCK_SIZE // max(self.n_coef, 1))
        for start in range(0, self.n_rows, step):
            rows = slice(start, start + step)
            self._add_block(hessian, proba[rows], rows)
        return hessian

    def class_features(self, column, rows=slice(None)):
        """Return the features that one class sees, (n_samples, n_features)."""
        shared, local = self.shared[:, rows, column].T, self.local[:, rows, column].T
        return np.hstack([shared, local, self.cross[rows]])

    def class_index(self, column):
        """Return the positions of the coefficients that one class sees."""
        per_class = self.n_shared + np.arange(self.n_per_class) * self.n_columns + column
        return np.concatenate([np.arange(self.n_shared), per_class])

    def _add_block(self, hessian, proba, rows):
        """Add the rows' mean square of the features and subtract their squared mean."""
        weight = self.weight[rows]
        if self.n_columns == 1:
            variance = proba[:, 0] * (1.0 - proba[:, 0]) if self.reference else 0.0 * weight
            features = self._one_column_features(rows)
            hessian += (features * (weight * variance)) @ features.T
            return
        mean = np.zeros((len(weight), self.n_coef))
        for column in range(self.n_columns):
            features, index = self.class_features(column, rows), self.class_index(column)
            weighted = features * proba[:, column, np.newaxis]
            square = (weighted * weight[:, np.newaxis]).T @ features
            hessian[index[:, np.newaxis], index] += square
            mean[:, index] += weighted
        mean *= np.sqrt(weight)[:, np.newaxis]
        hessian -= mean.T @ mean

    def _one_column_features(self, rows):
        """Return all features (n_coef, n_samples) where there is a single column."""
        if self.n_per_class == 0:
            return self.shared[:, rows, 0]
        return np.vstack([self.shared[:, rows, 0], self.local[:, rows, 0], self.cross[rows].T])

    def class_blocks(self, proba):
        """Return the Hessian's blocks of one class each, (columns, per class, per class)."""
        blocks = np.empty((self.n_columns, self.n_per_class, self.n_per_class))
        for column in range(self.n_columns):
            features = self.class_features(column)[:, self.n_shared :]
            variance = self.weight * proba[:, column] * (1.0 - proba[:, column])
            blocks[column] = (features * variance[:, np.newaxis]).T @ features
        return blocks

    def shared_block(self, proba):
        """Return the block of the Hessian that belongs to the shared features."""
        mean = np.einsum("mik,ik->im", self.shared, proba)
        block = np.zeros((self.n_shared, self.n_shared))
        for column in range(self.n_columns):
            feature = self.shared[:, :, column]
            block += (feature * (self.weight * proba[:, column])) @ feature.T
        return block - (mean * self.weight[:, np.newaxis]).T @ mean

    def diagonal(self, proba):
        """Return the diagonal of the Hessian's part of the local and cross coefficients."""
        variance = self.weight[:, np.newaxis] * proba * (1.0 - proba)
        parts = [np.einsum("ik,ik,ik->k", f, f, variance) for f in self.local]
        parts.append(((self.cross**2).T @ variance).ravel())
        return np.concatenate(parts)


def fit_multinomial(problem, penalty, *, start=None, max_iter=100, tol=GRADIENT_TOLERANCE):
    """Return the minimiser of the weighted mean log loss plus a ridge penalty.

    `penalty` is the nonnegative factor of ``coef ** 2 / 2`` of each coefficient; infinite keeps it
    at zero. `tol` is the norm of the gradient at which to stop. Two fits of the same data agree bit
    for bit.

    It is Newton's method with a backtracking search. Up to 1000 coefficients the Hessian is
    factorised; beyond, the step comes from conjugate gradients on Hessian-vector products,
    preconditioned by the blocks of the Hessian that belong to one class.
    """
    free = np.isfinite(penalty)
    ridge = np.where(free, penalty, 0.0)
    coef = np.zeros(problem.n_coef) if start is None else np.where(free, start, 0.0)
    find_step = _exact_step if free.sum() <= EXACT_LIMIT else _truncated_step
    eta = problem.offset + problem.direction(coef)
    loss = problem.log_loss(eta) + _quadratic(ridge, coef)
    proba, gradient = _gradient(problem, eta, coef, ridge, free)
    n_iter = 0
    while n_iter < max_iter and np.linalg.norm(gradient) > tol:
        step = find_step(problem, proba, gradient, ridge, free)
        found = _search(problem, coef, eta, loss, gradient, step, ridge, free)
        if found is None:
            break
        coef, eta, loss, proba, gradient = found
        n_iter += 1
    norm = float(np.linalg.norm(gradient))
    return MultinomialFit(coef, loss, n_iter, norm, norm <= tol)


def _quadratic(ridge, coef):
    return 0.5 * float(ridge @ coef**2)


def _gradient(problem, eta, coef, ridge, free):
    """Return the probabilities and the gradient of the penalised loss."""
    proba = problem.probabilities(eta)
    return proba, np.where(free, problem.gradient(proba) + ridge * coef, 0.0)


def _search(problem, coef, eta, loss, gradient, step, ridge, free):
    """Halve a step until the loss falls enough, or near the optimum the gradient does.

    None where neither happens: the gradient is as small as rounding lets it be.
    """
    # Where all rows are as good as certain, there is no curvature, and steps have no bounds.
    step = step / max(1.0, np.abs(step).max() / _LONGEST_STEP)
    change = problem.direction(step)
    decrease = -float(gradient @ step)
    norm = np.linalg.norm(gradient)
    size = 1.0 / max(1.0, np.abs(change).max() / (_LARGEST_CHANGE * max(1.0, np.abs(eta).max())))
    for _ in range(_MAX_HALVINGS):
        new_coef, new_eta = coef + size * step, eta + size * change
        new_loss = problem.log_loss(new_eta) + _quadratic(ridge, new_coef)
        blind = size * decrease <= _LOSS_ROUNDING * max(1.0, abs(loss))
        if blind or new_loss <= loss - _SUFFICIENT_DECREASE * size * decrease:
            # The sum of many steps drifts, so that the predictor is computed afresh.
            new_eta = problem.offset + problem.direction(new_coef)
            proba, new_gradient = _gradient(problem, new_eta, new_coef, ridge, free)
            if not blind or np.linalg.norm(new_gradient) < norm:
                return new_coef, new_eta, new_loss, proba, new_gradient
            return None
        size *= 0.5
    return None


def _exact_step(problem, proba, gradient, ridge, free):
    """Return the Newton step, with a little more ridge where the Hessian is singular."""
    step = np.zeros_like(gradient)
    hessian = problem.hessian(proba)
    if not free.all():
        hessian = hessian[np.ix_(free, free)]
    hessian[np.diag_indices_from(hessian)] += ridge[free]
    step[free] = -cho_solve(factorise(hessian), gradient[free], check_finite=False)
    return step


def factorise(matrix):
    """Return a Cholesky factor, of the matrix plus as much ridge as it takes."""
    size = max(float(np.trace(matrix)) / max(len(matrix), 1), 1e-280)
    extra = 0.0
    while True:
        try:
            shifted = matrix + extra * np.eye(len(matrix)) if extra else matrix
            return cho_factor(shifted, lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            extra = max(10.0 * extra, 1e-13 * size)


def _truncated_step(problem, proba, gradient, ridge, free):
    """Return an inexact Newton step by preconditioned conjugate gradients."""
    precondition = preconditioner(problem, proba, ridge, free)

    def product(vector):
        return np.where(free, problem.hessian_product(proba, vector) + ridge * vector, 0.0)

    norm = float(np.linalg.norm(gradient))
    # A relative residual that falls with the gradient makes the convergence superlinear.
    return conjugate_gradients(product, precondition, -gradient, min(0.1, norm**0.5) * norm)


def conjugate_gradients(product, precondition, right, tol):
    """Solve a positive definite system up to a residual norm."""
    solution, residual = np.zeros_like(right), right.copy()
    preconditioned = precondition(residual)
    search, energy = preconditioned.copy(), residual @ preconditioned
    for _ in range(_MAX_CG_ITERATIONS):
        image = product(search)
        curvature = search @ image
        if curvature <= 0.0:
            break
        length = energy / curvature
        solution += length * search
        residual -= length * image
        if np.linalg.norm(residual) <= tol:
            break
        preconditioned = precondition(residual)
        energy, previous = residual @ preconditioned, energy
        search = preconditioned + (energy / previous) * search
    return solution if solution.any() else precondition(right)


def preconditioner(problem, proba, ridge, free):
    """Return a function that applies an approximate inverse of the penalised Hessian.

    Blocks of one class each, and of the shared features, if they fit the memory; else diagonal.
    """
    head = problem.n_shared
    shared = problem.shared_block(proba) + np.diag(ridge[:head])
    shared[~free[:head]] = 0.0
    shared[:, ~free[:head]] = 0.0
    shared[np.diag_indices(head)] += np.where(free[:head], 1e-300, 1.0)
    factor = factorise(shared) if head else None
    if problem.n_columns * problem.n_per_class**2 <= _PRECONDITIONER_SIZE:
        inverse = inverse_blocks(problem, proba, ridge, free)

        def apply_tail(vector):
            columns = vector.reshape(problem.n_per_class, problem.n_columns)
            return np.einsum("kqr,rk->qk", inverse, columns).ravel()

    else:
        diagonal = problem.diagonal(proba) + ridge[head:]
        diagonal = np.where(diagonal > 0.0, diagonal, 1.0)

        def apply_tail(vector):
            return vector / diagonal

    def apply(vector):
        first = cho_solve(factor, vector[:head], check_finite=False) if head else vector[:0]
        return np.where(free, np.concatenate([first, apply_tail(vector[head:])]), 0.0)

    return apply


def inverse_blocks(problem, proba, ridge, free):
    """Return the inverses of the penalised Hessian's blocks of one class each."""
    blocks = problem.class_blocks(proba)
    ridge, free = (a[problem.n_shared :].reshape(problem.n_per_class, -1).T for a in (ridge, free))
    index = np.arange(problem.n_per_class)
    for block, block_ridge, block_free in zip(blocks, ridge, free, strict=True):
        block[~block_free] = 0.0
        block[:, ~block_free] = 0.0
        tiny = 1e-14 * max(np.trace(block), 1e-280)
        block[index, index] += np.where(block_free, block_ridge + tiny, 1.0)
        block[:] = np.linalg.inv(block)
    return blocks
