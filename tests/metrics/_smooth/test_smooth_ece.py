"""The smooth calibration error against quadrature, known values and the published software."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.optimize import brentq

from sklearn_calib import check_calibration
from sklearn_calib.metrics import ece, smooth_ece
from sklearn_calib.metrics._smooth.smooth_ece import (
    _absolute_integral,
    n_cosines_for,
    smallest_width,
    smooth_width,
)

Y = np.array([0, 0, 1, 1, 1, 0])
P = np.array([0.12, 0.31, 0.38, 0.55, 0.72, 0.91])


def by_quadrature(y, p, weight=None):
    """Solve the fixed point with image charges, adaptive quadrature and a root finder."""
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    e = weight / weight.sum() * (y - p)
    images = 2.0 * np.arange(-8, 9)[:, np.newaxis]

    def residual(t, sigma):
        distances = np.stack([t - p - images, t + p - images])
        gaussian = np.exp(-0.5 * (distances / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi))
        return float((e * gaussian.sum(axis=(0, 1))).sum())

    def error(sigma):
        grid = np.linspace(0, 1, 1001)
        signs = np.array([residual(t, sigma) for t in grid])
        roots = [
            brentq(residual, grid[k], grid[k + 1], args=(sigma,), xtol=1e-15)
            for k in np.flatnonzero(signs[:-1] * signs[1:] < 0)
        ]
        ends = [0.0, *roots, 1.0]
        return sum(
            abs(quad(residual, a, b, args=(sigma,), epsabs=1e-13, limit=200)[0])
            for a, b in pairwise(ends)
        )

    return brentq(lambda sigma: error(sigma) - sigma, 0.01, 1.0, xtol=1e-14)


def test_equals_quadrature():
    assert_allclose(smooth_ece(Y, P), by_quadrature(Y, P), rtol=1e-10)
    weight = [1.0, 0.5, 2.0, 1.0, 3.0, 0.25]
    value = smooth_ece(Y, P, sample_weight=weight)
    assert_allclose(value, by_quadrature(Y, P, weight), rtol=1e-10)


def test_equals_quadrature_for_random_rows_with_ties_and_ends():
    rng = np.random.default_rng(5)
    p = np.concatenate([[0.0, 1.0, 0.5, 0.5], rng.beta(0.5, 0.5, size=36)])
    y = (rng.random(40) < p**2).astype(int)
    assert_allclose(smooth_ece(y, p), by_quadrature(y, p), rtol=1e-10)


def test_is_near_the_published_software():
    """relplot 1.0.3 gives 0.17674, on a grid of 0.001 and with a search that stops early."""
    rng = np.random.default_rng(0)
    p = rng.uniform(size=300)
    y = rng.random(300) < p**2
    assert_allclose(smooth_ece(y, p), 0.17673817910117096, rtol=2e-3)


def test_a_smaller_error_than_the_first_cosines_resolve_is_found_with_more():
    """A residual of one sign integrates to its mean, whatever the width."""
    assert smallest_width(n_cosines_for(100)) > 0.01
    assert_allclose(smooth_ece(np.repeat([0, 1], [49, 51]), np.full(100, 0.5)), 0.01, rtol=1e-10)


def test_constant_prediction_has_the_plain_error_when_it_is_small():
    """One point in the middle: the smoothed residual has one sign, so its integral is |mean e|."""
    y = np.repeat([0, 1], [40, 60])
    assert_allclose(smooth_ece(y, np.full(100, 0.5)), 0.1, rtol=1e-10)


def test_is_the_error_at_the_smallest_width_if_it_lies_below():
    y, p = np.repeat([0, 1], [49_990, 50_010]), np.full(100_000, 0.5)
    assert_allclose(smooth_ece(y, p), 1e-4, rtol=1e-8)


def test_multiclass_targets():
    proba = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
    y = np.array([0, 1, 1, 2])
    top = proba.max(axis=1), (proba.argmax(axis=1) == y).astype(int)
    assert_allclose(smooth_ece(y, proba), by_quadrature(top[1], top[0]), rtol=1e-10)
    each = [by_quadrature((y == k).astype(int), proba[:, k]) for k in range(3)]
    assert_allclose(smooth_ece(y, proba, target="classwise"), np.mean(each), rtol=1e-10)


def test_a_calibrated_model_scores_what_the_docstring_says():
    rng = np.random.default_rng(1)
    for n in (100, 1000):
        values = []
        for _ in range(100):
            p = rng.uniform(size=n)
            values.append(smooth_ece(rng.random(n) < p, p))
        assert_allclose(np.mean(values) * n ** (1 / 3), 0.32, atol=0.03)


@pytest.mark.parametrize("n", [50, 500])
def test_never_exceeds_the_binned_error_by_much(n):
    rng = np.random.default_rng(2)
    p = rng.uniform(size=n)
    y = rng.random(n) < np.clip(p + 0.2, 0, 1)
    assert 0.1 < smooth_ece(y, p) < ece(y, p, n_bins=100)


def test_is_a_statistic_of_the_test():
    result = check_calibration(Y, P, statistic="smooth_ece", n_resamples=19, random_state=0)
    assert_allclose(result.statistic, smooth_ece(Y, P), rtol=1e-12)
    assert result.effect_size == result.statistic


def test_the_width_is_the_error_at_this_width_for_residuals_of_any_shape():
    """Of few and of many cosines, small and large: the search must not stop before it is there."""
    rng = np.random.default_rng(1)
    sums = np.zeros((48, 256))
    for row, size in zip(sums, np.repeat([1e-3, 0.03, 0.1, 0.4], 12)):
        k = rng.integers(2, 256)
        row[:k] = rng.normal(size=k) * size / np.sqrt(k)
    width = smooth_width(sums)
    at_width = _absolute_integral(sums, np.maximum(width, smallest_width(256)))
    assert (width > smallest_width(256)).sum() >= 24
    assert_allclose(at_width, width, rtol=2e-13, atol=2e-15)
