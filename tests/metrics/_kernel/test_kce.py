"""The kernel calibration error against the double loop."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.metrics import kce
from tests._oracles import loop_kernel_error
from tests.metrics._cases import KERNEL
from tests.metrics._kernel._data import kernel_data


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["smooth", "hard", "tied"])
def test_kce_is_the_double_loop(kind, n_classes):
    y, P, w = kernel_data(kind, n_classes)
    target = "binary" if n_classes == 2 else "canonical"
    for kernel, bandwidth in [("rbf", "median"), ("laplacian", 0.3)]:
        options = {"kernel": kernel, "bandwidth": bandwidth}
        data = {"labels": np.arange(n_classes), "sample_weight": w}
        for squared, estimator in [(True, "uq"), (False, "biased")]:
            value = kce(y, P, squared=squared, **options, **data)
            loop = loop_kernel_error(y, P, target=target, estimator=estimator, weight=w, **options)
            assert_allclose(value, loop if squared else math.sqrt(max(loop, 0)), **KERNEL)


def test_the_root_of_several_classes_is_that_of_the_mean_of_their_squares():
    rng = np.random.default_rng(0)
    y, proba = rng.integers(0, 3, size=40), rng.dirichlet(np.ones(3), size=40)
    each = [kce(y == k, proba[:, k], squared=False, bandwidth=0.2) for k in range(3)]
    together = kce(y, proba, target="classwise", squared=False, bandwidth=0.2)
    assert_allclose(together, np.sqrt(np.mean(np.square(each))), rtol=1e-12)
