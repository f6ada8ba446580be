"""Beta calibration of data without a finite optimum."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib.calibrators import BetaCalibrator


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("smooth", [False, True])
def test_the_order_of_rows_does_not_matter_on_separable_data(monotone, smooth):
    p, y = np.array([0.1, 0.5, 0.6, 0.9, 0.5]), np.array([0, 1, 1, 1, 0])
    queries = np.linspace(0, 1, 11)
    calibrator = BetaCalibrator(monotone=monotone, smooth=smooth)
    expected = calibrator.fit(p, y).predict_proba(queries)
    for order in permutations(range(5)):
        rows = list(order)
        assert_array_equal(calibrator.fit(p[rows], y[rows]).predict_proba(queries), expected)
    doubled = calibrator.fit(np.r_[p, p], np.r_[y, y], np.full(10, 0.5)).predict_proba(queries)
    assert_array_equal(doubled, expected)


def test_smoothing_keeps_two_positives_from_a_steep_curve():
    rng = np.random.default_rng(0)
    p = np.r_[rng.uniform(0, 0.4, size=198), 0.5, 0.6]
    y = np.arange(200) >= 198
    assert BetaCalibrator().fit(p, y).b_ > 100
    smooth = BetaCalibrator(smooth=True).fit(p, y)
    assert max(smooth.a_, smooth.b_) < 20
