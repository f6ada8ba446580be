"""The parts of a correction on data of known truth: categories, trees, and normal scores."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit, ndtri

from sklearn_calib.calibrators._features import category_effects
from sklearn_calib.calibrators._features.boosted_trees import fit_boosted_trees
from sklearn_calib.calibrators._features.category_effects import fit_category_effects
from sklearn_calib.calibrators._features.normal_scores import NormalScores


def _categories(n=6000, seed=0):
    rng = np.random.default_rng(seed)
    own = rng.integers(5, size=n)
    score = rng.normal(size=n)
    shift = np.array([0.8, -0.6, 0.0, 0.3, -0.2])
    y = rng.uniform(size=n) < expit(score + shift[own])
    return own, score, shift, y.astype(float)


def _fit(own, score, y, n_levels):
    return fit_category_effects(
        own[:, None], [n_levels], score[:, None], score[:, None], y[:, None],
        np.ones(len(y)), np.random.default_rng(0),
    )  # fmt: skip


def test_effects_are_the_mode_of_their_prior_and_the_likelihood():
    """An optimiser that knows nothing of categories finds the same effects."""
    own, score, _, y = _categories(1000)
    fitted = _fit(own, score, y, 5)
    variance = fitted.variance[0]

    def objective(flat):
        shift, slope = flat.reshape(2, 5)
        eta = score + shift[own] + slope[own] * score
        prior = (shift**2 / variance[0] + slope**2 / variance[1]).sum() / 2
        return np.sum(np.logaddexp(0, eta) - y * eta) + prior

    best = minimize(objective, np.zeros(10), method="BFGS").x.reshape(2, 5)
    assert_allclose(fitted.effects[0][:, 0].T, best, atol=2e-3)


def test_effects_are_near_the_truth_and_a_level_that_never_occurred_has_none():
    own, score, shift, y = _categories()
    fitted = _fit(own, score, y, 6)
    assert_allclose(fitted.effects[0][:5, 0, 0], shift, atol=0.25)
    assert_array_equal(fitted.effects[0][5], 0.0)
    unseen = fitted.correct(np.array([[-1]]), np.array([[2.0]]))
    assert_array_equal(unseen, [[0.0]])


def test_trees_start_from_the_given_log_odds():
    """A step of 0.8 is found; with the step in the start, nothing is."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    step = 0.8 * (x > 0.5)
    score = rng.normal(size=4000)
    y = (rng.uniform(size=4000) < expit(score + step)).astype(float)
    held_out = rng.permutation(4000).reshape(4, 1000)
    bins = np.column_stack([np.round(4 * score), np.round(4 * x)])
    found = []
    for start in (score, score + step):
        trees, output = fit_boosted_trees(
            bins, start[:, None], y[:, None], np.ones(4000), held_out,
            np.zeros(2, dtype=bool), np.random.default_rng(0),
        )  # fmt: skip
        assert_allclose(trees.correct(0, bins[held_out[0]]), output[0], rtol=1e-9, atol=1e-12)
        found.append(np.cov(output.ravel(), step[held_out].ravel())[0, 1] / step.var())
    assert found[0] > 0.6
    assert abs(found[1]) < 0.1


def test_normal_scores_of_heavy_tails_are_quantiles_of_mean_ranks():
    numbers = np.array([[3.0], [-1e9], [3.0], [7.0], *[[0.0]] * 36])
    scores = NormalScores().fit(numbers, np.ones(40)).transform(numbers)
    assert_allclose(scores[:4, 0], ndtri([38 / 40, 1 / 80, 38 / 40, 79 / 80]))


def test_normal_scores_of_a_long_heavy_column_are_still_normal():
    x = np.random.default_rng(0).standard_cauchy(50_000)[:, None]
    scores = NormalScores().fit(x, np.ones(50_000)).transform(x)[:, 0]
    rank = (np.argsort(np.argsort(x[:, 0])) + 0.5) / 50_000
    assert_allclose(scores, ndtri(rank), atol=0.02)


