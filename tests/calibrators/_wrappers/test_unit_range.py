"""Scores of any size are brought into [0, 1] for calibrators that have no scale of their own."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.calibrators._wrappers.calibrated_pair import UnitRange


def test_the_range_of_the_calibration_scores_becomes_zero_to_one():
    unit = UnitRange(np.array([[-3.0, 2.0], [1.0, 2.0], [0.0, 2.0]]))
    scores = np.array([[-3.0, 2.0], [-2.0, 5.0], [1.0, 2.0], [-9.0, 2.0], [9.0, 2.0]])
    assert_array_equal(unit(scores)[:, 0], [0.0, 0.25, 1.0, 0.0, 1.0])
    assert_array_equal(unit(scores)[:, 1], 0.5)  # equal scores have no range


def test_the_largest_numbers_do_not_overflow():
    most = np.finfo(float).max
    unit = UnitRange(np.array([[-most], [most]]))
    assert_allclose(unit(np.array([[-most], [0.0], [most]]))[:, 0], [0.0, 0.5, 1.0])
