"""The number of events among independent rows has the exact distribution."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom

from sklearn_calib._core.poisson_binomial import event_count_distribution, event_count_limits


def one_row_at_a_time(p):
    """Return the distribution by the definition, O(n^2)."""
    mass = np.ones(1)
    for probability in p:
        mass = np.convolve(mass, [1.0 - probability, probability])
    return mass


def rows(shape, n):
    rng = np.random.default_rng(n)
    return {
        "even": rng.random(n),
        "rare": rng.beta(0.1, 5, n),
        "certain": np.round(rng.random(n)),
        "mixed": np.where(rng.random(n) < 0.5, 0.0, rng.random(n)),
    }[shape]


@pytest.mark.parametrize("n", [1, 2, 32, 33, 65, 100, 999, 4000])
@pytest.mark.parametrize("shape", ["even", "rare", "certain", "mixed"])
def test_distribution(shape, n):
    p = rows(shape, n)
    start, mass = event_count_distribution(p)
    full = np.zeros(max(n + 1, start + mass.size))
    full[start : start + mass.size] = mass
    expected = one_row_at_a_time(p)
    assert_allclose(full[: n + 1], expected, atol=1e-13)
    assert full[n + 1 :].sum() < 1e-13


@pytest.mark.parametrize("n", [1, 40, 1000, 100_000])
@pytest.mark.parametrize("q", [0.0, 1e-4, 0.3, 1.0])
@pytest.mark.parametrize("level", [0.005, 0.025, 0.2])
def test_limits_of_equal_rows_are_those_of_the_binomial(n, q, level):
    lower, upper = event_count_limits(np.full(n, q), level)
    assert binom.cdf(lower - 1, n, q) <= level < binom.cdf(lower, n, q)
    assert binom.sf(upper, n, q) <= level < binom.sf(upper - 1, n, q)


def test_no_rows_have_no_events():
    start, mass = event_count_distribution(np.empty(0))
    assert start == 0
    assert_allclose(mass[0], 1.0)
    assert mass[1:].sum() == 0.0
