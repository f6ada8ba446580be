"""What a calibrator of log-probabilities gets from `CalibratedClassifier`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from sklearn_calib.calibrators import CalibratedClassifier, TemperatureCalibrator
from tests._spies import Recorder
from tests.calibrators._wrappers._data import three_classes, two_classes


@pytest.mark.parametrize("data", [two_classes, three_classes])
def test_the_softmax_of_the_input_is_the_prediction(data):
    X, y = data()
    calibrated = CalibratedClassifier(LogisticRegression(), Recorder("log_probability")).fit(X, y)
    calibrated.predict_proba(X)
    seen = calibrated.calibrator_.seen_at_predict_
    expected = calibrated.estimator_.predict_proba(X)
    assert_allclose(softmax(seen, axis=1), expected, rtol=0, atol=1e-14)
    assert_allclose(np.exp(seen), expected, rtol=0, atol=1e-14)


def test_exact_zeros_have_the_floor_of_the_log_odds():
    X, y = three_classes()
    model = KNeighborsClassifier(10)
    calibrated = CalibratedClassifier(model, Recorder("log_probability")).fit(X, y)
    assert_allclose(calibrated.calibrator_.S_.min(), np.log(0.05), rtol=1e-12)
    assert_allclose(calibrated.calibrator_.S_.max(), np.log(0.95), rtol=1e-12)


def test_one_column_of_a_decision_function_is_the_log_odds():
    X, y = two_classes()
    calibrated = CalibratedClassifier(LinearSVC(), TemperatureCalibrator()).fit(X, y)
    z = calibrated.estimator_.decision_function(X)
    expected = 1 / (1 + np.exp(-z / calibrated.calibrator_.temperature_))
    assert_allclose(calibrated.predict_proba(X)[:, 1], expected, rtol=1e-12)
