"""Ends of intervals where the distance from the data is a known function."""

import numpy as np
import pytest

from sklearn_calib.inference._intervals.inversion import end_of_interval


@pytest.mark.parametrize("step", [1e-6, 0.3, 40.0, 0.0, np.nan, np.inf])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_end_is_where_the_distance_reaches_the_quantile(side, step):
    """The cube of the way from 5 reaches 8 two units away."""
    end = end_of_interval(lambda value: abs(value - 5.0) ** 3, 5.0, side, 8.0, step)
    assert end == pytest.approx(5.0 + 2.0 * side, rel=1e-9)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_an_end_before_what_is_impossible(side):
    """Values more than 3 away are infinitely far from the data, all others are near."""

    def distance(value):
        return np.inf if abs(value) > 3.0 else 0.1

    assert end_of_interval(distance, 0.0, side, 2.0, 1.0) == pytest.approx(3.0 * side, rel=1e-9)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_open_ends(side):
    assert end_of_interval(lambda value: 0.0, 1.0, side, 2.0, 1.0) == side * np.inf
    assert end_of_interval(lambda value: 0.0, side * np.inf, side, 2.0, 1.0) == side * np.inf
    # From infinity inwards: 1 / |value| is 2 half a unit from zero.
    end = end_of_interval(lambda value: 1.0 / max(abs(value), 1e-9), -side * np.inf, side, 2.0, 1.0)
    assert end == pytest.approx(-0.5 * side, rel=1e-9)


@pytest.mark.parametrize("border", [0.1, 0.3, 0.6, 0.7, 0.9, 3.0, 1e6 + 0.3])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_an_end_before_what_is_impossible_is_outside_by_rounding_at_most(border, side):
    def distance(value):
        return np.inf if abs(value) >= border else 0.1

    end = side * end_of_interval(distance, 0.0, side, 2.0, 1.0)
    assert 0.0 <= end - border <= 1e-12 * max(1.0, border)


def test_a_value_at_the_quantile_is_outside():
    """Values from 0.25 on are just as far away as the quantile, and those from 1 on impossible."""

    def distance(value):
        return np.inf if value >= 1.0 else 2.0 * (value >= 0.25)

    assert end_of_interval(distance, 0.0, 1.0, 2.0, 1.0) == 0.25
