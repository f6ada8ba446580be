"""The Kolmogorov-Smirnov and Kuiper errors against loops, known values and Brownian motion."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import check_calibration
from sklearn_calib.metrics import ece, ks_calibration_error, kuiper_calibration_error
from tests.metrics._cases import close

Y, P = [0, 0, 1, 1, 1, 0], [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
BOTH = [ks_calibration_error, kuiper_calibration_error]


def loop_sums(y, p, weight=None):
    """Return the sum of weighted residuals up to each threshold, zero for none."""
    weight = [1.0] * len(y) if weight is None else list(weight)
    total = math.fsum(weight)
    sums = [0.0]
    for t in sorted(set(p)):
        below = [i for i in range(len(y)) if p[i] <= t]
        sums.append(math.fsum(weight[i] / total * (y[i] - p[i]) for i in below))
    return sums


def test_known_values():
    """Six times the sums are 0, -.12, -.43, .19, .64, .92, .01."""
    close(ks_calibration_error(Y, P), 0.92 / 6)
    close(kuiper_calibration_error(Y, P), (0.92 + 0.43) / 6)


def test_residuals_of_one_sign_give_the_mean_gap_and_of_two_signs_not():
    p = np.array([0.2, 0.4, 0.6, 0.8])
    for metric in BOTH:
        close(metric(np.ones(4), p), 0.5)
        close(metric(np.zeros(4), p), 0.5)
    close(ks_calibration_error([1, 1, 0, 0], p), 1.4 / 4)
    close(kuiper_calibration_error([1, 1, 0, 0], p), 1.4 / 4)
    close(kuiper_calibration_error([0, 1, 1, 0], p), (0.8 + 0.2) / 4)
    close(ks_calibration_error([0, 1, 1, 0], p), 0.8 / 4)


def test_the_sums_are_read_off_at_the_ends_of_ties():
    """Half of four rows at 0.5 are events, and no order of them shows a difference."""
    for y in ([1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]):
        for metric in BOTH:
            assert metric(y, [0.5] * 4) == 0.0
    close(kuiper_calibration_error([0, 1, 1, 1, 0], [0.5, 0.5, 0.75, 0.75, 0.25]), 0.5 / 5)


@pytest.mark.parametrize("seed", range(10))
def test_equal_loops_with_ties_and_weights(seed):
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(0.6, 0.6, 30), 1 + seed % 3)
    y = (rng.random(30) < p**2).astype(int)
    for weight in (None, rng.uniform(0.1, 3.0, 30)):
        sums = loop_sums(y.tolist(), p.tolist(), weight)
        ks, kuiper = (metric(y, p, sample_weight=weight) for metric in BOTH)
        close(ks, max(map(abs, sums)))
        close(kuiper, max(sums) - min(sums))


def test_the_larger_sum_over_any_range_is_the_kuiper_error():
    rng = np.random.default_rng(1)
    p = rng.random(12)
    y = rng.integers(0, 2, 12)
    ranges = [
        abs(sum(y[i] - p[i] for i in range(12) if low <= p[i] <= high)) / 12
        for low in p
        for high in p
    ]
    close(kuiper_calibration_error(y, p), max(ranges))


def test_exchanging_the_classes_changes_the_first_one_only():
    y, p = np.array(Y), np.array(P)
    close(kuiper_calibration_error(1 - y, 1 - p), kuiper_calibration_error(y, p))
    close(ks_calibration_error(1 - y, 1 - p), 0.91 / 6)


def test_order_of_size():
    """No error exceeds the mean gap without bins, and the range is at most twice the maximum."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        p = rng.random(40)
        y = rng.integers(0, 2, 40)
        ks, kuiper = (metric(y, p) for metric in BOTH)
        assert ks <= kuiper <= min(2 * ks, np.abs(y - p).mean()) + 1e-15
        assert abs(np.mean(y - p)) <= ks + 1e-15
        assert ks <= ece(y, p, n_bins=10**6) + 1e-15


def test_multiclass_targets():
    P4 = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    y = np.array([0, 1, 1, 2])
    for metric in BOTH:
        top, hit = P4.max(axis=1), P4.argmax(axis=1) == y
        close(metric(y, P4), metric(hit, top))
        close(metric(y, P4, target="confidence"), metric(hit, top))
        each = [metric(y == k, P4[:, k]) for k in range(3)]
        close(metric(y, P4, target="classwise"), np.mean(each))


@pytest.mark.parametrize(
    ("name", "constant"),
    [
        ("ks_calibration_error", math.sqrt(math.pi / 2)),
        ("kuiper_calibration_error", math.sqrt(8 / math.pi)),
    ],
)
def test_a_calibrated_model_has_the_error_of_brownian_motion(name, constant):
    """Its mean is known; steps instead of a path make the extremes of 4000 rows 1 % smaller."""
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    y = rng.random(4000) < p
    null = check_calibration(y, p, statistic=name, n_resamples=2000, random_state=0)
    scale = np.sqrt(np.sum(p * (1 - p))) / 4000
    sem = null.null_distribution.std() / np.sqrt(2000)
    assert_allclose(null.expected, constant * scale, rtol=0, atol=4 * sem + 0.015 * scale)
