"""Scorers inside model selection: what they prefer, and which models they refuse."""

import pickle
from inspect import signature

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    check_cv,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import sklearn_calib
from sklearn_calib import metrics
from sklearn_calib.metrics import (
    ece,
    get_scorer,
    get_scorer_names,
    make_calibration_scorer,
    neg_ece_scorer,
    skce,
)
from tests.metrics._registry import METRICS
from tests.metrics._scoring import PLAIN, TWO_SIDED, every, scorer_data

# Constant predictions have no slope, and those of 0.9 are overconfident only.
BLIND_TO_CONSTANTS = {"neg_calibration_slope", "neg_underconfidence"}
DISTANCES = {
    "neg_calibration_slope": lambda slope: slope - 1.0,
    "neg_calibration_intercept": lambda intercept: intercept,
    "neg_observed_expected_ratio": np.log,
}


def test_cross_validated_scores_are_the_negative_metrics_of_the_folds():
    X_all, y_all = load_iris(return_X_y=True)
    scoring = {name: get_scorer(name) for name in get_scorer_names()}
    options = {
        "neg_kce": {"squared": False, "bandwidth": 0.2},
        "neg_klce": {"prob_bandwidth": 0.2},
        "neg_kde_ece": {"bandwidth": 0.01},
    }
    for X, y in ((X_all[50:], y_all[50:]), (X_all, y_all)):
        model = LogisticRegression(max_iter=1000)
        result = cross_validate(
            model, X, y, cv=3, scoring=scoring, return_estimator=True, return_indices=True
        )
        for fold, test in enumerate(result["indices"]["test"]):
            P = result["estimator"][fold].predict_proba(X[test])
            for name in scoring:
                metric = getattr(metrics, name.removeprefix("neg_"))
                features = {"X": X[test]} if "X" in signature(metric).parameters else {}
                value = metric(y[test], P, **features, **options.get(name, {}))
                if name in TWO_SIDED:
                    value = abs(DISTANCES[name](value))
                assert_allclose(result[f"test_{name}"][fold], -value, rtol=1e-10, atol=1e-14)


class _Constant(ClassifierMixin, BaseEstimator):
    """Predict one probability for the second class."""

    def __init__(self, p=0.5, classes=(0, 1)):
        self.p = p
        self.classes = classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def predict_proba(self, X):
        return np.tile([1 - self.p, self.p], (len(X), 1))


def test_a_class_that_the_model_never_saw_is_named():
    X = np.zeros((3, 1))
    model = _Constant().fit(X, None)
    for name in get_scorer_names():
        with pytest.raises(ValueError, match=r"y_true contains \[2\].*labels=\[0, 1\]"):
            get_scorer(name)(model, X, [0, 1, 2])


def test_a_grid_search_prefers_the_calibrated_model():
    y = np.tile([0, 1], 30)
    X = np.random.default_rng(0).normal(size=(60, 1))
    for name in {*get_scorer_names()} - BLIND_TO_CONSTANTS:
        assert name.startswith("neg_")
        search = GridSearchCV(_Constant(), {"p": [0.9, 0.5]}, scoring=get_scorer(name), cv=3)
        assert search.fit(X, y).best_params_ == {"p": 0.5}
        if name not in ("neg_skce", "neg_klce"):
            assert (search.cv_results_["mean_test_score"] <= 1e-15).all()


def test_a_model_below_zero_by_luck_scores_above_a_perfect_one():
    """A model below zero by luck scores above a perfect one: say so, and offer other scorers."""
    y, p = [0, 1] * 10, [0.5] * 20
    assert skce(y, p) < 0
    model = _Constant().fit(None, None)
    X = np.zeros((20, 1))
    assert get_scorer("neg_skce")(model, X, y) > 0
    for name in ("neg_kce", "neg_mmce"):
        assert_allclose(get_scorer(name)(model, X, y), 0, rtol=0, atol=1e-8)
        assert get_scorer(name)(_Constant(0.6).fit(X, y), X, y) < -0.09
    assert "cannot choose between calibrated models" in " ".join(get_scorer.__doc__.split())


def test_a_classifier_without_probabilities_is_refused_by_every_scorer():
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.max(axis=0)
    for name in get_scorer_names():
        with pytest.raises((AttributeError, ValueError), match="predict_proba"):
            cross_val_score(LinearSVC(), X, y, cv=2, scoring=get_scorer(name), error_score="raise")


def test_a_pickled_scorer_gives_the_same_score():
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    for name in get_scorer_names():
        for scorer in (get_scorer(name), getattr(metrics, f"{name}_scorer")):
            assert pickle.loads(pickle.dumps(scorer))(model, X, y) == scorer(model, X, y)


