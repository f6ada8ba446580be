"""The detectable error: the power at it, its scale, and where there is none."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from sklearn_calib import check_calibration
from sklearn_calib.inference._detectable_error import _solve, critical_values, shift


def test_shifts_of_two_classes_go_towards_one_half_and_stay_probabilities():
    proba = np.array([[0.98, 0.02], [0.7, 0.3]])
    assert_allclose(shift(proba, 0.1), [[0.88, 0.12], [0.6, 0.4]])
    assert_allclose(shift(proba[:, ::-1], 0.1), [[0.12, 0.88], [0.4, 0.6]])
    assert_allclose(shift(proba, 0.8), [[0.18, 0.82], [0.0, 1.0]])


def test_shifts_of_several_classes_lower_the_largest_probability():
    shifted = shift(np.array([[0.6, 0.3, 0.1], [0.0, 1.0, 0.0]]), 0.2)
    assert_allclose(shifted, [[0.4, 0.45, 0.15], [0.1, 0.8, 0.1]], rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["skce", "ece", "cox_score", "omnibus"])
def test_the_test_finds_the_detectable_error_in_four_of_five_samples(statistic):
    rng = np.random.default_rng(1)
    p = rng.uniform(0.1, 0.8, 300)
    options = {"statistic": statistic, "n_resamples": 199}
    size = check_calibration(rng.random(300) < p, p, random_state=0, **options).detectable_error
    found = 0
    for seed in range(100):
        y = np.random.default_rng([seed, 5]).random(300) < p + size
        found += check_calibration(y, p, random_state=seed, **options).pvalue <= 0.05
    assert 66 <= found <= 93


def test_it_is_that_of_the_normal_test_of_the_mean():
    """All predictions are equal: the Hosmer-Lemeshow statistic of one bin tests their mean."""
    p = np.full(2000, 0.3)
    y = np.arange(2000) < 600
    size = check_calibration(y, p, statistic="mce", random_state=0).detectable_error
    spread = np.sqrt(0.21 / 2000)
    expected = (norm.ppf(0.975) + norm.ppf(0.8)) * spread
    assert size == pytest.approx(expected, rel=0.1)


def test_where_there_is_none():
    y, p = np.array([0, 1, 1, 0]), np.array([0.2, 0.6, 0.9, 0.4])
    assert check_calibration(y, p, n_resamples=18).detectable_error is None
    assert check_calibration(y, p, null="wild").detectable_error is None
    assert check_calibration(y, p, statistic=lambda y, p: 0.0).detectable_error is None
    many = check_calibration(np.tile(y, 50), np.tile(p, 50), random_state=0)
    assert "detectable_error=" in repr(many)


class Statistic:
    """One statistic, whose test follows from its draws alone."""

    make_test = None


VALUES = np.random.default_rng(0).permutation(np.arange(1.0, 100.0))  # 99 draws: ranks are shares


def test_critical_values_are_order_statistics_of_the_draws():
    """The largest 5 of 99 draws and the value itself are 5 of 100; of either side, 2."""
    one = critical_values(Statistic, VALUES)
    assert (one.critical, one.low) == (95.0, -np.inf)
    two = critical_values(Statistic, VALUES, "two-sided")
    assert (two.critical, two.low) == (98.0, 2.0)
    assert critical_values(Statistic, VALUES, level=0.01).critical == 99.0
    assert critical_values(Statistic, VALUES[:98], level=0.01).critical is None
    assert critical_values(Statistic, np.append(VALUES, np.nan)).critical == 95.0


def test_the_power_is_the_mean_of_a_share_and_of_a_normal_approximation():
    drawn = np.array([90.0, 95.0, 96.0, 99.0, 1.0])
    mean, spread = drawn.mean(), drawn.std(ddof=1)
    one = critical_values(Statistic, VALUES)
    normal = norm.sf(95.0, mean, spread)
    assert one.power(drawn) == pytest.approx((2 / 5 + normal) / 2, rel=1e-12)
    two = critical_values(Statistic, VALUES, "two-sided")
    normal = norm.sf(98.0, mean, spread) + norm.cdf(2.0, mean, spread)
    assert two.power(drawn) == pytest.approx((2 / 5 + normal) / 2, rel=1e-12)


def test_the_power_of_draws_without_spread_is_a_share():
    one = critical_values(Statistic, VALUES)
    assert one.power(np.full(4, 96.0)) == 1.0
    assert one.power(np.array([np.inf, 1.0, 2.0, 3.0])) == 0.25
    assert one.power(np.array([1e300, 1.0, 2.0, 3.0])) == 0.25  # the variance is not finite


@pytest.mark.parametrize("root", [0.02, 0.37, 0.9])
@pytest.mark.parametrize("start", [0.01, 0.3, 1.0])
def test_the_size_where_a_growing_function_is_zero(root, start):
    found = _solve(lambda size: 50.0 * (size - root), start)
    assert abs(found - root) <= max(0.02 * found, 0.001)


@pytest.mark.parametrize("root", [0.02, 0.37, 0.9])
@pytest.mark.parametrize("start", [0.01, 0.3, 1.0])
def test_the_search_goes_on_until_the_sizes_around_the_zero_are_close(root, start):
    """The line through two points of a curve is far from its zero at first."""
    found = _solve(lambda size: 1e4 * ((size / root) ** 3 - 1.0), start)
    assert abs(found - root) <= 0.02 * root


def test_no_size_is_enough_for_what_stays_below_zero():
    assert _solve(lambda size: -1.0, 0.4) is None


def test_a_test_that_is_blind_to_a_shift_has_none_at_any_number_of_rows():
    """The expectation of Spiegelhalter's z does not depend on the rate if p is one half."""
    p, y = np.full(20_000, 0.5), np.arange(20_000) % 2
    options = {"statistic": "spiegelhalter", "n_resamples": 39, "random_state": 0}
    assert check_calibration(y, p, **options).detectable_error is None
