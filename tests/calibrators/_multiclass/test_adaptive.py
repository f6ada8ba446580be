"""The adaptive map: what it costs, what it finds, and what it keeps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit, logit

from sklearn_calib.calibrators import AdaptiveCalibrator


def binary(n_samples, seed, distort=lambda z: z):
    """Return distorted log-odds as probabilities, labels, and the true probabilities."""
    rng = np.random.default_rng(seed)
    z = 1.5 * rng.normal(size=n_samples)
    y = (rng.uniform(size=n_samples) < expit(z)).astype(int)
    y[:2] = [0, 1]
    return expit(distort(z)), y, expit(z)


def excess(q, p):
    """Return the expected log loss of q above that of the true probabilities p."""
    return np.mean(p * np.log(p / q[:, 1]) + (1 - p) * np.log((1 - p) / q[:, 0]))


@pytest.mark.parametrize("n_samples", [100, 1000])
def test_calibrated_predictions_cost_less_than_a_fitted_line(n_samples):
    """Platt scaling without a penalty costs about 1 / n in expected log loss."""
    costs = []
    for seed in range(60):
        p, y, _ = binary(n_samples, seed)
        _, _, fresh = binary(4000, seed + 1000)
        q = AdaptiveCalibrator().fit(p, y).predict_proba(fresh)
        costs.append(excess(q, fresh))
    assert np.mean(costs) * n_samples < 0.6 + 3 * np.std(costs) * n_samples / np.sqrt(60)


def test_a_slope_is_found_and_nothing_else():
    p, y, true = binary(4000, 0, lambda z: 2 * z)
    calibrator = AdaptiveCalibrator().fit(p, y)
    assert abs(calibrator.temperature_ - 2) < 0.2
    assert calibrator.effective_dof_["slope"] > 0.9
    assert calibrator.effective_dof_["spline"] < 1
    assert "effective parameters" in calibrator.summary()
    assert f"slope {calibrator.slope_:.2f}" in calibrator.summary()
    assert excess(calibrator.predict_proba(p), true) < 0.002


def test_curvature_is_found():
    p, y, true = binary(4000, 1, lambda z: np.sign(z) * z**2)
    line = AdaptiveCalibrator(structure=["slope", "bias"]).fit(p, y)
    curve = AdaptiveCalibrator().fit(p, y)
    assert list(line.effective_dof_) == ["slope", "bias"]
    assert curve.effective_dof_["spline"] > 2
    assert ", curvature:" in curve.summary()
    gain = excess(line.predict_proba(p), true) - excess(curve.predict_proba(p), true)
    assert gain > 0.005


def test_the_line_is_the_posterior_mode_under_its_precisions():
    """With slope and bias alone, the map minimises the penalised loss written out by hand.

    MacKay's equation gives the precisions from the mode, so that they can be read off the result.
    """
    p, y, _ = binary(500, 3, lambda z: 1.6 * z + 0.5)
    calibrator = AdaptiveCalibrator(structure=["slope", "bias"], tol=1e-6, max_iter=200).fit(p, y)
    z = logit(p)
    scale = np.sqrt(np.mean(z**2))
    slope, bias = (calibrator.slope_ - 1) * scale, calibrator.bias_
    dof = calibrator.effective_dof_
    # The prior on the precisions has the shape 0.01, which adds 0.02 to the effective numbers.
    ridge = np.array([(dof["slope"] + 0.02) / slope**2, (dof["bias"] + 0.02) / bias**2])

    def loss(theta):
        eta = z + theta[0] * z / scale + theta[1]
        return np.sum(np.logaddexp(0, eta) - y * eta) + 0.5 * ridge @ theta**2

    best = minimize(loss, [0.0, 0.0], method="BFGS", options={"gtol": 1e-8}).x
    assert_allclose([slope, bias], best, rtol=2e-3)


def test_a_monotone_map_reverses_no_order():
    for seed in range(5):
        p, y, _ = binary(200, seed, lambda z: np.sin(2 * z) + 0.3 * z)
        queries = np.linspace(0, 1, 2001)
        calibrator = AdaptiveCalibrator(monotone=True).fit(p, y)
        assert (np.diff(calibrator.predict_proba(queries)[:, 1]) >= 0).all()
    free = AdaptiveCalibrator().fit(p, 1 - y).predict_proba(queries)[:, 1]
    assert (np.diff(free) < 0).any()


def test_biases_of_several_classes_come_back():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=3000)
    y = np.array([rng.choice(3, p=p) for p in P])
    shift = np.array([4.0, 1.0, 0.5])
    shifted = P * shift / (P * shift).sum(axis=1, keepdims=True)
    calibrator = AdaptiveCalibrator().fit(shifted, y)
    expected = -np.log(shift) + np.log(shift).mean()
    assert_allclose(calibrator.bias_ - calibrator.bias_.mean(), expected, rtol=0, atol=0.15)
    assert np.abs(calibrator.predict_proba(shifted) - P).mean() < 0.02
    assert calibrator.matrix_.shape == (3, 3)


def test_two_fits_and_any_order_of_rows_agree_bit_for_bit():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=300)
    y = rng.integers(3, size=300)
    expected = AdaptiveCalibrator().fit(P, y).predict_proba(P)
    order = rng.permutation(300)
    for rows in (np.arange(300), order):
        assert_array_equal(AdaptiveCalibrator().fit(P[rows], y[rows]).predict_proba(P), expected)


def test_exact_zeros_that_come_true_stay_finite():
    p = np.r_[np.zeros(30), np.ones(30), np.linspace(0.1, 0.9, 40)]
    y = np.r_[np.arange(30) < 1, np.arange(30) > 0, np.arange(40) > 20].astype(int)
    proba = AdaptiveCalibrator().fit(p, y).predict_proba([0.0, 1.0])
    assert 0.005 < proba[0, 1] < 0.2
    assert 0.005 < proba[1, 0] < 0.2


@pytest.mark.parametrize("structure", ["slope", ["slope", "knots"], ["slope", "auto"]])
def test_unknown_groups(structure):
    calibrator = AdaptiveCalibrator(structure=structure)
    with pytest.raises(ValueError, match="structure must be 'auto' or a list of names out of"):
        calibrator.fit([0.2, 0.8], [0, 1])


def test_monotone_needs_two_classes():
    P = np.full((3, 3), 1 / 3)
    with pytest.raises(ValueError, match="monotone=True is for two classes, but y has 3"):
        AdaptiveCalibrator(monotone=True).fit(P, [0, 1, 2])


def test_few_rows_of_a_class_give_no_spline_unless_it_is_asked_for():
    """A handful of rows that a sure model gets wrong would bend it too far."""
    rng = np.random.default_rng(0)
    z = np.r_[rng.normal(4, 1, size=50), rng.normal(-4, 1, size=50)]
    y = np.repeat([1, 0], 50)
    rare = np.r_[np.arange(50, 100), np.arange(15)]  # fifteen rows of the rarer class
    few = AdaptiveCalibrator().fit(expit(z[rare]), y[rare])
    assert list(few.effective_dof_) == ["slope", "bias"]
    assert "spline" in AdaptiveCalibrator().fit(expit(z), y).effective_dof_
    asked = AdaptiveCalibrator(structure=["slope", "bias", "spline"]).fit(expit(z[rare]), y[rare])
    assert "spline" in asked.effective_dof_
    weighted = AdaptiveCalibrator().fit(expit(z[rare]), y[rare], np.full(65, 2.0))
    assert "spline" in weighted.effective_dof_
