"""Refusals, warnings and counts of calibrators that few data meet."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from sklearn_calib._data.predictions import match_query_columns
from sklearn_calib.base import BaseBinaryCalibrator
from sklearn_calib.calibrators import AdaptiveCalibrator, BetaCalibrator, CalibratedClassifier
from sklearn_calib.calibrators._features.category_effects import fit_category_effects
from sklearn_calib.calibrators._solvers import evidence
from sklearn_calib.calibrators._solvers.logistic import fit_logistic
from sklearn_calib.calibrators._solvers.multinomial import MultinomialProblem


class OfLogits(BaseBinaryCalibrator):
    """A calibrator that reads logits, as another package may define one."""

    native_scale = "logit"

    def _fit_map(self, score, y, weight):
        self.seen_ = score

    def _map(self, score):
        return expit(score)


def test_of_two_columns_of_logits_the_difference_counts():
    S = np.array([[1.0, 3.0], [2.0, -1.0], [-1e308, 1e308], [1e308, -1e308]])
    made = OfLogits().fit(S, [1, 0, 1, 0])
    largest = np.finfo(float).max
    assert made.seen_.tolist() == [2.0, -3.0, largest, -largest]
    assert_allclose(made.predict_proba(S)[:, 1], [expit(2.0), expit(-3.0), 1.0, 0.0], rtol=1e-15)


def test_an_adaptive_map_that_has_not_converged_says_so():
    rng = np.random.default_rng(0)
    p = rng.beta(1.0, 2.0, size=300)
    with pytest.warns(ConvergenceWarning, match=r"after max_iter=1 updates\. Increase max_iter"):
        AdaptiveCalibrator(max_iter=1).fit(p, rng.random(300) < p**2)


class OneColumn(ClassifierMixin, BaseEstimator):
    """A classifier whose `predict_proba` gives the positive class alone."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), 1), 0.5)


def test_a_classifier_gives_a_column_for_each_class():
    X, y = np.arange(40.0)[:, np.newaxis], np.arange(40) % 2
    model = CalibratedClassifier(OneColumn(), BetaCalibrator())
    message = r"predict_proba of OneColumn must give one column for each of the 2 classes, .*, 1\)"
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


@pytest.mark.parametrize("seed", [0, 7, 8, 10])
def test_a_fit_that_is_stopped_counts_each_of_its_steps(seed):
    """Also those beyond the point where the loss tells steps apart, which the gradient does."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(2, 200))
    target = (rng.random(200) < expit(2 * features[0] - 1)).astype(float)
    weight = np.full(200, 1 / 200)
    total = fit_logistic(features, target, weight, max_iter=100).n_iter
    assert total > 3
    counts = [
        fit_logistic(features, target, weight, max_iter=k).n_iter for k in range(1, total + 3)
    ]
    assert counts == [min(k, total) for k in range(1, total + 3)]


def test_a_line_without_an_intercept_has_the_intercept_zero():
    features, target = np.array([[1.0, 2.0, -1.0, 0.5]]), np.array([1.0, 0.0, 0.0, 1.0])
    weight = np.full(4, 0.25)
    fit = fit_logistic(features, target, weight, fit_intercept=False, max_iter=100)
    assert fit.intercept == 0.0
    score = features @ (weight * (expit(fit.coef[0] * features[0]) - target))
    assert_allclose(score, 0.0, atol=1e-10)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_the_prior_of_each_column_is_the_mean_square_over_levels_and_outputs(n_outputs):
    """Of what effects are expected to be, given the labels: the square of the mode plus variance.

    A level that no row has does not count, and rows below zero have no level.
    """
    rng = np.random.default_rng(1)
    levels = rng.integers(-1, 4, size=(1500, 1))
    scores = rng.normal(size=(1500, n_outputs))
    shift = np.array([[1.0, -0.5, 0.2], [-1.0, 0.4, 0.0], [0.3, 0.9, -0.7], [0.0, -0.8, 0.6]])
    logits = scores + np.where(levels >= 0, shift[levels[:, 0], :n_outputs], 0.0)
    if n_outputs == 1:
        target = (rng.random((1500, 1)) < expit(logits)).astype(float)
    else:
        target = np.eye(3)[np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)]
    made = fit_category_effects(levels, [5], scores, scores, target, np.ones(1500), rng)
    eta = scores + made.correct(levels, scores)
    p = expit(eta) if n_outputs == 1 else np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
    squares = []
    for level in range(4):
        own = levels[:, 0] == level
        for k in range(n_outputs):
            design = np.column_stack([np.ones(own.sum()), scores[own, k]])
            curvature = (design.T * (p[own, k] * (1 - p[own, k]))) @ design
            spread = np.linalg.inv(curvature + np.diag(1 / made.variance[0]))
            squares.append(made.effects[0][level, k] ** 2 + np.diag(spread))
    expected = np.mean(squares, axis=0)
    assert_allclose(np.sqrt(made.variance[0]), np.sqrt(expected), rtol=0.01, atol=3e-3)


def test_columns_of_query_points_follow_the_sorted_classes_or_their_names():
    """Of two classes the second one of `classes` is the positive one, whichever comes first."""
    pandas = pytest.importorskip("pandas")
    rows = np.array([[0.2, 0.8], [0.6, 0.4]])
    for classes in (np.array(["no", "yes"]), np.array(["yes", "no"])):
        positive = {"no": rows[:, 0], "yes": rows[:, 1]}[classes[1]]
        for order in (["no", "yes"], ["yes", "no"]):
            table = pandas.DataFrame(rows, columns=["no", "yes"])[order]
            found = match_query_columns(table, table.to_numpy(), classes)
            assert_allclose(found, np.column_stack([1.0 - positive, positive]), rtol=1e-15)
        found = match_query_columns(rows, rows, classes)
        assert_allclose(found[:, 1], positive, rtol=1e-15)
    three = np.array([[0.2, 0.3, 0.5]])
    table = pandas.DataFrame(three, columns=["c", "a", "b"])
    found = match_query_columns(table, three, np.array(["a", "b", "c"]))
    assert found.tolist() == [[0.3, 0.5, 0.2]]


def test_coefficients_without_a_group_stay_at_zero():
    """The others are the mode of the quadratic approximation: here it has two coefficients.

    The loss has the gradient ``x' (p - y)`` and the curvature ``x' p (1 - p) x``.
    """
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 50, 1))
    target = (rng.random((50, 1)) < expit(x[0])).astype(float)
    problem = MultinomialProblem(
        np.zeros((50, 1)), target, np.full(50, 0.02), shared=x, reference=True
    )
    group, coef, log_precision = (
        np.array([0, -1, 1]),
        np.array([0.3, 0.0, -0.2]),
        np.log([2.0, 5.0]),
    )
    made = evidence._quadratic_model(problem, coef, group, np.array([1, 1]), 50.0, 0.0)
    mode = made(log_precision)[2]
    used = x[[0, 2], :, 0].T
    p = expit(x[:, :, 0].T @ coef)
    hessian = (used.T * (p * (1 - p))) @ used
    right = hessian @ coef[[0, 2]] - used.T @ (p - target[:, 0])
    expected = np.linalg.solve(hessian + np.diag([2.0, 5.0]), right)
    assert mode[1] == 0.0
    assert_allclose(mode[[0, 2]], expected, rtol=1e-10)
