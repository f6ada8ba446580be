"""Temperature scaling: reference values, optimality, bounds, and the scale of its input."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logit

from sklearn_calib.calibrators import TemperatureCalibrator
from tests._reference import parametrize_cases
from tests.calibrators._cases import reference_data
from tests.calibrators._samples import mean_gradient, sample


def test_the_temperature_is_exact_bounded_and_independent_of_the_row_order():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.02, 0.98, size=300)
    y = rng.uniform(size=300) < p
    calibrator = TemperatureCalibrator(input="probability")
    assert calibrator.fit(p, ~y).temperature_ == 1000.0
    assert_array_equal(calibrator.predict(p), p > 0.5)
    assert calibrator.fit(p, p > 0.5).temperature_ == 0.001
    assert calibrator.fit(np.full(4, 0.5), [0, 1, 1, 1]).temperature_ == 1000.0
    first = calibrator.fit(p, y).temperature_
    order = rng.permutation(300)
    assert_allclose(calibrator.fit(p[order], y[order]).temperature_, first, rtol=1e-12)


def test_temperature_warns_of_probabilities():
    p, y = np.array([0.1, 0.4, 0.6, 0.9]), [0, 1, 0, 1]
    with pytest.warns(UserWarning, match=r"lie in \[0, 1\].*input='probability'"):
        TemperatureCalibrator().fit(p, y)
    with pytest.warns(UserWarning, match=r"lie in \[0, 1\].*input='probability'"):
        TemperatureCalibrator().fit(np.column_stack([1 - p, p]), y)
    as_logits = TemperatureCalibrator().fit(logit(p), y)
    assert_allclose(
        TemperatureCalibrator(input="probability").fit(p, y).temperature_,
        as_logits.temperature_,
        rtol=1e-12,
    )


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("scale", [0.01, 0.3, 1.0, 4.0, 300.0])
def test_temperature_is_stationary(seed, scale):
    p, y, weight = sample(seed)
    z = scale * logit(p)
    temperature = TemperatureCalibrator().fit(z, y, weight).temperature_
    reference = TemperatureCalibrator().fit(logit(p), y, weight).temperature_
    assert 0.001 < temperature < 1000
    assert_allclose(
        mean_gradient(z[:, np.newaxis], y, weight, [1 / temperature]), 0, atol=1e-12 * scale
    )
    assert_allclose(temperature, scale * reference, rtol=1e-10)


@pytest.mark.parametrize("factor", [1e-7, 1e7])
def test_temperature_stops_at_its_bounds(factor):
    p, y, _ = sample(0)
    calibrator = TemperatureCalibrator().fit(logit(p) * factor, y)
    assert calibrator.temperature_ == np.clip(factor, 0.001, 1000)


def test_two_columns_of_logits_are_a_softmax():
    p, y, _ = sample(0)
    z = logit(p)
    shift = np.random.default_rng(0).normal(size=z.size)
    S = np.column_stack([shift, z + shift])
    calibrator = TemperatureCalibrator().fit(S, y)
    odds = np.exp(S / calibrator.temperature_)
    assert_allclose(calibrator.predict_proba(S), odds / odds.sum(axis=1, keepdims=True), rtol=1e-12)
    assert_allclose(calibrator.temperature_, TemperatureCalibrator().fit(z, y).temperature_)


@parametrize_cases("binary_temperature")
def test_reference_values_of_temperature(case):
    training, new = reference_data(case, "logits")
    calibrator = TemperatureCalibrator().fit(*training)
    expected = case["expected"]
    proba = calibrator.predict_proba(new)[:, 1]
    assert_allclose(calibrator.temperature_, expected["tight_temperature"], rtol=1e-7)
    assert_allclose(proba, expected["tight_predict"], rtol=0, atol=1e-7)
    assert_allclose(calibrator.temperature_, expected["temperature"], rtol=1e-5)
    assert_allclose(proba, expected["predict"], rtol=0, atol=1e-6)


@pytest.mark.parametrize("z", [[0.0, 1.001], [0.5, 1.5], [0.0, 2.0], [-0.001, 1.0]])
def test_scores_that_leave_the_unit_interval_are_not_taken_for_probabilities(z):
    """A warning would fail this test."""
    assert TemperatureCalibrator().fit(z * 2, [0, 1, 1, 0]).temperature_ == 1000.0


@pytest.mark.parametrize("z", [[0.0, 1.0], [0.25, 0.75]])
def test_scores_up_to_the_ends_of_the_unit_interval_are_taken_for_probabilities(z):
    with pytest.warns(UserWarning, match=r"lie in \[0, 1\].*input='probability'"):
        TemperatureCalibrator().fit(z * 2, [0, 1, 1, 0])
