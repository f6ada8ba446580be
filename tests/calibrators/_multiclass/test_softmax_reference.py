"""Temperature, vector scaling and Dirichlet calibration against reference values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from sklearn.model_selection import PredefinedSplit

from sklearn_calib.calibrators import (
    DirichletCalibrator,
    TemperatureCalibrator,
    VectorScalingCalibrator,
)
from sklearn_calib.calibrators._solvers.temperature import fit_temperature
from tests._reference import parametrize_cases


def of_method(method):
    return lambda case: case["params"]["method"] == method


def data(case, name):
    inputs = case["inputs"]
    S, new = np.array(inputs[name], dtype=float), np.array(inputs["newdata"], dtype=float)
    return S, np.array(inputs["y"]), new


@parametrize_cases("multiclass", keep=of_method("temperature"))
def test_temperature(case):
    S, y, new = data(case, "logits")
    expected = case["expected"]
    if np.unique(y).size == S.shape[1]:
        calibrator = TemperatureCalibrator().fit(S, y)
        temperature = calibrator.temperature_
        proba = calibrator.predict_proba(new)
        assert_allclose(proba, expected["tight_predict"], rtol=0, atol=1e-7)
        assert_allclose(proba, expected["predict"], rtol=0, atol=1e-6)
    else:  # labels name the columns, so that an estimator needs a label of each
        temperature = fit_temperature(S, y - 1, np.ones(y.size))
    assert_allclose(temperature, expected["tight_temperature"], rtol=1e-7)


@parametrize_cases("multiclass", keep=of_method("vector_scaling"))
def test_vector_scaling(case):
    S, y, new = data(case, "logits")
    expected = case["expected"]
    calibrator = VectorScalingCalibrator(input="native", ridge=0).fit(S, y)
    assert_allclose(calibrator.coef_, expected["tight_scale"], rtol=0, atol=1e-5)
    assert_allclose(calibrator.intercept_, expected["tight_bias_centred"], rtol=0, atol=1e-5)
    assert_allclose(calibrator.predict_proba(new), expected["tight_predict"], rtol=0, atol=1e-5)
    assert_allclose(calibrator.predict_proba(new), expected["predict"], rtol=0, atol=1e-3)
    log_proba = calibrator.coef_ * S + calibrator.intercept_
    log_proba -= logsumexp(log_proba, axis=1, keepdims=True)
    loss = -log_proba[np.arange(y.size), y - 1].mean()
    assert loss <= expected["tight_nll"] + 1e-12


def odir_gradient(P, y, calibrator, strength, eps):
    """Return the gradient of the penalised mean log loss, element by element."""
    x = np.log(np.clip(P, eps, 1 - eps))
    residual = calibrator.predict_proba(P) - np.eye(P.shape[1])[y - 1]
    weight, bias = calibrator.coef_, calibrator.intercept_
    n_classes = P.shape[1]
    by_weight = np.array(
        [
            [
                np.mean(residual[:, k] * x[:, j]) + (2 * strength * weight[k, j] if k != j else 0)
                for j in range(n_classes)
            ]
            for k in range(n_classes)
        ]
    )
    return by_weight, residual.mean(axis=0) + 2 * strength * bias


@parametrize_cases(
    "multiclass",
    keep=lambda case: of_method("dirichlet")(case) and case["params"]["lambda"] is not None,
)
def test_dirichlet(case):
    P, y, new = data(case, "p")
    expected = case["expected"]
    strength, eps = case["params"]["lambda"], case["params"]["eps"]
    calibrator = DirichletCalibrator(reg_lambda=strength, eps=eps).fit(P, y)
    for gradient in odir_gradient(P, y, calibrator, strength, eps):
        assert np.abs(gradient).max() < 1e-8
    assert_allclose(calibrator.predict_proba(new), expected["tight_predict"], rtol=0, atol=1e-4)
    proba = calibrator.predict_proba(P)[np.arange(y.size), y - 1]
    off = calibrator.coef_ - np.diag(np.diag(calibrator.coef_))
    penalty = strength * ((off**2).sum() + (calibrator.intercept_**2).sum())
    objective = -np.log(proba).mean() + penalty
    assert objective <= expected["objective"] + 1e-9
    assert_allclose(objective, expected["tight_objective"], rtol=0, atol=1e-6)
    if strength > 0:
        assert_allclose(calibrator.coef_, expected["tight_weight"], rtol=0, atol=1e-4)
        assert_allclose(calibrator.intercept_, expected["tight_bias"], rtol=0, atol=1e-4)


@parametrize_cases(
    "multiclass",
    keep=lambda case: of_method("dirichlet")(case) and case["params"]["lambda"] is None,
)
def test_dirichlet_chooses_the_penalty_of_the_reference(case):
    P, y, _ = data(case, "p")
    fold = np.empty(y.size, dtype=int)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        fold[rows] = np.arange(rows.size) % 3
    calibrator = DirichletCalibrator(eps=1e-12, cv=PredefinedSplit(fold)).fit(P, y)
    assert calibrator.reg_lambda_ == case["expected"]["lambda"]
    assert calibrator.cv_losses_.argmin() == [0, 1e-4, 1e-3, 1e-2, 1e-1].index(
        calibrator.reg_lambda_
    )


def test_dirichlet_with_one_row_of_a_class_takes_the_small_penalty():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=30)
    y = np.r_[2, np.arange(29) % 2]
    assert DirichletCalibrator().fit(P, y).reg_lambda_ == 1e-3


def test_dirichlet_names_the_class_that_a_fold_lacks():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1], size=20)
    y = np.array(["no", "yes"])[np.arange(20) // 10]
    splits = [(np.arange(10), np.arange(10, 20))]
    with pytest.raises(ValueError, match="does not train on class 'yes'"):
        DirichletCalibrator(cv=splits).fit(P, y)
