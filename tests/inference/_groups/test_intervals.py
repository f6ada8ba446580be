"""Exact limits of a gap, and how many rows of one rate a group is worth."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binomtest

from sklearn_calib.inference._groups.intervals import effective_rows, gap_interval


@pytest.mark.parametrize(("hits", "size"), [(0, 7), (3, 20), (20, 20), (150, 400)])
def test_the_limits_are_those_of_clopper_and_pearson(hits, size):
    expected = binomtest(hits, size).proportion_ci(0.9, method="exact")
    found = gap_interval(np.array([hits / size]), 0.25, size, 0.1)
    assert_allclose(np.ravel(found), np.array([expected.low, expected.high]) - 0.25, rtol=1e-9)


@pytest.mark.parametrize(
    ("of_residuals", "of_predictions", "factor"),
    [
        (1.0, 1.0, 1.0),  # labels of one rate
        (0.25, 8.0, 4.0),  # residuals vary a quarter as much, predictions promise an eighth
        (0.25, 2.0, 2.0),
        (3.0, 2.0, 1.0),  # never fewer rows than Kish's number
        (0.0, 2.0, 1.0),  # no residual varies: nothing is known
    ],
)
def test_rows_count_as_more_of_one_rate_where_they_vary_less(of_residuals, of_predictions, factor):
    weight, rate = np.array([1.0, 2.0, 3.0]), 0.2
    square_sum = weight @ weight
    variance = of_residuals * rate * (1 - rate) * square_sum
    found = effective_rows(weight.sum(), square_sum, rate, variance, of_predictions)
    assert_allclose(found, factor * 36 / 14, rtol=1e-12)
