"""The parts of a correction on data of known truth: categories, trees, and normal scores."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit, ndtri

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


def test_normal_scores_are_quantiles_of_mean_ranks():
    numbers = np.array([[3.0], [-1e9], [3.0], [7.0]])
    scores = NormalScores().fit(numbers, np.ones(4)).transform(numbers)
    assert_allclose(scores[:, 0], ndtri([1 / 2, 1 / 8, 1 / 2, 7 / 8]))


def test_normal_scores_of_a_long_column_are_still_normal():
    x = np.random.default_rng(0).standard_cauchy(50_000)[:, None]
    scores = NormalScores().fit(x, np.ones(50_000)).transform(x)[:, 0]
    rank = (np.argsort(np.argsort(x[:, 0])) + 0.5) / 50_000
    assert_allclose(scores, ndtri(rank), atol=0.02)
