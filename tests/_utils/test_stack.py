"""A warning points to the line of the user, whoever stands between it and what warns."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from sklearn_calib.calibrators import CalibratedClassifier, PlattCalibrator
from sklearn_calib.inference import calibration_by_group

X = np.linspace(-1.0, 1.0, 40)[:, np.newaxis]
Y = (np.arange(40) % 4 > 1).astype(int)


def fit_the_wrong_way_round():
    PlattCalibrator().fit(-X[:, 0], X[:, 0] > 0.1)


def fit_without_weights():
    CalibratedClassifier(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(40))


def fit_the_wrong_way_round_behind_a_classifier():
    """What the classifier learns from one half of the rows is wrong in the other half."""
    first, second = np.split(np.arange(40), 2)
    x = np.arange(40) % 2
    y = np.where(np.arange(40) < 20, x, 1 - x)
    cv = [(first, second), (second, first)]
    model = CalibratedClassifier(LogisticRegression(), PlattCalibrator(), cv=cv)
    model.fit(x[:, np.newaxis], y)


def take_few_draws():
    calibration_by_group(Y, np.full(40, 0.5), Y, n_resamples=9, random_state=0)


@pytest.mark.parametrize(
    ("warn", "message"),
    [
        (fit_the_wrong_way_round, "slope of PlattCalibrator is negative"),
        (fit_the_wrong_way_round_behind_a_classifier, "slope of PlattCalibrator is negative"),
        (fit_without_weights, "does not take sample_weight"),
        (take_few_draws, "no p-value can be as small"),
    ],
)
def test_the_line_of_the_user_is_named(warn, message):
    with pytest.warns(UserWarning, match=message) as said:
        warn()
    assert said[0].filename == __file__
