"""What can be asked of a pair form, and what is refused."""

import numpy as np
import pytest

from sklearn_calib._core import pair_form
from sklearn_calib._core.planner import applicable_ways


@pytest.mark.parametrize(
    ("kernel", "dimension", "algorithm"),
    [("laplacian", 1, "fourier"), ("laplacian", 2, "line"), ("rbf", 3, "windows")],
)
def test_an_algorithm_that_does_not_apply_names_those_that_do(kernel, dimension, algorithm):
    with pytest.raises(ValueError, match="does not apply") as error:
        pair_form(np.zeros((5, dimension)), kernel=kernel, bandwidth=1.0, algorithm=algorithm)
    for way in applicable_ways(kernel, dimension):
        assert way in str(error.value)


def test_unknown_kernel():
    with pytest.raises(ValueError, match=r"kernel must be .* got 'matern'"):
        pair_form(np.zeros(5), kernel="matern", bandwidth=1.0)
