"""What is no calibration error, or no option of one, is refused when the scorer is made."""

from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from sklearn_calib import ReliabilityDisplay, check_calibration
from sklearn_calib.metrics import (
    calibration_bins,
    ece,
    get_scorer,
    get_scorer_names,
    klce,
    make_calibration_scorer,
    neg_ece_scorer,
    score_decomposition,
)
from tests.metrics._scoring import scorer_data

X, Y = scorer_data(3, "str")
MODEL = GaussianNB().fit(X, Y)


def _of_any_options(y, p, *, labels, **options):
    return float(len(options))


def _of_other_names(truth, scores, *, labels, strictness=1.0):
    return strictness


@pytest.mark.parametrize(
    ("metric", "option"),
    [
        (ece, "y_true"),
        (ece, "y_proba"),
        (klce, "X"),
        (partial(ece, n_bins=3), "y_proba"),
        (_of_any_options, "y"),
        (_of_any_options, "y_proba"),
        (_of_other_names, "scores"),
    ],
)
def test_data_are_no_options(metric, option):
    with pytest.raises(ValueError, match=rf"got \['{option}'\], which the scorer passes"):
        make_calibration_scorer(metric, **{option: [0.3]})


@pytest.mark.parametrize(
    "metric",
    [
        calibration_bins,
        score_decomposition,
        check_calibration,
        ReliabilityDisplay,
        partial(calibration_bins, n_bins=3),
        neg_ece_scorer,
    ],
)
def test_other_functions_of_the_package_are_no_errors(metric):
    with pytest.raises(ValueError, match=r"of sklearn_calib is no calibration error. Pass one of"):
        make_calibration_scorer(metric)


@pytest.mark.parametrize(
    "metric",
    [
        lambda y, p: 1.0,
        lambda y, *, labels: 1.0,
        lambda *, y_true, y_proba, labels: 1.0,
        lambda y, p, labels, /: 1.0,
    ],
)
def test_a_metric_that_cannot_be_called_with_labels(metric):
    with pytest.raises(ValueError, match=r"cannot be called as metric\(y_true, y_proba, \*, lab"):
        make_calibration_scorer(metric)


def test_a_metric_without_a_signature():
    with pytest.raises(ValueError, match=r"metric dict does not say which parameters it has"):
        make_calibration_scorer(dict)


@pytest.mark.parametrize("value", [{"error": 0.1}, "0.1", None, [0.1], np.array([0.1]), 1j])
def test_a_metric_that_returns_no_number(value):
    score = make_calibration_scorer(lambda y, p, *, labels: value)
    with pytest.raises(TypeError, match=r"metric <lambda> must return one number, got"):
        score(MODEL, X, Y)


@pytest.mark.parametrize("value", [1, True, 0.5, np.float32(0.5), np.array(0.5)])
def test_numbers_of_any_type_are_scores(value):
    assert make_calibration_scorer(lambda y, p, *, labels: value)(MODEL, X, Y) == -value


def test_options_of_any_name_reach_a_metric_that_takes_them():
    score = make_calibration_scorer(_of_any_options, first=1, features=2)
    assert score(MODEL, X, Y) == -2.0
    assert make_calibration_scorer(_of_other_names, strictness=3.0)(MODEL, X, Y) == -3.0


@pytest.mark.parametrize("name", ["neg_ece", "neg_klce", "neg_brier_score"])
@pytest.mark.parametrize(
    "model",
    [
        GaussianNB(),
        make_pipeline(GaussianNB()),
        GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}),
    ],
    ids=lambda one: type(one).__name__,
)
def test_an_estimator_that_is_not_fitted(model, name):
    with pytest.raises(NotFittedError):
        get_scorer(name)(model, X, Y)


def test_every_shipped_scorer_may_be_made():
    assert all(get_scorer(name).__name__ == name for name in get_scorer_names())


@pytest.mark.parametrize("features", [3, "age", ["age"], True])
def test_features_that_are_no_function_are_refused_when_the_scorer_is_made(features):
    with pytest.raises(ValueError, match=r"features must be None.* or a function"):
        make_calibration_scorer(klce, features=features)
