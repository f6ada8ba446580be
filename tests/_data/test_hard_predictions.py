"""A warning says so if the output of predict is given for that of predict_proba."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from sklearn_calib import (
    CalibratedClassifier,
    CalibrationComparisonDisplay,
    ReliabilityDisplay,
    calibration_report,
    check_calibration,
    local_calibration_bias,
)
from sklearn_calib.calibrators import (
    BetaCalibrator,
    IsotonicCalibrator,
    KernelRecalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
)
from sklearn_calib.inference import calibration_ci, calibration_test_score
from sklearn_calib.metrics import ece, get_scorer, kce

X, Y = make_classification(200, 4, flip_y=0.2, random_state=0)
MODEL = LogisticRegression().fit(X, Y)
HARD = MODEL.predict(X)
FORMS = {"labels": HARD, "float": HARD.astype(float), "one-hot": np.eye(2)[HARD]}
AS_IF = "as if predict had been used"

USES = {
    "ece": lambda p: ece(Y, p),
    "kce": lambda p: kce(Y, p),
    "test": lambda p: check_calibration(Y, p, n_resamples=19),
    "callable": lambda p: check_calibration(Y, p, statistic=ece_statistic, n_resamples=9),
    "interval": lambda p: calibration_ci(Y, p, metric="ece", n_resamples=9),
    "local bias": lambda p: local_calibration_bias(Y, p, X),
    "report": lambda p: calibration_report(Y, p, X, n_resamples=19),
    "reliability": lambda p: ReliabilityDisplay.from_predictions(Y, p, n_resamples=9),
    "comparison": lambda p: CalibrationComparisonDisplay.from_predictions(
        Y, {"model": p}, n_resamples=9
    ),
    "beta": lambda p: BetaCalibrator().fit(p, Y),
    "isotonic": lambda p: IsotonicCalibrator().fit(p, Y),
    "one-vs-rest": lambda p: OneVsRestCalibrator("isotonic").fit(p, Y),
    "kernel": lambda p: KernelRecalibrator(
        hidden_layer_sizes=(), max_iter=1, early_stopping=False
    ).fit(p, Y),
}


def ece_statistic(y_true, y_proba):
    return ece(y_true, y_proba)


DEAR = ("report", "reliability", "comparison", "kernel", "local bias")
CASES = [
    pytest.param(form, use, marks=pytest.mark.slow if use in DEAR and form != "labels" else [])
    for form in FORMS
    for use in USES
]


@pytest.mark.parametrize(("form", "use"), CASES)
def test_it_is_said_once(use, form):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        USES[use](FORMS[form])
    said = [warning for warning in caught if AS_IF in str(warning.message)]
    assert len(said) == 1
    assert said[0].category is UserWarning
    assert said[0].filename == __file__


def test_more_than_two_classes():
    y = np.arange(90) % 3
    with pytest.warns(UserWarning, match=AS_IF):
        ece(y, np.eye(3)[(y + (np.arange(90) < 20)) % 3])


@pytest.mark.parametrize(
    "proba",
    [
        HARD[:63],  # few rows
        np.zeros(200),  # one value
        np.eye(2)[np.zeros(200, int)],
        np.where(HARD == 1, 1.0, 0.001),
        np.r_[HARD[:-1], 0.5],
    ],
)
def test_few_rows_and_other_values_are_no_sign(proba):
    assert np.isfinite(ece(Y[: len(proba)], proba))


def test_what_predict_proba_gave_is_not_doubted():
    tree = DecisionTreeClassifier(random_state=0).fit(X[::2], Y[::2])
    assert set(np.unique(tree.predict_proba(X))) == {0.0, 1.0}
    assert np.isfinite(cross_val_score(tree, X, Y, scoring=get_scorer("neg_ece"), cv=3)).all()
    ReliabilityDisplay.from_estimator(tree, X, Y, n_resamples=9)
    CalibrationComparisonDisplay.from_estimators({"tree": tree}, X, Y, n_resamples=9)
    calibration_test_score(tree, X, Y, cv=3, n_resamples=9)
    for calibrator in (IsotonicCalibrator(), OneVsRestCalibrator("beta")):
        CalibratedClassifier(tree, calibrator, cv=3).fit(X, Y)


@pytest.mark.parametrize(
    ("calibrator", "scale"),
    [
        (PlattCalibrator, "scores"),
        (TemperatureCalibrator, "log-probabilities"),
        (partial(OneVsRestCalibrator, "temperature"), "logits"),
    ],
)
def test_probabilities_for_scores_are_said_as_well(calibrator, scale):
    proba = MODEL.predict_proba(X)
    with pytest.warns(
        UserWarning, match=rf"lie in \[0, 1\].* {scale}\. .*input='probability'"
    ) as caught:
        calibrator().fit(proba, Y)
    assert caught[0].filename == __file__
    calibrator(input="probability").fit(proba, Y)
    calibrator().fit(MODEL.decision_function(X), Y)


@pytest.mark.parametrize("form", ["labels", "one-hot"])
def test_class_predictions_for_scores_are_said_once(form):
    """The advice to pass input='probability' would be wrong for what predict gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        PlattCalibrator().fit(FORMS[form], Y)
    assert [AS_IF in str(warning.message) for warning in caught] == [True]
