"""Empirical Bayes: precisions where the Laplace approximation of the evidence is largest."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from sklearn_calib.calibrators._solvers import evidence
from sklearn_calib.calibrators._solvers.evidence import fit_evidence
from sklearn_calib.calibrators._solvers.multinomial import MultinomialProblem

GROUP = np.array([0, 0, 1, 1, 1, 2, 2, 2, -1, -1, -1])


def make_problem(n=600, seed=0):
    """Three classes: two shared features, a bias and a slope for each class, an unused feature."""
    rng = np.random.default_rng(seed)
    offset, slope = rng.normal(size=(2, n, 3))
    shared, cross = rng.normal(size=(2, n, 3)), rng.normal(size=(n, 1))
    eta = offset + 0.7 * shared[0] + np.array([0.8, -0.8, 0.0]) + 0.02 * slope
    codes = (softmax(eta, axis=1).cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    local = np.stack([np.ones((n, 3)), slope])
    weight = rng.uniform(0.5, 1.5, size=n)
    problem = MultinomialProblem(
        offset, np.eye(3)[codes], weight, shared=shared, local=local, cross=cross
    )
    return problem, weight.sum()


def design(problem):
    """Return the derivative of the predictors, shape (n_rows, n_columns, n_coef)."""
    columns = [problem.direction(unit) for unit in np.eye(problem.n_coef)]
    return np.stack(columns, axis=2)


def curvature_at(problem, total, coef):
    """Return the Hessian of the summed loss: the covariance of the labels between features."""
    features, weight = design(problem), problem.weight * total
    p = softmax(problem.offset + features @ coef, axis=1)
    covariance = np.einsum("ik,kl->ikl", p, np.eye(3)) - p[:, :, None] * p[:, None, :]
    return np.einsum("i,ika,ikl,ilb->ab", weight, features, covariance, features, optimize=True)


def fit(problem, total, **options):
    options = {"least": np.full(3, 1e-3), "start": 1e-2, "say": lambda text: None} | options
    return fit_evidence(problem, GROUP, total, **options)


@pytest.mark.parametrize("shape", [0.0, 0.5])
def test_the_equation_of_mackay_holds(shape):
    """The precision of a group times its sum of squares is its effective number of parameters."""
    problem, total = make_problem()
    found = fit(problem, total, shape=shape, tol=1e-6)
    assert found.converged
    used = GROUP >= 0
    group, coef = GROUP[used], found.coef[used]
    assert_array_equal(found.coef[~used], 0.0)
    hessian = curvature_at(problem, total, found.coef)[np.ix_(used, used)]
    covariance = np.linalg.inv(hessian + np.diag(found.precision[group]))
    dof = np.bincount(group) - found.precision * np.bincount(group, np.diag(covariance))
    assert_allclose(found.dof, dof, rtol=1e-6, atol=1e-9)
    expected = (dof + 2.0 * shape) / np.bincount(group, coef**2)
    assert_allclose(found.precision[:2], expected[:2], rtol=1e-3)  # the third group is noise
    assert found.dof[:2].min() > 0.5


def test_the_coefficients_are_the_mode_of_the_posterior():
    problem, total = make_problem()
    found = fit(problem, total)
    p = softmax(problem.offset + problem.direction(found.coef), axis=1)
    score = np.einsum(
        "i,ik,ika->a", problem.weight * total, p - problem.target, design(problem), optimize=True
    )
    used = GROUP >= 0
    gradient = score[used] + found.precision[GROUP[used]] * found.coef[used]
    assert_allclose(gradient, 0.0, atol=1e-6)


def test_the_precision_of_noise_ends_at_its_upper_limit():
    """That is 10,000 times a quarter of the sum of squares of one coefficient's feature."""
    rng = np.random.default_rng(3)
    n = 400
    codes = np.tile([0, 1], n // 2)
    feature = rng.normal(size=(1, n, 2))
    feature[0, codes == 1] = feature[0, codes == 0]  # says nothing about the class
    weight = np.repeat(rng.uniform(0.5, 1.5, n // 2), 2)
    problem = MultinomialProblem(np.zeros((n, 2)), np.eye(2)[codes], weight, shared=feature)
    found = fit_evidence(
        problem, np.array([0]), weight.sum(), np.array([1e-3]), start=1e-2, say=lambda text: None
    )
    square = weight @ (feature[0] ** 2).sum(axis=1)
    assert found.precision[0] == pytest.approx(1e4 * square / 4, rel=1e-9)
    assert found.dof[0] < 1e-3


def test_a_precision_is_at_least_the_smallest_one():
    problem, total = make_problem()
    found = fit(problem, total, least=np.array([50.0, 1e-3, 1e-3]))
    assert found.precision[0] == pytest.approx(50.0, rel=1e-12)


def test_coefficients_without_a_group_stay_at_zero():
    problem, total = make_problem()
    least = np.array([2.0])
    found = fit_evidence(problem, np.full(11, -1), total, least, start=1.0, say=lambda text: None)
    assert_array_equal(found.coef, np.zeros(11))
    assert_array_equal(found.precision, least)
    assert_array_equal(found.dof, [0.0])
    assert (found.n_iter, found.gradient_norm, found.converged) == (0, 0.0, True)


def test_for_many_coefficients_classes_count_as_independent(monkeypatch):
    """The same equation, with the covariance of each class's own coefficients."""
    monkeypatch.setattr(evidence, "EXACT_LIMIT", 1)
    problem, total = make_problem()
    found = fit(problem, total, tol=1e-7)
    hessian = curvature_at(problem, total, found.coef)
    variance = np.zeros(11)
    for own in ([0, 1], [2, 5], [3, 6], [4, 7]):
        inner = hessian[np.ix_(own, own)] + np.diag(found.precision[GROUP[own]])
        variance[own] = np.diag(np.linalg.inv(inner))
    used = GROUP >= 0
    dof = [2, 3, 3] - found.precision * np.bincount(GROUP[used], variance[used])
    assert_allclose(found.dof, dof, rtol=1e-6, atol=1e-9)
    square = np.bincount(GROUP[used], found.coef[used] ** 2)
    assert_allclose(found.precision[:2], (dof / square)[:2], rtol=1e-2)
