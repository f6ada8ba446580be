"""Standardised sums of residuals, and what others leave of a direction."""

import numpy as np
import pytest

from sklearn_calib.inference._statistics.omnibus.subject import Subject

P = np.array([0.2, 0.5, 0.5, 0.8])
WEIGHT = np.array([1.0, 2.0, 1.0, 0.5])


def subject(p=P):
    return Subject(p, np.array([1.0, 0.0, 1.0, 1.0]), WEIGHT, "predictions")


def test_the_deviation_is_the_sum_over_its_standard_deviation():
    # Residuals 0.8, -0.5, 0.5, 0.2, and variances 0.16, 0.25, 0.25, 0.16.
    total = 0.8 - 1.0 + 0.5 + 0.1
    spread = np.sqrt(0.16 + 4 * 0.25 + 0.25 + 0.25 * 0.16)
    assert subject().deviation() == pytest.approx(total / spread, rel=1e-12)


def test_what_others_leave_is_uncorrelated_with_them():
    direction, other = np.array([0.0, 1.0, 2.0, 3.0]), np.ones(4)
    variance = P * (1 - P) * WEIGHT**2
    left = direction - (variance @ direction) / variance.sum()
    expected = (WEIGHT * left) @ [0.8, -0.5, 0.5, 0.2] / np.sqrt(variance @ left**2)
    assert subject().standardised(direction, other) == pytest.approx(expected, rel=1e-12)


def test_a_direction_of_which_others_leave_nothing_counts_as_zero():
    direction = np.array([0.1, 0.2, 0.3, 0.7])
    assert subject().standardised(direction, 3.0 * direction) == 0.0
    nearly = direction + 1e-7 * np.array([1.0, -1.0, 1.0, -1.0])
    assert subject().standardised(nearly, direction) == 0.0
    clearly = direction + 1e-5 * np.array([1.0, -1.0, 1.0, -1.0])
    assert subject().standardised(clearly, direction) != 0.0


def test_certain_predictions_have_no_deviation():
    assert subject(np.array([0.0, 1.0, 1.0, 0.0])).deviation() == 0.0
