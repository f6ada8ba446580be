"""Which group a row is in, and how wide the prior of the effects of groups is."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from sklearn_calib._data.features import FeatureEncoder
from sklearn_calib.calibrators._features.category_effects import fit_category_effects
from sklearn_calib.calibrators._features.groups import GroupLevels


def test_numbers_are_grouped_by_fifths_and_categories_as_they_are():
    table = pd.DataFrame(
        {
            "age": [*np.arange(1.0, 11.0), np.nan],
            "site": ["a", "b", "c", "a", "b", "c", "a", "b", "c", "a", "b"],
        }
    )
    encoder = FeatureEncoder("auto").fit(table)
    levels = GroupLevels([0, 1]).fit(encoder.transform(table))
    assert levels.n_levels == [6, 3]
    groups = levels.transform(encoder.transform(table), 11)
    assert_array_equal(groups[:, 0], [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5])
    assert_array_equal(groups[:, 1], [0, 1, 2] * 3 + [0, 1])


def effects_of(shifts, n_each, *, columns=1, slope=0.0, weight=None, seed=0):
    """Fit effects to labels whose log-odds have these shifts in the groups of each column."""
    rng = np.random.default_rng(seed)
    levels = rng.integers(len(shifts), size=(n_each * len(shifts), columns))
    score = rng.normal(size=len(levels))
    shift = np.asarray(shifts)[levels].sum(axis=1)
    y = (rng.random(len(levels)) < expit(score * (1 + slope) + shift)).astype(float)
    weight = np.ones(len(y)) if weight is None else weight(levels)
    fitted = fit_category_effects(
        levels, [len(shifts)] * columns, score[:, None], score[:, None], y[:, None], weight, rng
    )
    return fitted, levels, score, y, weight


@pytest.mark.parametrize("weight", [None, lambda levels: np.where(levels[:, 0] == 1, 0.5, 1.2)])
def test_the_prior_variance_is_the_mean_square_of_the_effects(weight):
    """Of what the effects are expected to be, given the labels: mode squared plus variance.

    The variance comes from the inverse of the curvature of the penalised loss of each group.
    """
    fitted, levels, score, _, weight = effects_of([1.0, -1.0, 0.3, 0.0], 500, weight=weight)
    effects, variance = fitted.effects[0][:, 0], fitted.variance[0]
    squares = []
    for group in range(4):
        own = levels[:, 0] == group
        design = np.column_stack([np.ones(own.sum()), score[own]])
        p = expit(score[own] + design @ effects[group])
        curvature = (design.T * (weight[own] * p * (1 - p))) @ design + np.diag(1 / variance)
        squares.append(effects[group] ** 2 + np.diag(np.linalg.inv(curvature)))
    found = np.mean(squares, axis=0)
    assert_allclose(np.sqrt(variance), np.sqrt(found), rtol=0.01, atol=2e-3)


def test_the_prior_is_never_wider_than_a_variance_of_four():
    fitted = effects_of([6.0, -6.0, 6.0], 400)[0]
    assert fitted.variance[0, 0] == 4.0


def test_columns_of_two_groups_share_a_prior_and_longer_ones_have_their_own():
    two = effects_of([0.8, -0.8], 300, columns=2)[0]
    assert_array_equal(two.variance[0], two.variance[1])
    three = effects_of([0.8, -0.8, 0.5], 300, columns=2)[0]
    assert not np.any(three.variance[0] == three.variance[1])


def test_each_class_has_its_own_effects():
    """Labels of a group are all of one class: its log-probability rises, that of others falls."""
    levels = np.repeat([0, 1, 2], 200)[:, None]
    target = np.eye(3)[levels[:, 0]]
    zeros = np.zeros((600, 3))
    fitted = fit_category_effects(
        levels, [3], zeros, zeros, target, np.ones(600), np.random.default_rng(0)
    )
    shift = fitted.effects[0][..., 0]
    assert (np.diag(shift) > 1.0).all()
    assert (shift[~np.eye(3, dtype=bool)] < -0.5).all()
    assert_array_equal(fitted.effects[0][..., 1], 0.0)
    corrected = fitted.correct(np.array([[1], [-1]]), np.zeros((2, 3)))
    assert_array_equal(corrected, [shift[1], [0, 0, 0]])
