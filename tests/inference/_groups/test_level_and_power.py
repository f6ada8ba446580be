"""Family-wise level and power of the table of groups, within binomial bounds."""

import numpy as np
import pytest
from scipy.stats import binom, norm

from sklearn_calib import calibration_by_group

from ._data import one_wrong_group

pytestmark = pytest.mark.slow


def rare_and_small(rng):
    """Rare events, tiny groups and a number with missing values."""
    n = 300
    p = rng.beta(1.0, 20.0, n)
    dose = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n))
    return p, {"site": rng.choice(list("abcdefghij"), n), "dose": dose}, None


def weighted(rng):
    n = 200
    return rng.random(n), {"a": rng.integers(0, 3, n), "b": rng.random(n)}, rng.exponential(size=n)


def one_hot(rng):
    n = 400
    site = rng.integers(0, 6, n)
    return rng.beta(0.3, 0.3, n), (site[:, np.newaxis] == np.arange(6)).astype(int), None


SHAPES = {"rare events": rare_and_small, "weights": weighted, "one-hot": one_hot}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_calibrated_model_has_any_finding_with_probability_alpha(shape):
    n_repeats, alpha, found, exact = 300, 0.1, 0, 0
    for seed in range(n_repeats):
        rng = np.random.default_rng([seed, 1])
        p, groups, weight = SHAPES[shape](rng)
        y = (rng.random(p.size) < p).astype(int)
        result = calibration_by_group(
            y,
            p,
            groups,
            labels=[0, 1],
            max_interaction=2,
            alpha=alpha,
            n_resamples=99,
            sample_weight=weight,
            metric=None,
            random_state=seed,
        )
        found += result.n_significant > 0
        exact += np.nanmin(result.pvalue_marginal) <= alpha
    assert found == exact
    low, high = binom.ppf([0.0005, 0.9995], n_repeats, alpha)
    assert low <= found <= high


def test_groups_that_are_right_are_safe_whatever_the_others_are():
    """Strong control: one group is far off, the family-wise level holds for the other ones."""
    n_repeats, alpha, found = 300, 0.1, 0
    for seed in range(n_repeats):
        rng = np.random.default_rng([seed, 2])
        group, p = np.repeat(list("abcdef"), 60), rng.uniform(0.2, 0.8, 360)
        y = (rng.random(360) < np.where(group == "a", 0.95, p)).astype(int)
        result = calibration_by_group(
            y, p, group, alpha=alpha, n_resamples=99, metric=None, random_state=seed
        )
        assert result.significant[0]
        found += result.significant[1:].any()
    assert found <= binom.ppf(0.9995, n_repeats, alpha)


@pytest.mark.parametrize(("wrong_by", "share"), [(0.08, 0.9), (0.054, 0.6)])
def test_the_wrong_group_is_named_and_no_other(wrong_by, share):
    """A fifth of the rows is wrong, so five innocent categories inherit some of the error."""
    n_repeats, alone = 60, 0
    hits = 0
    for seed in range(n_repeats):
        y, p, groups = one_wrong_group(seed, wrong_by=wrong_by)
        result = calibration_by_group(y, p, groups, n_resamples=499, metric=None, random_state=seed)
        hits += result.label[result.significant].tolist() == ["sex = Female"]
        rows = groups["sex"] == "Female"
        z = (y - p)[rows].sum() / np.sqrt((p * (1 - p))[rows].sum())
        alone += abs(z) > norm.isf(0.025)
    assert hits >= binom.ppf(0.001, n_repeats, share)
    assert alone >= hits


def test_power_for_one_wrong_group_of_twenty_is_that_of_bonferroni():
    """At least as often as the best test of a single group times twenty."""
    n_repeats, ours, bonferroni = 300, 0, 0
    for seed in range(n_repeats):
        rng = np.random.default_rng([seed, 3])
        group, p = np.repeat(np.arange(20).astype(str), 100), rng.uniform(0.2, 0.8, 2000)
        y = (rng.random(2000) < p + 0.16 * (group == "3")).astype(int)
        result = calibration_by_group(y, p, group, n_resamples=399, metric=None, random_state=seed)
        ours += result.significant[result.category.tolist().index("3")]
        rows = group == "3"
        z = (y - p)[rows].sum() / np.sqrt((p * (1 - p))[rows].sum())
        bonferroni += abs(z) > norm.isf(0.025 / 20)
    assert 0.3 < bonferroni / n_repeats < 0.9
    assert ours >= bonferroni - 2.0 * np.sqrt(n_repeats * 0.02)
