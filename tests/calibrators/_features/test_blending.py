"""How much of each part held-out rows support: a nonnegative garrote with a price."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.calibrators._features.blending import choose_factors

# Predictions of 1/2, of which a share of 3/5 happens: adding the constant f to the log-odds has the
# smallest loss at f = logit(3/5), with the variance 1 / (n 3/5 2/5).
BEST = np.log(3 / 2)


def factors_of_constant_shifts(n_samples, price, n_parts=1, link="logit"):
    codes = (np.arange(n_samples) % 5 < 3).astype(int)
    outputs = np.ones((n_parts, n_samples, 1))
    base = np.full((n_samples, 2), 0.5)
    prices = [price] * n_parts
    return choose_factors(base, outputs, codes, np.ones(n_samples), link, prices)


@pytest.mark.parametrize("price", [1.0, 4.0])
@pytest.mark.parametrize("n_samples", [10_000, 1_000_000])
def test_a_supported_part_is_lowered_by_the_price_times_its_variance_over_itself(n_samples, price):
    price_with_surcharge = price + (400 / n_samples) ** 2
    expected = BEST - price_with_surcharge / (n_samples * 0.24) / BEST
    assert_allclose(factors_of_constant_shifts(n_samples, price), expected, rtol=1e-4)


@pytest.mark.parametrize("n_samples", [5, 25, 50])
def test_a_part_smaller_than_its_standard_error_is_left_out(n_samples):
    assert BEST**2 * n_samples * 0.24 < 1 + (400 / n_samples) ** 2
    assert_array_equal(factors_of_constant_shifts(n_samples, 1.0), 0.0)


def test_a_free_part_is_taken_as_it_fits_best():
    assert_allclose(factors_of_constant_shifts(1000, 0.0), BEST, rtol=1e-5)


def test_two_equal_parts_pay_one_price():
    """Otherwise the more kinds of a correction there are, the less of it is taken."""
    one = factors_of_constant_shifts(1000, 4.0)
    two = factors_of_constant_shifts(1000, 4.0, n_parts=2)
    assert_allclose(two.sum(), one[0], rtol=1e-4)


def test_a_part_that_points_the_wrong_way_is_left_out():
    codes = (np.arange(1000) % 5 < 3).astype(int)
    outputs = np.stack([np.ones((1000, 1)), -np.ones((1000, 1))])
    factors = choose_factors(
        np.full((1000, 2), 0.5), outputs, codes, np.ones(1000), "logit", [1, 1]
    )
    assert factors[1] == 0.0 < factors[0]


def test_probabilities_can_be_what_is_added_to():
    """All of the difference of 1/10, for a part that adds 1/10 of probability."""
    codes = (np.arange(1000) % 5 < 3).astype(int)
    outputs = np.full((1, 1000, 1), 0.1)
    base = np.full((1000, 2), 0.5)
    factors = choose_factors(base, outputs, codes, np.ones(1000), "identity", [0.0])
    assert_allclose(factors, 1.0, rtol=1e-4)


def test_the_price_of_what_is_added_to_probabilities():
    """The derivative of the mean loss and that of the price, (12 + 0.4^2) / 1000, are opposite."""
    codes = (np.arange(1000) % 5 < 3).astype(int)
    outputs, base = np.full((1, 1000, 1), 0.1), np.full((1000, 2), 0.5)
    (factor,) = choose_factors(base, outputs, codes, np.ones(1000), "identity", [12.0])
    slope = 0.04 / (0.5 - 0.1 * factor) - 0.06 / (0.5 + 0.1 * factor)
    assert_allclose(slope, -12.16 / 1000, rtol=1e-3)
    assert 0.6 < factor < 0.8
