"""Platt scaling: reference values, optimality, and scores that are hard to fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit, logit
from sklearn.metrics import roc_auc_score

from sklearn_calib.calibrators import PlattCalibrator
from tests._reference import parametrize_cases
from tests.calibrators._cases import reference_data
from tests.calibrators._samples import mean_gradient, sample


@pytest.mark.parametrize("scale", [1e5, 1e10, 1e100])
def test_huge_scores_keep_their_order_and_do_not_overflow(scale):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [50, 100])
    scores = np.where(y == 1, scale, -scale) + rng.normal(size=150)
    calibrator = PlattCalibrator().fit(scores, y)
    proba = calibrator.predict_proba(scores)[:, 1]
    assert proba[y == 1].min() > proba[y == 0].max()
    assert roc_auc_score(y, proba) == 1.0
    # Two groups without overlap are fitted by their smoothed targets.
    assert_allclose(proba[y == 0], 1 / 52, rtol=1e-3)
    assert_allclose(proba[y == 1], 101 / 102, rtol=1e-3)


@pytest.mark.parametrize(
    ("scores", "y", "slope", "intercept"),
    [
        ([-2, -1, 1, 2], [0, 0, 1, 1], 0.673996394, 0.0),
        ([-1, 0, 0.5, 2], [0, 0, 0, 1], 0.7942974, -1.18643454),
    ],
)
def test_separable_data_are_fitted_by_smoothed_targets(scores, y, slope, intercept):
    calibrator = PlattCalibrator().fit(scores, y)
    assert_allclose([calibrator.slope_, calibrator.intercept_], [slope, intercept], atol=1e-7)
    expected = expit(slope * np.array(scores) + intercept)
    assert_allclose(calibrator.predict_proba(scores)[:, 1], expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("seed", range(10))
def test_platt_is_stationary_for_weighted_smoothed_targets(seed):
    p, y, weight = sample(seed)
    score = logit(p)
    calibrator = PlattCalibrator().fit(score, y, weight)
    n_positive, n_negative = weight[y == 1].sum(), weight[y == 0].sum()
    target = [(n_positive + 1) / (n_positive + 2) if t else 1 / (n_negative + 2) for t in y]
    features = np.column_stack([score, np.ones(y.size)])
    coef = [calibrator.slope_, calibrator.intercept_]
    assert_allclose(mean_gradient(features, target, weight, coef), 0, atol=1e-11)


@pytest.mark.filterwarnings("ignore:All values of S lie in")
@pytest.mark.parametrize("value", [0.1, 1e5 / 3, -1e-3])
def test_platt_of_a_constant_is_the_smoothed_rate(value):
    rng = np.random.default_rng(0)
    y, weight = rng.integers(2, size=100_000), rng.uniform(size=100_000)
    calibrator = PlattCalibrator().fit(np.full(y.size, value), y, weight)
    n_positive, n_negative = weight[y == 1].sum(), weight[y == 0].sum()
    rate = n_positive * (n_positive + 1) / (n_positive + 2) + n_negative / (n_negative + 2)
    assert calibrator.slope_ == 0.0
    assert_allclose(calibrator.predict_proba([0.0])[0, 1], rate / weight.sum(), rtol=1e-9)


@pytest.mark.filterwarnings("ignore:The slope of PlattCalibrator is negative")
def test_platt_is_equivariant_under_affine_maps():
    p, y, weight = sample(0)
    score = logit(p)
    expected = PlattCalibrator().fit(score, y, weight).predict_proba(score)
    for scale, shift in [(1e-8, 0.0), (1e8, 0.0), (-3.0, 7.0), (1.0, 1e6), (1e-150, 0), (1e150, 0)]:
        other = scale * score + shift
        result = PlattCalibrator().fit(other, y, weight).predict_proba(other)
        assert_allclose(result, expected, rtol=0, atol=1e-9)


@pytest.mark.filterwarnings("ignore:All values of S lie in")
@pytest.mark.filterwarnings("ignore:The slope of PlattCalibrator is negative")
@parametrize_cases("binary_platt")
def test_reference_values_of_platt(case):
    training, new = reference_data(case, "x")
    calibrator = PlattCalibrator().fit(*training)
    expected = case["expected"]
    fitted = [calibrator.slope_, calibrator.intercept_]
    proba = calibrator.predict_proba(new)[:, 1]
    assert_allclose(fitted, [expected["tight_slope"], expected["tight_intercept"]], rtol=1e-8)
    assert_allclose(proba, expected["tight_predict"], rtol=0, atol=1e-8)
    assert_allclose(fitted, [expected["slope"], expected["intercept"]], rtol=1e-6)
    assert_allclose(proba, expected["predict"], rtol=0, atol=1e-6)
