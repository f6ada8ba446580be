"""CORP miscalibration: a value by hand, the max-min formula, ties and weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

from sklearn_calib import check_calibration
from tests.inference import _formulas
from tests.inference._data import binary_data, multiclass_data


def value(y, p, **options):
    options = {"n_resamples": 1, "random_state": 0, **options}
    return check_calibration(y, p, statistic="corp", **options).statistic


def test_value_by_hand():
    """The second and third row are pooled to one half, the others stay: (0, 1/2, 1/2, 1)."""
    y, p = [0, 1, 0, 1], [0.1, 0.3, 0.6, 0.8]
    brier = (0.01 + 0.49 + 0.36 + 0.04) / 4
    assert_allclose(value(y, p), brier - (0.25 + 0.25) / 4, rtol=1e-12)


def test_value_by_isotonic_regression():
    y, p, _ = binary_data(500)
    fit = IsotonicRegression().fit(p, y).predict(p)
    expected = brier_score_loss(y, p) - brier_score_loss(y, fit)
    assert_allclose(value(y, p), expected, rtol=1e-10)


def test_ties_are_recalibrated_together():
    y, p, _ = binary_data(80)
    p = np.round(p, 1)
    assert_allclose(value(y, p), _formulas.corp(y, p), rtol=1e-10)
    y, proba, _ = multiclass_data(80)
    proba = np.round(proba, 1)
    proba[:, 2] = 1 - proba[:, :2].sum(axis=1)
    assert_allclose(value(y, np.abs(proba)), _formulas.corp(y, np.abs(proba)), rtol=1e-9)


def test_weights_are_copies():
    y, p, _ = binary_data(40)
    copies = np.random.default_rng(0).integers(1, 4, size=40)
    repeated = value(np.repeat(y, copies), np.repeat(p, copies))
    assert_allclose(value(y, p, sample_weight=copies), repeated, rtol=1e-10)


def test_recalibrated_predictions_have_none():
    y, p, _ = binary_data(200)
    fit = IsotonicRegression().fit(p, y).predict(p)
    assert_allclose(value(y, fit), 0.0, atol=1e-16)
    assert value(y, p) > 0.0


def test_there_is_no_asymptotic_form():
    y, p, _ = binary_data()
    with pytest.raises(ValueError, match="limiting distribution, which corp does not have"):
        value(y, p, null="asymptotic")


def test_the_effect_size_is_on_the_scale_of_probabilities():
    """All predictions 0.1 too high: the recalibrated ones are 0.1 away on average."""
    y, p, _ = binary_data(20_000)
    result = check_calibration(y, np.minimum(p + 0.1, 1.0), statistic="corp", n_resamples=1)
    assert 0.08 < result.effect_size < 0.15
