"""The kernel local calibration error: the double loop, invariance and reference values."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.metrics import kce, klce
from tests._oracles import loop_kernel, loop_kernel_error, loop_median_distance
from tests._reference import parametrize_cases
from tests.metrics._cases import KERNEL, reference_data
from tests.metrics._kernel._data import kernel_data


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("widths", [0.7, "median", "scaled", [0.5, 40.0, 2.0]])
def test_klce_is_the_double_loop(n_classes, widths):
    y, P, w = kernel_data("smooth", n_classes)
    X = np.random.default_rng(3).normal(size=(31, 3)) * [1.0, 100.0, 1.0]
    if widths == "median":
        h = [loop_median_distance(X.tolist(), w)] * 3
    elif widths == "scaled":
        h = [loop_median_distance(X[:, [k]].tolist(), w) * math.sqrt(3) for k in range(3)]
    else:
        h = [widths] * 3 if np.ndim(widths) == 0 else widths
    scaled = (X / h).tolist()
    for prob_bandwidth in (0.2, "median"):
        loop = loop_kernel_error(
            y,
            P,
            target="binary" if n_classes == 2 else "canonical",
            estimator="uq",
            kernel="rbf",
            bandwidth=prob_bandwidth,
            weight=w,
            factor=lambda i, j: loop_kernel(scaled[i], scaled[j], "rbf", 1.0),
        )
        options = {"prob_bandwidth": prob_bandwidth, "feature_bandwidth": widths}
        value = klce(y, P, X, sample_weight=w, **options)
        assert_allclose(value, loop, **KERNEL)


def test_klce_does_not_feel_offsets_or_the_order_of_features():
    y, P, _ = kernel_data("smooth", 2)
    X = np.random.default_rng(4).normal(size=(31, 3))
    for width in (0.2, 1.0, "median", "scaled"):
        value = klce(y, P, X, feature_bandwidth=width)
        assert_allclose(klce(y, P, X[:, ::-1], feature_bandwidth=width), value, rtol=1e-12)
        assert_allclose(klce(y, P, X + 1e4, feature_bandwidth=width), value, rtol=1e-8)


def test_klce_with_scaled_bandwidths_does_not_feel_units():
    y, P, _ = kernel_data("smooth", 3)
    X = np.random.default_rng(5).normal(size=(31, 2))
    value = klce(y, P, X, feature_bandwidth="scaled")
    other = klce(y, P, X * [1000.0, 0.01], feature_bandwidth="scaled")
    assert_allclose(other, value, rtol=1e-10)
    assert abs(klce(y, P, X * [1000.0, 0.01]) - klce(y, P, X)) > 1e-6


def test_klce_of_equal_features_is_kce():
    for n_classes in (2, 3):
        y, P, w = kernel_data("smooth", n_classes)
        value = klce(y, P, np.full((31, 2), 7.0), sample_weight=w)
        assert_allclose(value, kce(y, P, sample_weight=w), **KERNEL)


def test_klce_sees_what_the_global_error_cannot():
    """One prediction for all, right on average, wrong by 0.3 on either side of zero."""
    x = np.linspace(-1, 1, 400)
    rng = np.random.default_rng(6)
    y = (rng.random(400) < np.where(x > 0, 0.8, 0.2)).astype(int)
    p = np.full(400, y.mean())
    assert abs(kce(y, p)) < 0.002
    assert klce(y, p, x, feature_bandwidth=0.5) > 0.01


@parametrize_cases("klce", keep=lambda case: case["params"]["function"] == "KLCE_test")
def test_klce(case):
    y, p, _ = reference_data(case, None)
    params = case["params"]
    shared = params["x_kernel_width"] is None
    width = params["prob_kernel_width"]
    value = klce(
        y,
        p,
        case["inputs"]["X"],
        prob_bandwidth=width,
        feature_bandwidth=width if shared else params["x_kernel_width"],
    )
    assert_allclose(value, case["expected"]["statistic"], **KERNEL)
