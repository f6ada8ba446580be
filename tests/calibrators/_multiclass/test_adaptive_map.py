"""The formula of the adaptive map, its floor, its groups, and its widest priors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit, softmax

from sklearn_calib.calibrators import AdaptiveCalibrator
from sklearn_calib.calibrators._multiclass.adaptive_map import learn_floor, resolve_structure


def towards_equal_shares(proba, total):
    share = 0.03 / total
    return (proba + share / proba.shape[1]) / (1.0 + share)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_groups_it_is_the_identity_but_for_a_share_of_all_classes(n_classes):
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(n_classes), size=60)
    weight = rng.uniform(0.5, 1.5, size=60)
    fitted = AdaptiveCalibrator(structure=[]).fit(P, np.arange(60) % n_classes, weight)
    assert fitted.summary() == "the identity: 0.0 effective parameters"
    assert_allclose(fitted.predict_proba(P), towards_equal_shares(P, weight.sum()), rtol=1e-12)


def test_two_classes_have_a_line_of_log_odds():
    rng = np.random.default_rng(1)
    p = rng.uniform(0.05, 0.95, size=400)
    y = rng.random(400) < expit(0.6 * logit(p) + 0.4)
    fitted = AdaptiveCalibrator(structure=["slope", "bias"]).fit(p, y)
    expected = expit(fitted.slope_ * logit(p) + fitted.bias_)
    expected = towards_equal_shares(np.column_stack([1 - expected, expected]), 400)
    assert_allclose(fitted.predict_proba(p), expected, rtol=1e-10)
    assert fitted.temperature_ == 1.0 / fitted.slope_
    assert abs(fitted.slope_ - 0.6) < 0.2
    assert abs(fitted.bias_ - 0.4) < 0.2


@pytest.mark.parametrize("structure", [["slope", "bias", "class_slopes"], ["slope", "matrix"]])
def test_more_classes_have_a_matrix_of_centred_log_probabilities(structure):
    rng = np.random.default_rng(2)
    P = rng.dirichlet(np.ones(3), size=800)
    centred = np.log(P) - np.log(P).mean(axis=1, keepdims=True)
    true = softmax(centred @ np.array([[0.4, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.5]]), axis=1)
    y = (true.cumsum(axis=1) < rng.random((800, 1))).sum(axis=1)
    fitted = AdaptiveCalibrator(structure=structure).fit(P, y)
    logits = fitted.slope_ * centred + fitted.bias_ + centred @ fitted.matrix_
    expected = towards_equal_shares(softmax(logits, axis=1), 800)
    # Up to what does not depend on the class, the constant of each row among it.
    assert_allclose(fitted.predict_proba(P), expected, rtol=1e-9)
    off_diagonal = fitted.matrix_[~np.eye(3, dtype=bool)]
    if "matrix" in structure:
        assert np.abs(off_diagonal).max() > 0.1
    else:
        assert (off_diagonal == 0.0).all()


@pytest.mark.parametrize(
    ("proba", "floor"),
    [
        ([0.3, 0.02, 0.7, 0.0, 1.0], 0.01),
        ([0.3, 0.75], 0.125),
        ([0.5, 1e-12], 2.0**-25),
        ([0.0, 1.0], 0.005),
    ],
)
def test_the_floor_is_half_the_smallest_distance_to_0_or_1(proba, floor):
    assert learn_floor(np.array(proba)) == floor


def test_groups_that_auto_leaves_out():
    every = ("slope", "bias", "class_slopes", "matrix", "spline")
    assert resolve_structure("auto", 3, 1.0) == every
    assert resolve_structure("auto", 128, 1.0) == every
    assert resolve_structure("auto", 129, 1.0) == ("slope", "bias", "class_slopes", "spline")
    assert resolve_structure("auto", 2, 20.0) == ("slope", "bias", "spline")
    assert resolve_structure("auto", 2, 19.9) == ("slope", "bias")
    assert resolve_structure(["spline", "matrix"], 129, 1.0) == ("matrix", "spline")
    assert resolve_structure(["spline", "matrix"], 2, 1.0) == ("spline",)


def test_the_widest_prior_of_a_slope_has_the_standard_deviation_one():
    """Separated rows ask for an infinite slope; the prior alone limits it."""
    p, y = np.repeat([0.3, 0.7], 3), np.repeat([0, 1], 3)
    fitted = AdaptiveCalibrator(structure=["slope"]).fit(p, y)
    size = logit(0.7)

    def loss(change):
        return 6 * np.logaddexp(0, -(1 + change) * size) + change**2 / 2

    best = minimize_scalar(loss, bounds=(0, 5), method="bounded", options={"xatol": 1e-10}).x
    assert fitted.slope_ == pytest.approx(1 + best, rel=1e-6)


def test_the_widest_prior_of_a_bias_has_the_standard_deviation_two():
    p, y = np.full(80, 0.5), np.arange(80) > 0
    fitted = AdaptiveCalibrator(structure=["bias"]).fit(p, y)

    def loss(bias):
        return 79 * np.logaddexp(0, -bias) + np.logaddexp(0, bias) + bias**2 / 8

    best = minimize_scalar(loss, bounds=(0, 9), method="bounded", options={"xatol": 1e-10}).x
    assert fitted.bias_ == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("spread", [0.1, 1.0, 3.0])
def test_a_slope_that_would_be_negative_is_next_to_zero(spread):
    score = np.tile(np.linspace(-spread, spread, 40), 10)
    y = np.arange(400) % 40 < 20
    fitted = AdaptiveCalibrator(structure=["slope"], monotone=True).fit(expit(score), y)
    assert fitted.slope_ == pytest.approx(1e-9, rel=1e-3)
