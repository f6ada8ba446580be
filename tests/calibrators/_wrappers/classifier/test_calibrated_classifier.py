"""CalibratedClassifier: what is fitted on what, what comes out, and its parameters."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logit
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_calib.calibrators import (
    BetaCalibrator,
    CalibratedClassifier,
    HistogramCalibrator,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
)
from tests._spies import FixedScores
from tests.calibrators._wrappers._data import METHODS, PLAIN_METHODS, three_classes, two_classes


@parametrize_with_checks(
    [
        CalibratedClassifier(LogisticRegression(), OneVsRestCalibrator()),
        CalibratedClassifier(LogisticRegression(), OneVsRestCalibrator(), cv=3, ensemble=True),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def clipped_log_odds(proba, calibration_proba):
    distance = np.minimum(calibration_proba, 1.0 - calibration_proba)
    floor = max(distance[distance > 0.0].min() / 2.0, np.finfo(float).eps)
    return logit(np.clip(proba, floor, 1.0 - floor))


def oracle(estimator, calibrator, X, y, X_new, splits, ensemble):
    """Compute the definition, fold by fold and row by row."""
    columns = slice(1, None) if len(np.unique(y)) == 2 else slice(None)

    def fit_predict(model, held_out, rows):
        proba_new = model.predict_proba(X_new)[:, columns]
        if calibrator.input_scale != "probability":
            proba_new = clipped_log_odds(proba_new, held_out)
            held_out = clipped_log_odds(held_out, held_out)
        return clone(calibrator).fit(held_out, y[rows]).predict_proba(proba_new)

    averaged, pooled = [], {}
    for train, test in splits:
        model = clone(estimator).fit(X[train], y[train])
        proba = model.predict_proba(X[test])[:, columns]
        if ensemble:
            averaged.append(fit_predict(model, proba, test))
        pooled.update(zip(test.tolist(), proba))
    if ensemble:
        return np.mean(averaged, axis=0)
    everything = np.arange(len(y))
    held_out = np.array([pooled[row] for row in everything])
    return fit_predict(clone(estimator).fit(X, y), held_out, everything)


@pytest.mark.parametrize("data", [two_classes, three_classes])
@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_matches_the_definition(data, ensemble, method):
    X, y = data()
    cv = StratifiedKFold(4, shuffle=True, random_state=3)
    X_new = X + 0.1
    forest = RandomForestClassifier(n_estimators=10, max_depth=4, random_state=0)
    calibrator = OneVsRestCalibrator(PLAIN_METHODS[method])
    fitted = CalibratedClassifier(forest, calibrator, cv=cv, ensemble=ensemble).fit(X, y)
    expected = oracle(forest, calibrator, X, y, X_new, list(cv.split(X, y)), ensemble)
    assert_allclose(fitted.predict_proba(X_new), expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_iris])
@pytest.mark.parametrize("ensemble", [False, True])
def test_isotonic_agrees_with_scikit_learn(load, ensemble):
    X, y = load(return_X_y=True)
    cv, forest = StratifiedKFold(3), RandomForestClassifier(10, random_state=0)
    plain = OneVsRestCalibrator(IsotonicCalibrator(pseudo_count=0))
    ours = CalibratedClassifier(forest, plain, cv=cv, ensemble=ensemble)
    theirs = CalibratedClassifierCV(forest, method="isotonic", cv=cv, ensemble=ensemble)
    assert_allclose(
        ours.fit(X, y).predict_proba(X),
        theirs.fit(X, y).predict_proba(X),
        rtol=1e-10,
        atol=1e-12,
    )


@pytest.mark.parametrize("ensemble", [False, True])
def test_sigmoid_of_a_decision_function_agrees_with_scikit_learn(ensemble):
    X, y = two_classes()
    ours = CalibratedClassifier(LinearSVC(), PlattCalibrator(), ensemble=ensemble)
    theirs = CalibratedClassifierCV(LinearSVC(), method="sigmoid", cv=5, ensemble=ensemble)
    # scikit-learn stops its optimiser early
    assert_allclose(ours.fit(X, y).predict_proba(X), theirs.fit(X, y).predict_proba(X), rtol=1e-3)


def test_fitted_attributes():
    X, y = two_classes()
    one = CalibratedClassifier(GaussianNB(), IsotonicCalibrator()).fit(X, y)
    assert one.estimators_ == [one.estimator_]
    assert one.calibrators_ == [one.calibrator_]
    assert_allclose(one.estimator_.theta_, GaussianNB().fit(X, y).theta_, rtol=1e-15)
    assert_array_equal(one.classes_, [0, 1])

    average = CalibratedClassifier(GaussianNB(), IsotonicCalibrator(), cv=3, ensemble=True)
    average.fit(X, y)
    assert len(average.estimators_) == len(average.calibrators_) == 3
    for name in ("estimator_", "calibrator_"):
        with pytest.raises(AttributeError, match=f"{name} is not defined with ensemble=True"):
            getattr(average, name)

    average.set_params(ensemble=False).fit(X, y)
    assert_array_equal(average.predict_proba(X), one.set_params(cv=3).fit(X, y).predict_proba(X))


def test_the_parts_given_are_cloned_and_stay_unfitted():
    X, y = two_classes()
    classifier, calibrator = GaussianNB(), IsotonicCalibrator()
    CalibratedClassifier(classifier, calibrator).fit(X, y)
    for part in (classifier, calibrator):
        with pytest.raises(NotFittedError):
            sklearn.utils.validation.check_is_fitted(part)


@pytest.mark.parametrize("ensemble", [False, True])
def test_jobs_do_not_change_the_result(ensemble):
    X, y = three_classes()
    fits = [
        CalibratedClassifier(
            RandomForestClassifier(5, random_state=0),
            OneVsRestCalibrator("platt"),
            ensemble=ensemble,
            n_jobs=n_jobs,
        ).fit(X, y)
        for n_jobs in (None, 2)
    ]
    assert_array_equal(fits[0].predict_proba(X), fits[1].predict_proba(X))


@pytest.mark.parametrize("ensemble", [False, True])
def test_fits_repeat_and_leave_the_global_state_alone(ensemble):
    X, y = two_classes()
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    make = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator("beta"), ensemble=ensemble)
    proba = make.fit(X, y).predict_proba(X)
    assert_array_equal(clone(make).fit(X, y).predict_proba(X), proba)
    assert_array_equal(pickle.loads(pickle.dumps(make)).predict_proba(X), proba)
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert "random_state" not in make.get_params(deep=False)


def test_parameters_are_kept_as_given():
    splits, columns = [(np.arange(3), np.arange(3, 6))], [0, 1]
    estimator = CalibratedClassifier(
        GaussianNB(), IsotonicCalibrator(), cv=splits, passthrough=columns
    )
    assert estimator.get_params()["cv"] is splits
    assert estimator.get_params()["passthrough"] is columns
    clone(estimator)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ensemble", [False, True])
def test_rows_sum_to_one(method, ensemble):
    X, y = three_classes()
    fitted = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator(method), ensemble=ensemble)
    proba = fitted.fit(X, y).predict_proba(X)
    assert proba.dtype == np.float64
    assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    assert proba.min() >= 0.0
    assert proba.max() <= 1.0


def test_predict_follows_the_calibrated_probabilities():
    # The classifier says 0.4 for the second class, which is right in 3 of 5 cases.
    X, y = np.full((50, 1), 0.4), np.tile([1, 1, 1, 0, 0], 10)
    fitted = CalibratedClassifier(FixedScores(), IsotonicCalibrator()).fit(X, y)
    assert_allclose(fitted.predict_proba(X), np.tile([0.4, 0.6], (50, 1)), rtol=1e-12)
    assert_array_equal(FixedScores().fit(X, y).predict(X), 0)
    assert_array_equal(fitted.predict(X), 1)

    tied = CalibratedClassifier(FixedScores(), IsotonicCalibrator()).fit(X, np.tile([0, 1], 25))
    assert_array_equal(tied.predict(X), 0)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array([False, True]),
        np.array([0.0, 1.0]),
        np.array([-1, 1]),
        np.array([3, 7, 11]),
        np.array(["a", "b", "c"], dtype=object),
    ],
    ids=str,
)
@pytest.mark.parametrize("ensemble", [False, True])
def test_labels_of_any_kind(labels, ensemble):
    X, codes = two_classes() if len(labels) == 2 else three_classes()
    estimator = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator("beta"), ensemble=ensemble)
    plain = clone(estimator).fit(X, codes)
    for y in (labels[codes], labels[codes].tolist(), pd.Series(labels[codes], index=codes)):
        fitted = clone(estimator).fit(X, y)
        assert isinstance(fitted.classes_, np.ndarray)
        assert_array_equal(fitted.classes_, labels)
        assert_array_equal(fitted.predict_proba(X), plain.predict_proba(X))
        assert_array_equal(fitted.predict(X), labels[plain.predict(X)])


def test_one_class_or_none_raises():
    X = np.arange(10.0).reshape(-1, 1)
    with pytest.raises(ValueError, match=r"y has one class only, \[1\]"):
        CalibratedClassifier(GaussianNB(), IsotonicCalibrator()).fit(X, np.ones(10, dtype=int))


def test_binary_parts_refuse_more_classes():
    X, y = three_classes()
    with pytest.raises(ValueError, match=r"Only binary classification is supported.*OneVsRest"):
        CalibratedClassifier(GaussianNB(), IsotonicCalibrator()).fit(X, y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("estimator", "forest"),
        ("calibrator", "isotone"),
        ("cv", "five"),
        ("ensemble", "auto"),
        ("passthrough", "all"),
        ("n_jobs", 1.5),
    ],
)
def test_parameters_are_checked(name, value):
    X, y = two_classes()
    estimator = CalibratedClassifier(GaussianNB(), IsotonicCalibrator())
    with pytest.raises(ValueError, match=f"'{name}' parameter of CalibratedClassifier must be"):
        estimator.set_params(**{name: value}).fit(X, y)


def test_calibrators_can_be_searched():
    X, y = two_classes()
    search = GridSearchCV(
        CalibratedClassifier(GaussianNB(), IsotonicCalibrator(), cv=3),
        {
            "calibrator": [
                BetaCalibrator(),
                HistogramCalibrator(n_bins=5),
                OneVsRestCalibrator("temperature"),
                PlattCalibrator(),
            ],
            "ensemble": [False, True],
        },
        scoring="neg_log_loss",
        error_score="raise",
        cv=3,
    ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
