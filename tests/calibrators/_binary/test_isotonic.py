"""Isotonic calibration: reference values, the minimax formula, ties, gaps and weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.isotonic import IsotonicRegression

from sklearn_calib.calibrators import IsotonicCalibrator
from tests._reference import parametrize_cases
from tests.calibrators._cases import reference_data
from tests.calibrators._samples import sample


def test_values_outside_the_fitted_range_take_the_nearest_value():
    calibrator = IsotonicCalibrator().fit([0.2, 0.4, 0.6, 0.8], [0, 0, 1, 1])
    assert_allclose(calibrator.predict_proba([0.05, 0.5, 0.95])[:, 1], [0, 0.5, 1], atol=1e-15)


def test_isotonic_adds_the_weights_of_ties():
    calibrator = IsotonicCalibrator().fit([0.1, 0.5, 0.5, 0.5, 0.7, 0.9], [0, 1, 0, 1, 0, 1])
    assert_allclose(calibrator.predict_proba([0.5, 0.7])[:, 1], 0.5, rtol=1e-15)


def test_gaps_of_denormal_numbers_are_interpolated_without_nan():
    p = np.array([0, 1e-320, 1e-314, 1])
    calibrator = IsotonicCalibrator(tolerance=0).fit(p, [0, 1, 0, 1])
    queries = np.r_[0, 5e-324 * np.arange(1, 10), 1e-322, p, 1e-318, 1e-300, 0.5]
    value = calibrator.predict_proba(np.sort(queries))[:, 1]
    assert np.isfinite(value).all()
    assert value[0] == 0.0
    assert value[-1] == 1.0
    assert (np.diff(value) >= 0).all()


def test_without_tolerance_isotonic_keeps_tiny_probabilities_apart():
    p = [1e-30, 1e-20, 1e-17, 1e-16, 1e-3]
    calibrator = IsotonicCalibrator(tolerance=0).fit(p, [0, 0, 1, 1, 1])
    assert_allclose(calibrator.predict_proba(p)[:, 1], [0, 0, 1, 1, 1], rtol=0, atol=1e-15)


def test_rows_of_weight_zero_leave_no_step():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=60)
    y = rng.uniform(size=60) < p
    weight = np.ones(60)
    weight[[3, 30, 59]] = 0.0
    kept = weight > 0
    expected = IsotonicCalibrator().fit(p[kept], y[kept]).predict_proba(p)
    assert_array_equal(IsotonicCalibrator().fit(p, y, weight).predict_proba(p), expected)


def isotonic_by_minimax(p, y, weight):
    """Return the isotonic fit at the distinct points, by the minimax formula."""
    points = np.unique(p)
    rates, totals = [], []
    for point in points:
        here = p == point
        totals.append(weight[here].sum())
        rates.append((weight * y)[here].sum() / totals[-1])

    def pooled(j, k):
        total = sum(totals[j : k + 1])
        return sum(r * t for r, t in zip(rates[j : k + 1], totals[j : k + 1])) / total

    m = len(points)
    return points, [
        max(min(pooled(j, k) for k in range(i, m)) for j in range(i + 1)) for i in range(m)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_isotonic_is_the_minimax_fit(seed):
    p, y, weight = sample(seed, n_samples=35, ends=True)
    calibrator = IsotonicCalibrator().fit(p, y, weight)
    points, value = isotonic_by_minimax(p, y, weight)
    assert_allclose(calibrator.predict_proba(points)[:, 1], value, rtol=0, atol=1e-12)
    between = np.linspace(0, 1, 501)
    expected = np.interp(between, points, value)
    assert_allclose(calibrator.predict_proba(between)[:, 1], expected, rtol=0, atol=1e-12)
    assert (np.diff(calibrator.X_thresholds_) > 0).all()
    assert (np.diff(calibrator.y_thresholds_) >= 0).all()


def test_isotonic_agrees_with_isotonic_regression():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=5000)
    y = rng.uniform(size=5000) < p
    weight = rng.uniform(size=5000)
    expected = IsotonicRegression(out_of_bounds="clip").fit(p, y, weight)
    queries = np.linspace(0, 1, 1001)
    result = IsotonicCalibrator().fit(p, y, weight).predict_proba(queries)[:, 1]
    assert_allclose(result, expected.predict(queries), rtol=0, atol=1e-12)


@parametrize_cases("binary_isotonic")
def test_reference_values_of_isotonic(case):
    training, new = reference_data(case, "p")
    calibrator = IsotonicCalibrator().fit(*training)
    expected = case["expected"]
    assert_allclose(calibrator.predict_proba(new)[:, 1], expected["predict"], rtol=0, atol=1e-10)
    for p, value in [
        (training[0], expected["predict_train"]),
        (expected["x_thresholds"], expected["y_thresholds"]),
    ]:
        assert_allclose(calibrator.predict_proba(p)[:, 1], value, rtol=0, atol=1e-10)
