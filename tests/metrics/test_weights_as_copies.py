"""A weight counts as that many copies of the row, in a median bandwidth as well."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import local_calibration_bias
from sklearn_calib._core import median_distance
from sklearn_calib.metrics import kce, mmce, skce
from tests._oracles import loop_median_distance

Y = np.array([0, 1, 1, 0, 1])
P = np.array([0.1, 0.2, 0.35, 0.7, 0.9])
W = np.array([3, 1, 2, 1, 1])
COPIES = np.repeat(np.arange(5), W)

BIASED = {
    "kce": lambda y, p, w: kce(y, p, squared=False, sample_weight=w),
    "kce laplacian": lambda y, p, w: kce(y, p, squared=False, kernel="laplacian", sample_weight=w),
    "mmce": lambda y, p, w: mmce(y, p, bandwidth="median", sample_weight=w),
    "skce": lambda y, p, w: skce(y, p, estimator="biased", bandwidth="median", sample_weight=w),
}


@pytest.mark.parametrize("name", BIASED)
def test_biased_errors_with_a_median_bandwidth(name):
    assert_allclose(BIASED[name](Y, P, W), BIASED[name](Y[COPIES], P[COPIES], None), rtol=1e-12)


def test_the_known_value():
    """Of the copies, computed without weights."""
    assert_allclose(kce(Y, P, squared=False, sample_weight=W), 0.220519185, atol=1e-9)


@pytest.mark.parametrize("feature_bandwidth", ["median", "scaled"])
def test_the_local_bias(feature_bandwidth):
    X = np.column_stack([P**2, [1.0, 5.0, 2.0, 2.0, 7.0]])
    options = {"X_query": X, "proba_query": P, "feature_bandwidth": feature_bandwidth}
    weighted = local_calibration_bias(Y, P, X, sample_weight=W, **options)
    copies = local_calibration_bias(Y[COPIES], P[COPIES], X[COPIES], **options)
    assert_allclose(weighted, copies, rtol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_median_is_that_of_the_copies(seed):
    """With ties, even and odd numbers of pairs, in one and two dimensions."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    points = rng.integers(0, 6, size=(n, 1 + seed % 2)) / 4
    weight = rng.integers(1, 5, n)
    copies = loop_median_distance(np.repeat(points, weight, axis=0).tolist())
    assert_allclose(median_distance(points, weight.astype(float)), copies, rtol=1e-14)
    for scale in (1e-3, 0.1, 1e200):
        assert_allclose(median_distance(points, weight * scale), copies, rtol=1e-14)


def test_equal_weights_count_as_none():
    points = np.random.default_rng(0).normal(size=(3000, 2))
    assert median_distance(points, np.full(3000, 0.3)) == median_distance(points)


def test_above_two_thousand_rows_the_median_is_that_of_the_copies_up_to_sampling():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(4000, 1)) ** 3
    weight = rng.integers(1, 6, 4000) * (1.0 + 9 * (points[:, 0] > 1))
    copies = np.repeat(points, weight.astype(int), axis=0)
    exact = median_distance(copies, max_samples=5000, seed=1)
    assert_allclose(median_distance(points, weight), exact, rtol=0.1)
    assert median_distance(points, weight) == median_distance(points, 7.0 * weight)
    assert abs(median_distance(points) / exact - 1) > 0.3  # what weights change here


def test_a_few_rows_with_all_the_weight_are_not_missed():
    points = np.r_[np.zeros(5000), [0.0, 1.0, 3.0]]
    weight = np.r_[np.full(5000, 1e-9), [1.0, 1.0, 1.0]]
    assert median_distance(points, weight) == 2.0
