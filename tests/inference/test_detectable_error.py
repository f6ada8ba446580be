"""The detectable error: the power at it, its scale, and where there is none."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from sklearn_calib import check_calibration
from sklearn_calib.inference._detectable_error import shift


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