def test_estimators_of_the_package_are_classifiers_so_that_folds_are_stratified():
    """Every estimator of the package is a classifier, so splits are stratified."""
    y = [0, 1] * 6
    calibrators = [sklearn_calib.OneVsRestCalibrator(), sklearn_calib.OneVsRestCalibrator("platt")]
    wrappers = [sklearn_calib.CalibratedClassifier(GaussianNB(), c) for c in calibrators]
    for estimator in calibrators + wrappers:
        assert is_classifier(estimator)
        splitter = check_cv(3, y, classifier=is_classifier(estimator))
        assert isinstance(splitter, StratifiedKFold)


class _OneColumn(_Constant):
    def predict_proba(self, X):
        return np.ones((len(X), 1))


def test_a_model_of_one_class_is_refused_by_every_scorer():
    X = np.zeros((2, 1))
    model = _OneColumn(classes=[1]).fit(X, None)
    for name in get_scorer_names():
        for y in ([1, 1], [0, 1]):
            with pytest.raises(ValueError, match="only one class"):
                get_scorer(name)(model, X, y)


def test_a_probability_of_zero_for_a_class_that_occurs_keeps_every_score_finite():
    """Isotonic regression says 0 for a class that occurs: only a fitted slope is infinite."""
    x, y = np.arange(30.0), np.array([0] * 10 + [0, 1] * 5 + [1] * 10)
    p = IsotonicRegression(out_of_bounds="clip").fit(x, y).predict(x)
    assert {0.0, 1.0} < set(p)
    y = y[::-1]
    for name, metric in METRICS.items():
        of_the_slope = name in ("calibration_slope", "calibration_intercept_joint")
        assert np.isfinite(metric(y, p)) != of_the_slope
    scorer = make_calibration_scorer(ece)
    assert scorer(_Constant(0.0).fit(None, None), np.zeros((4, 1)), [0, 1, 1, 1]) == -0.75


def test_grid_search_selects_by_a_proper_score_and_shows_the_others():
    X, y = load_breast_cancer(return_X_y=True)
    scoring = {name: get_scorer(name) for name in ["neg_log_loss", *PLAIN]}
    grid = {"var_smoothing": [1e-9, 1e-3, 1.0]}
    search = GridSearchCV(GaussianNB(), grid, scoring=scoring, refit="neg_log_loss", cv=3)
    search.fit(X, y)
    assert search.best_score_ == search.cv_results_["mean_test_neg_log_loss"].max()
    for name in PLAIN:
        assert np.isfinite(search.cv_results_[f"mean_test_{name}"]).all()
    assert repr(clone(search).scoring) == repr(scoring)


@every
def test_an_estimator_without_probabilities_is_named(name):
    X, y = scorer_data(2)
    for model in (LinearSVC(), LinearRegression()):
        with pytest.raises(AttributeError, match="predict_proba"):
            get_scorer(name)(model.fit(X, y), X, y)


class _OneClass(ClassifierMixin, BaseEstimator):
    """What scikit-learn's naive Bayes and trees do when they see one class."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.ones((len(X), 1))


@every
def test_an_estimator_of_one_class_is_refused_by_name(name):
    X = np.zeros((4, 1))
    for label in (1, "a"):
        model = _OneClass().fit(X, [label] * 4)
        with pytest.raises(ValueError, match=rf"_OneClass has seen only one class.*{label}.*strat"):
            get_scorer(name)(model, X, [label] * 4)


@every
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_label_the_estimator_never_saw_is_named(name, n_classes):
    X, y = scorer_data(n_classes)
    model = GaussianNB().fit(X, y)
    y = np.where(np.arange(120) == 5, 99, y)
    with pytest.raises(ValueError, match=r"y_true contains \[99\].*labels="):
        get_scorer(name)(model, X, y)


def test_an_error_in_one_fold_follows_error_score():
    X, y = scorer_data(2)
    y = np.where(np.arange(120) == 5, 99, y)
    with pytest.warns(UserWarning, match=r"y_true contains \[99\].*training fold"):
        scores = cross_val_score(GaussianNB(), X, y, cv=KFold(3), scoring=neg_ece_scorer)
    assert np.isnan(scores).tolist() == [True, False, False]


@pytest.mark.parametrize(
    "name",
    # A certain prediction that fails is infinitely many standard deviations off.
    [name for name in PLAIN if name not in {*BLIND_TO_CONSTANTS, "neg_multicalibration_error"}],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_better_calibrated_constant_model_wins(name, n_classes):
    """Base rates against a certain prediction of one class: the sign must not be lost."""
    y = np.arange(120) % n_classes
    X = np.random.default_rng(3).normal(size=(120, 1))
    grid = {"strategy": ["constant", "prior"]}
    search = GridSearchCV(DummyClassifier(constant=0), grid, scoring=get_scorer(name), cv=3)
    assert search.fit(X, y).best_params_ == {"strategy": "prior"}
