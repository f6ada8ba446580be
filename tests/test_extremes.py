"""The largest and smallest numbers give the right value, or an error that names the argument."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import ReliabilityDisplay, check_calibration, local_bias_band
from sklearn_calib import local_calibration_bias as local_bias
from sklearn_calib.kernels import klce_kernel, laplacian_kernel, rbf_kernel
from sklearn_calib.metrics import calibration_bins, ece, kce, klce, mmce, skce

Y, P = np.array([0, 1, 1, 0]), np.array([0.2, 0.6, 0.7, 0.4])
E = Y - P
HUGE = np.array([-1.7e308, 1.7e308, 0.0, 1.0])


def test_huge_features_are_features_in_another_unit():
    small = HUGE / 1e308
    expected = klce(Y, P, small)
    assert_allclose(klce(Y, P, HUGE), expected, rtol=1e-12)
    assert_allclose(klce(Y, P, HUGE, feature_bandwidth="scaled"), expected, rtol=1e-12)
    assert_allclose(klce(Y, P, HUGE[:, None] * [1, 0]), expected, rtol=1e-12)
    wide = {"prob_bandwidth": 0.3, "feature_bandwidth": 1e308}
    scaled = {**wide, "feature_bandwidth": 1.0}
    assert_allclose(klce_kernel(HUGE, P, **wide), klce_kernel(small, P, **scaled), rtol=1e-12)
    bias = local_bias(Y, P, HUGE, **wide)
    assert_allclose(bias, local_bias(Y, P, small, **scaled), rtol=1e-12)
    tests = [check_calibration(Y, P, X, n_resamples=19, random_state=0) for X in (HUGE, small)]
    assert_allclose(tests[0].null_distribution, tests[1].null_distribution, rtol=1e-10)


@pytest.mark.parametrize("kernel", [rbf_kernel, laplacian_kernel])
def test_kernels_of_huge_and_tiny_points(kernel):
    assert_allclose(kernel(HUGE, bandwidth=1e308), kernel(HUGE / 1e308, bandwidth=1.0), rtol=1e-12)
    tiny = np.array([0.0, 1e-308, 3e-308])
    assert_allclose(kernel(tiny, bandwidth=3e-308), kernel(tiny / 3e-308, bandwidth=1.0))
    one_and_far = kernel([1.0, 2.0], [1e300, 2.0], bandwidth=1.0)
    assert_allclose(one_and_far, [[0.0, np.exp(-1.0)], [0.0, 1.0]])


@pytest.mark.parametrize("bandwidth", [2.3e-308, 1e-300, 1e-100, 1e-17])
def test_with_a_tiny_bandwidth_only_equal_predictions_meet(bandwidth):
    """Also where so many predictions are equal that they are summed up in boxes."""
    rng = np.random.default_rng(0)
    p = np.tile([0.5, 0.5 + 1e-9, 0.25], 100)
    y = (rng.random(300) < p).astype(int)
    e = y - p
    pairs = sum(e[p == v].sum() ** 2 for v in np.unique(p))
    off_diagonal = (pairs - (e**2).sum()) / (300 * 299)
    for error in (skce, kce):
        assert_allclose(error(y, p, bandwidth=bandwidth), off_diagonal, rtol=1e-9)
    assert_allclose(mmce(y, p, bandwidth=bandwidth) ** 2, pairs / 300**2, rtol=1e-9)
    value = skce(y, p, bandwidth=bandwidth, estimator="block", block_size=300)
    assert_allclose(value, off_diagonal, rtol=1e-9)
    assert skce(Y, P, bandwidth=bandwidth, estimator="ul") == 0.0
    assert klce(Y, P, P, prob_bandwidth=bandwidth, feature_bandwidth=bandwidth) == 0.0


@pytest.mark.parametrize("bandwidth", [1e17, 1e300, 1.7e308])
def test_with_a_huge_bandwidth_all_rows_meet(bandwidth):
    expected = (E.sum() ** 2 - (E**2).sum()) / 12
    for value in (
        skce(Y, P, bandwidth=bandwidth),
        kce(Y, P, bandwidth=bandwidth),
        klce(Y, P, [0.0, 1, 2, 3], prob_bandwidth=bandwidth, feature_bandwidth=bandwidth),
    ):
        assert_allclose(value, expected, rtol=1e-9)


@pytest.mark.parametrize("bandwidth", [1e-300, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize("far", [1e10, 1e17, 1e155, 1e300, 1.7e308])
def test_a_far_query_point_gets_the_nearest_row(far, bandwidth):
    options = {"feature_bandwidth": bandwidth, "prob_bandwidth": 0.5}
    bias = local_bias(Y, P, [0.0, 1, 2, 3], X_query=[far, -far], proba_query=[0.4, 0.4], **options)
    assert_allclose(bias, [E[3], E[0]], rtol=1e-12)


def test_a_far_query_point_weighs_rows_at_nearly_the_same_distance():
    """At 1e8 a step of 1e-8 in the features changes the squared distance by two."""
    X, query = np.array([0.0, 1e-8, 2e-8, -1.0]), 1e8
    weight = np.exp(2e8 * X[:3])
    bias = local_bias(
        Y,
        P,
        X,
        X_query=[query],
        proba_query=[0.4],
        prob_bandwidth=1e9,
        feature_bandwidth=1.0,
    )
    assert_allclose(bias, [weight @ E[:3] / weight.sum()], rtol=1e-7)


def test_a_far_row_among_others_has_its_own_bias():
    rng = np.random.default_rng(0)
    X, p = np.r_[rng.normal(size=100), 1e300], rng.random(101)
    y = (rng.random(101) < p).astype(int)
    options = {"feature_bandwidth": 0.5, "prob_bandwidth": 0.5}
    band = local_bias_band(y, p, X, n_resamples=19, random_state=0, **options)
    assert_allclose(band.bias[-1], (y - p)[-1], rtol=1e-12)
    assert_allclose(band.effective_size[-1], 1.0)
    assert_allclose(band.bias[:-1], local_bias(y[:-1], p[:-1], X[:-1], **options), rtol=1e-12)
    left_out = local_bias(y, p, X, leave_one_out=True, **options)
    assert_allclose(left_out[-1], (y - p)[np.argmax(X[:-1])], rtol=1e-12)


@pytest.mark.parametrize("others", [1e-8, 1e-20, 1e-100, 1e-140])
def test_pairs_of_a_row_with_all_the_weight(others):
    """The fast sums of the RBF kernel take off a diagonal, in which such pairs would vanish."""
    kernel = np.exp(-(((P[0] - P[1:]) / 0.3) ** 2))
    value = kce(Y, P, bandwidth=0.3, sample_weight=[1.0, others, others, others])
    assert_allclose(value, (E[0] * E[1:] * kernel).mean(), rtol=1e-7)


@pytest.mark.parametrize("weight", [[1e300, 1e-300, 1e-300, 1e-300], [1.0, 1e-320, 1e-320, 1e-320]])
def test_weights_whose_products_are_no_numbers_are_refused(weight):
    for options in ({}, {"estimator": "ul"}, {"estimator": "block", "block_size": 2}):
        with pytest.raises(ValueError, match="sample_weight differs so much"):
            skce(Y, P, sample_weight=weight, **options)
    assert_allclose(ece(Y, P, sample_weight=weight), 0.2, rtol=1e-12)
    assert_allclose(kce(Y, P, squared=False, sample_weight=weight), 0.2, rtol=1e-12)


def test_tiny_and_huge_weights():
    with pytest.raises(
        ValueError, match=r"sample_weight is too small to be multiplied.*4\.94e-324"
    ):
        ece(Y, P, sample_weight=[5e-324] * 4)
    for scale in (1e-300, 1e300):
        weight = np.array([1.0, 2.0, 1.0, 3.0])
        assert_allclose(
            ece(Y, P, sample_weight=scale * weight), ece(Y, P, sample_weight=weight), rtol=1e-12
        )
        count = calibration_bins(Y, P, n_bins=1, sample_weight=scale * weight).count
        assert_allclose(count, [7.0 * scale])
        limits = [
            ReliabilityDisplay.from_predictions(
                Y, P, n_bins=1, interval="clopper-pearson", sample_weight=w
            ).lower
            for w in (scale * weight, weight)
        ]
        assert_allclose(*limits, rtol=1e-12)
