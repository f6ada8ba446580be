"""Platt scaling of scores that go with the wrong class, and what is not worth a warning."""

import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from sklearn_calib.calibrators import (
    CalibratedClassifier,
    OneVsRestCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
)


def test_a_negative_slope_warns():
    with pytest.warns(UserWarning, match="slope of PlattCalibrator is negative"):
        calibrator = PlattCalibrator().fit([1.0, 2.0, 3.0, 4.0], [1, 1, 0, 0])
    assert calibrator.slope_ < 0


@pytest.mark.parametrize(
    "calibrator",
    [
        TemperatureCalibrator(),
        OneVsRestCalibrator("temperature"),
        OneVsRestCalibrator("temperature", n_jobs=2),
        TemperatureCalibrator(input="probability"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_that_the_package_made_do_not_warn(calibrator, n_classes):
    X = np.zeros((60, 1))
    y = np.minimum(np.arange(60) % 5, n_classes - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = CalibratedClassifier(DummyClassifier(), calibrator).fit(X, y)
        assert np.isfinite(fitted.predict_proba(X)).all()


def test_one_vs_rest_does_not_warn_about_its_own_log_odds():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.5, 0.7, size=50)  # log-odds within [0, 1]
    OneVsRestCalibrator("temperature", input="probability").fit(p, rng.integers(2, size=50))


@pytest.mark.filterwarnings("error")
def test_one_vs_rest_warns_about_probabilities_for_logits():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=30)
    with pytest.warns(UserWarning, match="All values of S lie in"):
        OneVsRestCalibrator("temperature").fit(P, np.arange(30) % 3)
