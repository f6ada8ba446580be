"""Rows for intervals of the calibration line, where the line is known without a fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from scipy.stats import norm

from sklearn_calib import required_sample_size
from sklearn_calib.inference._sample_size.closed_forms import CLOSED_FORMS

Z = norm.ppf(0.95)  # for intervals of 90 %


def rows(metric, p, true, width=0.4):
    return CLOSED_FORMS[metric](np.array(p), np.array(true), width, 0.9)


def test_the_line_through_two_predictions_has_the_variance_of_a_difference_of_log_odds():
    """Half of the rows at each: the log odds of either have the variance 2 / (n q (1 - q))."""
    variance = 2.0 / (0.3 * 0.7) + 2.0 / (0.9 * 0.1)
    expected = variance / (logit(0.6) - logit(0.2)) ** 2 / (0.2 / Z) ** 2
    assert_allclose(rows("calibration_slope", [0.2, 0.6], [0.3, 0.9]), expected, rtol=1e-6)


@pytest.mark.parametrize(("p", "true"), [(0.02, 0.98), (0.98, 0.02), (0.5, 0.5), (0.01, 0.02)])
def test_the_intercept_moves_equal_predictions_to_the_rate_of_events(p, true):
    """However far away that is: from 0.02 to 0.98 it is 7.8 on the scale of log odds."""
    expected = 1.0 / (true * (1.0 - true)) / (0.2 / Z) ** 2
    found = rows("calibration_intercept", [p, p, p], [true, true, true])
    assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("shift", [6.9, -6.9])
def test_the_intercept_of_a_shift_of_all_log_odds_is_that_shift(shift):
    p = expit([0.0, -shift, -shift, -shift])
    true = expit(logit(p) + shift)
    expected = 1.0 / np.mean(true * (1.0 - true)) / (0.2 / Z) ** 2
    assert_allclose(rows("calibration_intercept", p, true), expected, rtol=1e-9)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_no_number_of_rows_shows_the_intercept_where_all_labels_are_the_same(rate):
    assert rows("calibration_intercept", [0.3, 0.6], [rate, rate]) == np.inf
    with pytest.raises(ValueError, match="No number of rows is enough"):
        required_sample_size(
            [0.3, 0.6],
            truth=lambda p: np.full_like(p, rate),
            metric="calibration_intercept",
            width=0.4,
        )


@pytest.mark.parametrize(("p", "rate"), [([0.0, 0.0], 0.5), ([0.2, 0.4], 0.0)])
def test_no_number_of_rows_shows_a_ratio_without_events_on_one_side(p, rate):
    assert rows("observed_expected_ratio", p, [rate, rate]) == np.inf
