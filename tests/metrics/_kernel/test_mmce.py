"""The maximum mean calibration error: the double loop and reference values."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.metrics import mmce, skce
from tests._oracles import loop_kernel_error
from tests._reference import parametrize_cases
from tests.metrics._cases import KERNEL, reference_data
from tests.metrics._kernel._data import kernel_data


@pytest.mark.parametrize("n_classes", [2, 3])
def test_mmce_is_the_root_of_the_double_loop(n_classes):
    y, P, w = kernel_data("smooth", n_classes)
    target = "binary" if n_classes == 2 else "confidence"
    loop = loop_kernel_error(
        y, P, target=target, estimator="biased", kernel="laplacian", bandwidth=0.2, weight=w
    )
    assert_allclose(mmce(y, P, sample_weight=w), math.sqrt(loop), **KERNEL)
    biased = skce(y, P, estimator="biased", target=target, sample_weight=w)
    assert_allclose(mmce(y, P, sample_weight=w) ** 2, biased, rtol=0, atol=1e-12)
    assert mmce(y, P, bandwidth="median") > 0


@parametrize_cases("mmce")
def test_mmce(case):
    p = np.array(case["inputs"]["p"])
    y, p, options = reference_data(case, "confidence" if p.ndim == 2 else None)
    value = mmce(y, p, bandwidth=case["params"]["bandwidth"], **options)
    expected = case["expected"]["value"]
    assert_allclose(value, expected, rtol=1e-10, atol=1e-14 if expected else 1e-8)