def test_columns_without_heavy_tails_stay_linear():
    """Otherwise an error that is linear in a feature is not linear in what is read."""
    x = np.linspace(-7.0, 50.0, 200)[:, None]
    weight = np.arange(1.0, 201.0)
    scores = NormalScores().fit(x, weight).transform(x)[:, 0]
    mean = np.average(x[:, 0], weights=weight)
    deviation = np.sqrt(np.average((x[:, 0] - mean) ** 2, weights=weight))
    assert_allclose(scores, (x[:, 0] - mean) / deviation, rtol=1e-12, atol=1e-12)


def test_the_number_of_trees_has_the_smallest_weighted_loss_of_rows_held_out():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(900, 1))
    y = (rng.uniform(size=900) < expit(np.sin(3 * x[:, 0]))).astype(float)
    weight = rng.uniform(0.2, 1.8, size=900)
    held_out = rng.permutation(900).reshape(3, 300)
    trees, output = fit_boosted_trees(
        x, np.zeros((900, 1)), y[:, None], weight, held_out,
        np.zeros(1, dtype=bool), np.random.default_rng(0),
    )  # fmt: skip

    def loss(n_trees):
        chosen = trees._replace(n_trees=n_trees)
        eta = np.array([chosen.correct(k, x[rows])[:, 0] for k, rows in enumerate(held_out)])
        losses = np.logaddexp(0, eta) - y[held_out] * eta
        return np.average(losses, weights=weight[held_out])

    n_built = 20 * len(trees.blocks[0])
    best, smallest = trees.n_trees, loss(trees.n_trees)
    assert 1 < best < n_built
    assert smallest < np.log(2) - 0.02
    for n_trees in {*range(1, n_built, 7), best - 1, best + 1, n_built} - {best}:
        assert smallest < loss(n_trees)
    used = np.array([trees.correct(k, x[rows]) for k, rows in enumerate(held_out)])
    assert_allclose(output, used, rtol=1e-9, atol=1e-12)


def test_the_first_tree_is_a_newton_step_of_the_log_loss():
    """With one split, a leaf moves by a tenth of the mean residual over p (1 - p) plus a ridge."""
    x = np.repeat([0.0, 1.0], 200)[:, None]
    y = (np.arange(400) % 4 < np.where(x[:, 0] > 0, 3, 1)).astype(float)
    held_out = np.arange(0, 400, 4).reshape(1, 100)
    trees, _ = fit_boosted_trees(
        x, np.zeros((400, 1)), y[:, None], np.ones(400), held_out,
        np.zeros(1, dtype=bool), np.random.default_rng(0),
    )  # fmt: skip
    training = np.delete(np.arange(400), held_out[0])
    residual, curvature = y[training] - 0.5, 0.25
    residual = residual - residual.mean()
    for value in (0.0, 1.0):
        own = x[training, 0] == value
        expected = 0.1 * residual[own].sum() / (curvature * own.sum() + 5.0)
        step = trees._replace(n_trees=1).correct(0, np.array([[value]]))[0, 0]
        assert step == pytest.approx(expected, rel=1e-6)


def test_of_many_rows_some_are_drawn(monkeypatch):
    rng = np.random.default_rng(0)
    levels = rng.integers(-1, 3, size=(60, 1))
    scores, target = rng.normal(size=(60, 1)), rng.integers(0, 2, size=(60, 1)).astype(float)
    rows = levels, [3], scores, 0.5 * scores, target, rng.uniform(0.5, 2.0, size=60)
    drawn = np.sort(np.random.default_rng(7).choice(60, 40, replace=False))
    expected = fit_category_effects(
        *(one[drawn] if isinstance(one, np.ndarray) else one for one in rows), None
    )
    for most, same in ((40, True), (60, False)):
        monkeypatch.setattr(category_effects, "_MAX_ROWS", most)
        found = fit_category_effects(*rows, np.random.default_rng(7))
        assert np.array_equal(found.effects[0], expected.effects[0]) == same
    assert_array_equal(found.effects[0], fit_category_effects(*rows, None).effects[0])
