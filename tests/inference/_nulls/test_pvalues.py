"""P-values and ranges of draws by hand."""

import numpy as np
import pytest
from scipy.stats import chi2, norm

from sklearn_calib.inference._pvalues import (
    asymptotic_pvalue,
    check_draws,
    fewest_resamples,
    mean_of_draws,
    monte_carlo_pvalue,
    range_of_draws,
)

DRAWS = np.array([1.0, 2.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("observed", "greater", "not_exact", "two_sided"),
    [
        (0.0, 1.0, 1.0, 0.4),
        (1.0, 1.0, 0.75, 0.8),
        (2.0, 0.8, 0.25, 1.0),
        (2.5, 0.4, 0.25, 0.8),
        (3.0, 0.4, 0.25, 0.8),
        (9.0, 0.2, 0.25, 0.4),
    ],
)
def test_shares_of_draws(observed, greater, not_exact, two_sided):
    assert monte_carlo_pvalue(observed, DRAWS) == pytest.approx(greater)
    assert monte_carlo_pvalue(observed, DRAWS, add_one=False) == pytest.approx(not_exact)
    assert monte_carlo_pvalue(observed, DRAWS, alternative="two-sided") == pytest.approx(two_sided)


def test_ties_up_to_rounding_of_the_largest_value_and_what_is_no_number():
    assert monte_carlo_pvalue(3.0 + 1e-12, DRAWS) == pytest.approx(2 / 5)
    assert monte_carlo_pvalue(3.0 + 1e-11, DRAWS) == pytest.approx(1 / 5)
    assert monte_carlo_pvalue(-900.0, np.array([-900.0 - 5e-10])) == 1.0
    assert monte_carlo_pvalue(3.0, np.array([1.0, np.nan, np.inf])) == pytest.approx(3 / 4)
    assert monte_carlo_pvalue(np.inf, np.array([1.0, np.inf, 2.0])) == pytest.approx(2 / 4)
    assert monte_carlo_pvalue(np.nan, DRAWS) == 1.0


def test_ranges_and_means_of_draws():
    values = np.array([0.0, 1.0, 2.0, 3.0, np.nan])
    assert range_of_draws(values, 0.5) == pytest.approx((0.75, 2.25))
    assert np.isnan(range_of_draws(np.array([np.nan]), 0.5)).all()
    infinite = np.array([0.0, 1.0, 2.0, np.inf])
    assert range_of_draws(infinite, 0.5) == (0.0, 2.0)
    assert mean_of_draws(np.array([1.0, 2.0, 6.0])) == 3.0
    assert mean_of_draws(infinite) == 1.0


def test_pvalues_of_a_limiting_distribution():
    assert asymptotic_pvalue(3.0, chi2(2), "greater") == pytest.approx(np.exp(-1.5))
    for observed in (-1.7, 1.7):
        found = asymptotic_pvalue(observed, norm, "two-sided")
        assert found == pytest.approx(2 * norm.sf(1.7))
    assert asymptotic_pvalue(0.0, norm, "two-sided") == 1.0


@pytest.mark.parametrize(("alpha", "draws"), [(0.05, 19), (0.03, 33), (0.01, 99), (0.5, 1)])
def test_fewest_draws(alpha, draws):
    assert fewest_resamples(alpha) == draws
    assert 1 / (draws + 1) <= alpha < 1 / draws


@pytest.mark.parametrize(("alpha", "draws"), [(0.05, 19), (0.03, 33), (0.01, 99), (0.5, 1)])
def test_draws_with_which_nothing_could_be_found_are_refused(alpha, draws):
    assert check_draws(draws, alpha) == (draws, alpha)
    message = "n_resamples must be" if draws == 1 else f"n_resamples={draws - 1} is too small for"
    with pytest.raises(ValueError, match=message):
        check_draws(draws - 1, alpha)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, np.nan])
def test_levels_lie_between_zero_and_one(alpha):
    with pytest.raises(ValueError, match="alpha must be"):
        check_draws(1000, alpha)
