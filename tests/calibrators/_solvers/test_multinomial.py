"""The multinomial solver: its optimum, its derivatives, many classes, and weights as copies."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from sklearn_calib.calibrators._solvers import multinomial
from sklearn_calib.calibrators._solvers.multinomial import (
    MultinomialProblem,
    fit_multinomial,
    preconditioner,
)


def make_problem(
    n_samples=80, n_classes=3, seed=0, parts=("shared", "local", "cross"), weight=None
):
    """Return a problem with random features, and the features by part."""
    rng = np.random.default_rng(seed)
    offset = rng.normal(size=(n_samples, n_classes))
    codes = rng.integers(n_classes, size=n_samples)
    features = {
        "shared": rng.normal(size=(2, n_samples, n_classes)),
        "local": np.stack([np.ones(offset.shape), rng.normal(size=offset.shape)]),
        "cross": rng.normal(size=(n_samples, 2)),
    }
    features = {name: values for name, values in features.items() if name in parts}
    weight = rng.uniform(0.5, 2.0, size=n_samples) if weight is None else weight
    target = np.eye(n_classes)[codes]
    return MultinomialProblem(offset, target, weight, **features), features


def written_out(problem, features, penalty, coef):
    """Return the loss as the docstring states it, by loops over the parts."""
    eta = problem.offset.copy()
    n_classes, position = eta.shape[1], 0
    for feature in features.get("shared", []):
        eta += coef[position] * feature
        position += 1
    for feature in features.get("local", []):
        eta += coef[position : position + n_classes] * feature
        position += n_classes
    for feature in features.get("cross", np.empty((len(eta), 0))).T:
        eta += np.outer(feature, coef[position : position + n_classes])
        position += n_classes
    assert position == coef.size
    terms = -(problem.target * log_softmax(eta, axis=1)).sum(axis=1)
    return np.average(terms, weights=problem.weight) + 0.5 * np.sum(penalty * coef**2)


@pytest.mark.parametrize(
    "parts", [("shared",), ("local",), ("cross",), ("shared", "local", "cross")]
)
def test_finds_the_minimum_that_a_general_optimiser_finds(parts):
    problem, features = make_problem(parts=parts)
    penalty = np.linspace(0.01, 0.1, problem.n_coef)
    fit = fit_multinomial(problem, penalty)
    assert fit.converged
    assert fit.gradient_norm <= 1e-10
    found = minimize(
        lambda coef: written_out(problem, features, penalty, coef),
        np.zeros(problem.n_coef),
        method="BFGS",
        options={"gtol": 1e-9},
    )
    assert_allclose(fit.loss, written_out(problem, features, penalty, fit.coef), rtol=1e-13)
    assert_allclose(fit.coef, found.x, rtol=0, atol=1e-5)
    assert fit.loss <= found.fun + 1e-14


def test_derivatives_are_those_of_the_loss():
    problem, features = make_problem()
    rng = np.random.default_rng(1)
    coef, direction = rng.normal(size=(2, problem.n_coef))
    proba = problem.probabilities(problem.offset + problem.direction(coef))

    def loss(t):
        return written_out(problem, features, 0.0, coef + t * direction)

    h = 1e-4
    slope = (loss(h) - loss(-h)) / (2 * h)
    assert_allclose(problem.gradient(proba) @ direction, slope, rtol=1e-6)
    curvature = (loss(h) - 2 * loss(0) + loss(-h)) / h**2
    product = problem.hessian_product(proba, direction)
    assert_allclose(direction @ product, curvature, rtol=1e-5)
    assert_allclose(problem.hessian(proba) @ direction, product, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("n_classes", [2, 10, 100, 1000])
def test_the_gradient_vanishes_for_any_number_of_classes(n_classes):
    """With 1000 classes there are 2000 coefficients, more than the exact Hessian is for."""
    rng = np.random.default_rng(0)
    n_samples = max(400, 2 * n_classes)
    logits = 2.0 * rng.normal(size=(n_samples, n_classes))
    codes = np.array([rng.choice(n_classes, p=row) for row in softmax(0.6 * logits, axis=1)])
    local = np.stack([np.ones(logits.shape), logits])
    problem = MultinomialProblem(logits, np.eye(n_classes)[codes], np.ones(n_samples), local=local)
    penalty = np.full(problem.n_coef, 1e-3)
    fit = fit_multinomial(problem, penalty)
    assert fit.converged
    proba = softmax(logits + problem.direction(fit.coef), axis=1)
    difference = (proba - np.eye(n_classes)[codes]) / n_samples
    gradient = np.concatenate([difference.sum(axis=0), (difference * logits).sum(axis=0)])
    assert np.linalg.norm(gradient + penalty * fit.coef) <= 1e-10


def test_weights_are_copies():
    weight = np.arange(80) % 3 + 1.0
    problem, features = make_problem(weight=weight)
    rows = np.repeat(np.arange(80), weight.astype(int))
    copies = MultinomialProblem(
        problem.offset[rows],
        problem.target[rows],
        np.ones(rows.size),
        shared=features["shared"][:, rows],
        local=features["local"][:, rows],
        cross=features["cross"][rows],
    )
    penalty = np.full(problem.n_coef, 0.02)
    assert_allclose(
        fit_multinomial(problem, penalty).coef, fit_multinomial(copies, penalty).coef, atol=1e-9
    )


def test_an_infinite_penalty_fixes_a_coefficient_at_zero():
    problem, _ = make_problem()
    penalty = np.full(problem.n_coef, 0.02)
    penalty[[0, 4]] = np.inf
    fit = fit_multinomial(problem, penalty)
    assert_array_equal(fit.coef[[0, 4]], 0.0)
    assert fit.gradient_norm <= 1e-10


def test_the_reference_class_is_a_column_of_zeros():
    """Binary data as one column and the reference, against two columns whose first is fixed."""
    rng = np.random.default_rng(2)
    score, hits = rng.normal(size=60), rng.integers(2, size=60).astype(float)
    feature = rng.normal(size=(1, 60, 1))
    short = MultinomialProblem(
        score[:, np.newaxis], hits[:, np.newaxis], np.ones(60), shared=feature, reference=True
    )
    both = MultinomialProblem(
        np.column_stack([np.zeros(60), score]),
        np.column_stack([1 - hits, hits]),
        np.ones(60),
        shared=np.concatenate([np.zeros((1, 60, 1)), feature], axis=2),
    )
    penalty = np.array([0.05])
    first, second = fit_multinomial(short, penalty), fit_multinomial(both, penalty)
    assert_allclose(first.coef, second.coef, atol=1e-10)
    assert_allclose(first.loss, second.loss, rtol=1e-13)


def test_too_few_steps_are_reported():
    problem, _ = make_problem()
    fit = fit_multinomial(problem, np.full(problem.n_coef, 1e-4), max_iter=1)
    assert not fit.converged
    assert fit.n_iter == 1
    assert fit.gradient_norm > 1e-10


@pytest.mark.parametrize("n_classes", [1, 3])
def test_diagonal_and_one_column_are_those_of_the_loss(n_classes):
    """With one column and a reference, local and cross features are those of the positive class."""
    problem, features = make_problem(n_classes=n_classes)
    offset, weight = problem.offset, problem.weight
    target = (np.arange(80) % 2).astype(float)[:, np.newaxis] * np.full((80, n_classes), 0.25)
    problem = MultinomialProblem(offset, target, weight, reference=True, **features)
    rng = np.random.default_rng(1)
    coef = 0.3 * rng.normal(size=problem.n_coef)

    def gradient(coef):
        return problem.gradient(problem.probabilities(offset + problem.direction(coef)))

    h = 1e-5
    expected = np.column_stack(
        [(gradient(coef + h * e) - gradient(coef - h * e)) / (2 * h) for e in np.eye(coef.size)]
    )
    proba = problem.probabilities(offset + problem.direction(coef))
    assert_allclose(problem.hessian(proba), expected, atol=1e-9)
    assert_allclose(problem.diagonal(proba), np.diag(expected)[problem.n_shared :], atol=1e-9)


def test_too_many_classes_for_blocks_are_preconditioned_by_the_diagonal(monkeypatch):
    problem, _ = make_problem()
    proba = problem.probabilities(problem.offset)
    ridge, free = np.linspace(0.1, 0.5, problem.n_coef), np.ones(problem.n_coef, dtype=bool)
    free[[1, 4]] = False
    vector = np.arange(1.0, problem.n_coef + 1.0)
    monkeypatch.setattr(multinomial, "_PRECONDITIONER_SIZE", 1)
    found = preconditioner(problem, proba, ridge, free)(vector)
    expected = vector / (np.diag(problem.hessian(proba)) + ridge)
    assert_allclose(found, np.where(free, expected, 0.0), rtol=1e-10)
    monkeypatch.setattr(multinomial, "EXACT_LIMIT", 1)
    few, _ = make_problem(parts=("local", "cross"))
    penalty = np.full(few.n_coef, 0.02)
    made = fit_multinomial(few, penalty)
    monkeypatch.undo()
    assert made.converged
    assert_allclose(made.coef, fit_multinomial(few, penalty).coef, atol=1e-8)


@pytest.mark.parametrize(
    ("eta", "step", "size"),
    [
        (0.0, 1.0, 1.0),
        (0.5, 4e3, 0.25),
        # Predictors of a few thousand may change by a thousand times as much.
        (-4e3, 8e6, 0.5),
        (4e3, 4e6, 1.0),
    ],
)
def test_a_step_changes_predictors_by_a_thousand_times_their_size_at_most(eta, step, size):
    """Each of two rows has a predictor of its own; the second is tiny and does not matter."""
    problem = SimpleNamespace(
        offset=np.zeros(2),
        direction=lambda coef: coef * np.array([1.0, 1e-9]),
        log_loss=lambda predictor: -predictor[0],
        probabilities=lambda predictor: predictor,
        gradient=lambda proba: np.array([-1.0, 0.0]),
    )
    coef = np.array([eta, 0.0])
    gradient = problem.gradient(None)
    found = multinomial._search(
        problem, coef, problem.direction(coef), -eta, gradient, np.array([step, 1.0]),
        np.zeros(2), np.ones(2, dtype=bool),
    )  # fmt: skip
    assert_allclose(found[0], [eta + size * step, size], rtol=1e-12)
