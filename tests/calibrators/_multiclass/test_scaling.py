"""Vector and matrix scaling against a general optimiser and a recorded comparison."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import log_softmax

from sklearn_calib.calibrators import (
    DirichletCalibrator,
    MatrixScalingCalibrator,
    TemperatureCalibrator,
    VectorScalingCalibrator,
)


def sample(seed, n_classes, n_samples=120, sharpness=1.5):
    """Return overconfident, shifted probabilities, labels and weights."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(n_classes), size=n_samples)
    y = np.array([rng.choice(n_classes, p=p) for p in P])
    y[:n_classes] = np.arange(n_classes)
    Q = P**sharpness * rng.uniform(0.3, 3, size=n_classes)
    return Q / Q.sum(axis=1, keepdims=True), y, rng.uniform(0.2, 2.0, size=n_samples)


def optimum(z, y, weight, matrix, ridge):
    """Return the probabilities of the structured map, found by BFGS on the written-out loss."""
    n_classes, n = z.shape[1], weight.sum()

    def log_probabilities(theta):
        if matrix:
            change = theta[n_classes:].reshape(n_classes, n_classes)
            return log_softmax(z + z @ change.T + theta[:n_classes], axis=1)
        return log_softmax(z * (1 + theta[n_classes:]) + theta[:n_classes], axis=1)

    def loss(theta):
        total = -np.average(log_probabilities(theta)[np.arange(y.size), y], weights=weight)
        total += ridge * n_classes / n * (theta[:n_classes] ** 2).sum()
        if not matrix:
            return total + ridge * n_classes / n * (theta[n_classes:] ** 2).sum()
        change = theta[n_classes:].reshape(n_classes, n_classes)
        diagonal = (np.diag(change) ** 2).sum()
        total += ridge * n_classes / n * diagonal
        return total + ridge * n_classes * (n_classes - 1) / n * ((change**2).sum() - diagonal)

    start = np.zeros(n_classes + n_classes * (n_classes if matrix else 1))
    found = minimize(loss, start, method="BFGS", options={"gtol": 1e-9})
    return np.exp(log_probabilities(found.x))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("ridge", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("kind", [VectorScalingCalibrator, MatrixScalingCalibrator])
def test_the_map_minimises_the_loss_with_the_structured_ridge(n_classes, ridge, kind):
    P, y, weight = sample(n_classes, n_classes)
    calibrator = kind(ridge=ridge).fit(P, y, weight)
    temperature = TemperatureCalibrator(input="probability").fit(P, y, weight).temperature_
    z = np.log(P) - np.log(P).mean(axis=1, keepdims=True)
    expected = optimum(z / temperature, y, weight, kind is MatrixScalingCalibrator, ridge)
    assert_allclose(calibrator.predict_proba(P), expected, rtol=0, atol=1e-6)
    logits = z * calibrator.coef_ if calibrator.coef_.ndim == 1 else z @ calibrator.coef_.T
    by_hand = np.exp(log_softmax(logits + calibrator.intercept_, axis=1))
    assert_allclose(calibrator.predict_proba(P), by_hand, rtol=0, atol=1e-12)
    assert_allclose(calibrator.intercept_.sum(), 0, atol=1e-12)


@pytest.mark.parametrize("kind", [VectorScalingCalibrator, MatrixScalingCalibrator])
def test_much_ridge_is_temperature_scaling(kind):
    P, y, weight = sample(0, 4)
    expected = TemperatureCalibrator(input="probability").fit(P, y, weight).predict_proba(P)
    result = kind(ridge=1e12).fit(P, y, weight).predict_proba(P)
    assert_allclose(result, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("kind", [VectorScalingCalibrator, MatrixScalingCalibrator])
@pytest.mark.parametrize("ridge", [0, 1.0])
def test_separable_labels_give_finite_maps(kind, ridge):
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=60)
    calibrator = kind(ridge=ridge).fit(P, P.argmax(axis=1))
    assert np.isfinite(calibrator.coef_).all()
    assert np.isfinite(calibrator.intercept_).all()
    assert (calibrator.predict(P) == P.argmax(axis=1)).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_constant_of_log_probabilities_does_not_matter(n_classes):
    """Probabilities and log-probabilities agree: only logits have a constant that counts."""
    P, y, _ = sample(1, n_classes)
    z = np.log(P) - np.log(P).mean(axis=1, keepdims=True)
    for kind in (VectorScalingCalibrator, MatrixScalingCalibrator):
        expected = kind().fit(P, y).predict_proba(P)
        result = kind(input="native").fit(z, y).predict_proba(z)
        assert_allclose(result, expected, rtol=0, atol=1e-9)


def test_temperature_keeps_the_predicted_class_of_any_number_of_classes():
    rng = np.random.default_rng(0)
    for n_classes in (2, 3, 10):
        P = rng.dirichlet(np.full(n_classes, 0.3), size=400)
        y = np.r_[np.arange(n_classes), rng.integers(n_classes, size=400 - n_classes)]
        calibrator = TemperatureCalibrator(input="probability").fit(P, y)
        assert (calibrator.predict(P) == P.argmax(axis=1)).all()
        assert calibrator.temperature_ > 1


def test_temperature_of_many_classes_is_stationary():
    P, y, weight = sample(3, 6)
    calibrator = TemperatureCalibrator(input="probability").fit(P, y, weight)
    z, total = np.log(P), 0.0
    for row, label, w in zip(z, y, weight):
        odds = np.exp(row / calibrator.temperature_)
        total += w * ((odds / odds.sum()) @ row - row[label])
    assert abs(total / weight.sum()) < 1e-12


@pytest.mark.parametrize("n_classes", [2, 30, 200])
def test_many_classes(n_classes):
    rng = np.random.default_rng(0)
    n_samples = 4 * n_classes + 100
    P = rng.dirichlet(np.full(n_classes, 0.5), size=n_samples)
    y = np.r_[np.arange(n_classes), rng.integers(n_classes, size=n_samples - n_classes)]
    calibrator = VectorScalingCalibrator().fit(P, y)
    assert_allclose(calibrator.predict_proba(P).sum(axis=1), 1, rtol=1e-12)


def test_certain_and_wrong_predictions_do_not_overflow():
    """Where two rows are all there is, the map gives the observed rates."""
    P = np.repeat([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], 3, axis=0)
    y, weight = np.tile([0, 1, 2], 2), [3.0, 2.0, 2.0, 1.0, 9.0, 990.0]
    found = DirichletCalibrator(reg_lambda=0.0).fit(P, y, weight).predict_proba(P[[0, 3]])
    assert_allclose(found, [[3 / 7, 2 / 7, 2 / 7], [0.001, 0.009, 0.99]], rtol=1e-6)
