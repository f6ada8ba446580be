"""Mixtures with a uniform probability, whose variance is a quadratic function of the part."""

import numpy as np
import pytest

from sklearn_calib.inference._intervals.norms import _part_of_uniform


def part(p, uniform, variance):
    return _part_of_uniform(np.array([p]), np.array([1.0]), uniform, variance)


@pytest.mark.parametrize("p", [0.2, 0.4])
def test_a_variance_that_no_mixture_has_gets_the_part_that_comes_next(p):
    """A mixed probability of one half has the largest variance, 0.25."""
    assert part(p, 0.6, 0.3) == pytest.approx((0.5 - p) / (0.6 - p), rel=1e-12)
    assert part(p, 0.6, 100.0) == pytest.approx((0.5 - p) / (0.6 - p), rel=1e-12)


def test_the_part_is_at_most_one():
    assert part(0.2, 0.4, 0.3) == 1.0  # half the way beyond 0.4 would be best
    assert part(0.2, 0.4, 0.245) == 1.0
    assert part(0.2, 0.4, 0.24) == pytest.approx(1.0, rel=1e-12)
    assert part(0.2, 0.4, 0.21) == pytest.approx(0.5, rel=1e-12)


def test_there_is_no_part_where_none_is_missing_or_none_would_help():
    assert part(0.2, 0.4, 0.16) == 0.0
    assert part(0.2, 0.1, 0.2) == 0.0
    assert part(0.5, 0.9, 0.3) == 0.0
