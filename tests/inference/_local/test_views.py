"""A view in which no point has enough rows."""

import numpy as np
from numpy.testing import assert_array_equal

from sklearn_calib.inference._local.views import View


def test_without_a_tested_point_the_largest_bias_of_each_draw_is_zero():
    """Four points and two events, so that ten columns are five draws of either."""
    untested = np.full(4, False)
    view = View(None, np.ones((4, 2)), np.ones((4, 2)), np.ones(4), untested, untested, None)
    assert_array_equal(view.largest(np.ones((7, 10))), np.zeros(5))
