"""Beta calibration: reference values, optimality, and the bound that keeps it monotone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit

from sklearn_calib.calibrators import BetaCalibrator
from tests._reference import parametrize_cases
from tests.calibrators._cases import reference_data
from tests.calibrators._samples import mean_gradient, sample


def test_two_distinct_probabilities_are_fitted_by_their_rates():
    p, y = [0.2, 0.2, 0.2, 0.7, 0.7, 0.7], [0, 0, 1, 1, 1, 0]
    for monotone in (True, False):
        calibrator = BetaCalibrator(monotone=monotone).fit(p, y)
        proba = calibrator.predict_proba([0.2, 0.5, 0.7])[:, 1]
        assert_allclose(proba[[0, 2]], [1 / 3, 2 / 3], rtol=0, atol=1e-9)
        assert 1 / 3 < proba[1] < 2 / 3


def test_the_map_never_decreases_unless_monotone_is_false():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=300)
    y = rng.uniform(size=300) > p
    calibrator = BetaCalibrator().fit(p, y)
    assert (calibrator.a_, calibrator.b_) == (0.0, 0.0)
    assert_allclose(calibrator.predict_proba(p)[:, 1], y.mean(), rtol=1e-9)
    free = BetaCalibrator(monotone=False).fit(p, y)
    assert (np.diff(free.predict_proba(np.sort(p))[:, 1]) < 0).all()


def beta_features(p, parameters, eps=1e-15):
    """Return the features whose coefficients the variant of beta calibration fits freely."""
    p = np.clip(p, eps, 1 - eps)
    columns = {
        "abm": [np.log(p), -np.log(1 - p), np.ones(p.size)],
        "am": [logit(p), np.ones(p.size)],
        "ab": [np.log(2 * p), -np.log(2 * (1 - p))],
    }
    return np.column_stack(columns[parameters])


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("power", [0.3, 1.5, 4.0])
@pytest.mark.parametrize("parameters", ["abm", "am", "ab"])
@pytest.mark.parametrize("monotone", [True, False])
def test_beta_satisfies_the_optimality_conditions(seed, power, parameters, monotone):
    p, y, weight = sample(seed, power=power)
    if seed % 3 == 0:
        y = 1 - y
    calibrator = BetaCalibrator(parameters=parameters, monotone=monotone).fit(p, y, weight)
    a, b, c = calibrator.a_, calibrator.b_, calibrator.c_
    coef = {"abm": [a, b, c], "am": [a, c], "ab": [a, b]}[parameters]
    gradient = mean_gradient(beta_features(p, parameters), y, weight, coef)
    signed = {"abm": 2, "am": 1, "ab": 2}[parameters] if monotone else 0
    for k, (value, slope) in enumerate(zip(coef, gradient)):
        if k < signed and value == 0.0:
            assert slope >= -1e-11  # the loss would only fall on the forbidden side
        else:
            assert k >= signed or value > 0
            assert abs(slope) <= 1e-11
    if parameters == "am":
        assert a == b
    if parameters == "ab":
        assert_allclose(c, (a - b) * np.log(2), rtol=1e-14)
        assert_allclose(calibrator.predict_proba([0.5])[0, 1], 0.5, rtol=0, atol=1e-15)
    q = np.linspace(0.01, 0.99, 9)
    expected = expit(a * np.log(q) - b * np.log(1 - q) + c)
    assert_allclose(calibrator.predict_proba(q)[:, 1], expected, rtol=0, atol=1e-14)


def test_beta_leaves_a_calibrated_model_as_it_is():
    p = np.repeat(np.linspace(0.1, 0.9, 9), 100)
    y = np.concatenate([np.arange(100) < 100 * q for q in np.round(np.linspace(0.1, 0.9, 9), 1)])
    calibrator = BetaCalibrator().fit(p, y)
    assert_allclose([calibrator.a_, calibrator.b_, calibrator.c_], [1, 1, 0], atol=1e-9)


def test_beta_clips_at_eps():
    p, y, _ = sample(0, ends=True)
    calibrator = BetaCalibrator(eps=0.05).fit(np.clip(p, 0.05, 0.95), y)
    expected = calibrator.predict_proba([0.05, 0.95])
    calibrator.fit(p, y)
    assert_allclose(calibrator.predict_proba([0.0, 1.0]), expected, rtol=1e-12)
    assert_array_equal(calibrator.predict_proba([0.0]), calibrator.predict_proba([0.05]))


@parametrize_cases("binary_beta")
def test_reference_values_of_beta(case):
    training, new = reference_data(case, "p")
    calibrator = BetaCalibrator(monotone=False, eps=case["params"]["eps"]).fit(*training)
    expected = case["expected"]
    fitted = [calibrator.a_, calibrator.b_, calibrator.c_]
    proba = calibrator.predict_proba(new)[:, 1]
    assert_allclose(fitted, [expected[f"tight_{name}"] for name in "abc"], rtol=1e-7)
    assert_allclose(proba, expected["tight_predict"], rtol=0, atol=1e-7)
    assert_allclose(fitted, [expected[name] for name in "abc"], rtol=1e-5)
    assert_allclose(proba, expected["predict"], rtol=0, atol=1e-5)


@parametrize_cases("binary_beta_constrained")
def test_reference_values_of_beta_constrained(case):
    training, new = reference_data(case, "p")
    calibrator = BetaCalibrator(eps=case["params"]["clip"]).fit(*training)
    expected = case["expected"]
    fitted = [calibrator.a_, calibrator.b_, calibrator.c_]
    proba = calibrator.predict_proba(new)[:, 1]
    assert_allclose(
        fitted, [expected[f"constrained_{name}"] for name in "abc"], rtol=1e-6, atol=1e-12
    )
    assert_allclose(proba, expected["constrained_predict"], rtol=0, atol=1e-6)
    if case["name"] != "decreasing_n50":  # the package stops at a negative b there
        assert_allclose(proba, expected["betacal_predict"], rtol=0, atol=1e-3)
