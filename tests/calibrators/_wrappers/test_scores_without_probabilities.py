"""Calibrators of probabilities behind classifiers that have `decision_function` alone."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from sklearn_calib.calibrators import (
    BetaCalibrator,
    CalibratedClassifier,
    HistogramCalibrator,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
)
from sklearn_calib.calibrators._wrappers.calibrated_pair import UnitRange
from tests._spies import Recorder

METHODS = [
    "platt",
    "beta",
    "isotonic",
    "histogram",
    "temperature",
    "centered_isotonic",
    "venn_abers",
]
CLASSIFIERS = [LinearSVC(), SGDClassifier(random_state=0), RidgeClassifier()]


def two_classes(n_samples=300):
    return make_classification(n_samples=n_samples, flip_y=0.2, random_state=0)


def without_pseudo_rows(calibrator):
    """Return a step function that is the plain rate of its rows, where it has the choice."""
    if "pseudo_count" in calibrator.get_params():
        calibrator.set_params(pseudo_count=0)
    return calibrator


class OneScore(ClassifierMixin, BaseEstimator):
    """A classifier whose score is the first column of X."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_every_method_works_behind_every_classifier_of_scores(classifier, method, load):
    X, y = load(return_X_y=True)
    model = CalibratedClassifier(make_pipeline(StandardScaler(), classifier), method)
    proba = model.fit(X[::2], y[::2]).predict_proba(X[1::2])
    assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    # The base rates are the least to beat.
    rate = np.bincount(y[::2]) / len(y[::2])
    constant = log_loss(y[1::2], np.tile(rate, (len(proba), 1)))
    floor = np.clip(proba, 1e-3, None)
    assert log_loss(y[1::2], floor / floor.sum(axis=1, keepdims=True)) < constant


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_isotonic_reads_the_scores_as_scikit_learn_does(load, ensemble):
    X, y = load(return_X_y=True)
    model = make_pipeline(StandardScaler(), RidgeClassifier())
    calibrator = OneVsRestCalibrator(without_pseudo_rows(IsotonicCalibrator()))
    ours = CalibratedClassifier(model, calibrator, ensemble=ensemble).fit(X, y)
    theirs = CalibratedClassifierCV(model, method="isotonic", cv=5, ensemble=ensemble).fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7, atol=1e-9)


def test_bins_of_scores_are_equally_wide():
    # Four bins between -2 and 2, in which 0, 1, 1 and 2 of 2 labels are positive.
    score = np.array([-2.0, -1.5, -0.9, -0.1, 0.1, 0.9, 1.5, 2.0])
    y = np.array([0, 0, 0, 1, 1, 0, 1, 1])
    histogram = without_pseudo_rows(HistogramCalibrator(n_bins=4))
    model = CalibratedClassifier(FrozenEstimator(OneScore().fit(score, y)), histogram)
    fitted = model.fit(score[:, None], y)
    proba = fitted.predict_proba([[-9.0], [-1.1], [-0.5], [0.5], [1.1], [9.0]])[:, 1]
    assert_allclose(proba, [0.0, 0.0, 0.5, 0.5, 1.0, 1.0], atol=1e-12)


@pytest.mark.parametrize("calibrator", [IsotonicCalibrator(), HistogramCalibrator()])
@pytest.mark.parametrize("factor", [1e-300, 7.0, 1e300])
def test_the_unit_of_the_scores_does_not_matter(calibrator, factor):
    X, y = two_classes()
    score = LinearSVC().fit(X, y).decision_function(X)[:, None]
    model = CalibratedClassifier(FrozenEstimator(OneScore().fit(X, y)), calibrator)
    plain = clone(model).fit(score, y).predict_proba(score)
    assert_allclose(
        clone(model).fit(factor * score, y).predict_proba(factor * score), plain, atol=1e-9
    )


def test_constant_scores_are_the_base_rate():
    X, y = np.full((50, 1), 3.0), np.arange(50) % 5 == 0
    for calibrator in (IsotonicCalibrator(), HistogramCalibrator(), BetaCalibrator()):
        fitted = CalibratedClassifier(OneScore(), calibrator).fit(X, y)
        assert_allclose(fitted.predict_proba([[3.0]])[:, 1], 0.2, atol=0.02)


@pytest.mark.parametrize("weighted", [False, True])
def test_other_calibrators_read_the_probabilities_of_a_platt_step(weighted):
    X, y = two_classes()
    weight = np.where(y == 1, 3.0, 1.0) if weighted else None
    fitted = CalibratedClassifier(LinearSVC(), Recorder()).fit(X, y, sample_weight=weight)
    params = {"sample_weight": weight} if weighted else None
    scores = cross_val_predict(LinearSVC(), X, y, method="decision_function", params=params)
    platt = PlattCalibrator().fit(scores, y, weight)
    expected = expit(platt.slope_ * scores + platt.intercept_)
    assert_allclose(fitted.calibrator_.S_[:, 0], expected, rtol=1e-9)
    fitted.predict_proba(X)
    new = LinearSVC().fit(X, y, weight).decision_function(X)
    expected = expit(platt.slope_ * new + platt.intercept_)
    assert_allclose(fitted.calibrator_.seen_at_predict_[:, 0], expected, rtol=1e-9)


def test_a_platt_step_for_each_of_more_classes():
    X, y = load_iris(return_X_y=True)
    fitted = CalibratedClassifier(LinearSVC(), Recorder()).fit(X, y)
    scores = cross_val_predict(LinearSVC(), X, y, method="decision_function")
    expected = OneVsRestCalibrator("platt").fit(scores, y).predict_proba(scores)
    assert_allclose(fitted.calibrator_.S_, expected, rtol=1e-9)


def test_any_classifier_may_be_the_calibrator_of_scores():
    X, y = two_classes()
    fitted = CalibratedClassifier(LinearSVC(), LogisticRegression(), passthrough=[0]).fit(X, y)
    assert fitted.calibrator_.n_features_in_ == 3


# Names of methods


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_a_name_stands_for_the_calibrator(method, load):
    X, y = load(return_X_y=True)
    named = CalibratedClassifier(GaussianNB(), method).fit(X, y)
    if np.unique(y).size == 2 or method != "temperature":
        expected = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator(method)).fit(X, y)
        # One temperature is found on log-odds or on log-probabilities.
        rtol = 1e-6 if method == "temperature" else 0.0
        assert_allclose(named.predict_proba(X), expected.predict_proba(X), rtol=rtol)
    assert named.calibrator == method


def test_sigmoid_is_platt():
    X, y = two_classes()
    sigmoid, platt = (
        CalibratedClassifier(GaussianNB(), name).fit(X, y).predict_proba(X)
        for name in ("sigmoid", "platt")
    )
    assert_array_equal(sigmoid, platt)


def test_no_calibrator_is_a_calibrator_of_the_package():
    X, y = two_classes()
    fitted = CalibratedClassifier(GaussianNB()).fit(X, y)
    raw = GaussianNB().fit(X, y)
    assert log_loss(y, fitted.predict_proba(X)) < log_loss(y, raw.predict_proba(X))


def test_names_take_weights_with_and_without_routing():
    X, y = two_classes()
    weight = np.where(y == 1, 3.0, 1.0)
    plain = CalibratedClassifier(GaussianNB(), "isotonic").fit(X, y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        classifier = GaussianNB().set_fit_request(sample_weight=True)
        routed = CalibratedClassifier(classifier, "isotonic").fit(X, y, sample_weight=weight)
    assert_array_equal(routed.predict_proba(X), plain.predict_proba(X))


def test_unknown_names_are_listed():
    X, y = two_classes()
    message = r"'calibrator' parameter.*'isotonic', .*'platt'.*Got 'iso'"
    with pytest.raises(ValueError, match=message):
        CalibratedClassifier(GaussianNB(), "iso").fit(X, y)
    repr(CalibratedClassifier(GaussianNB(), "iso"))


def test_habits_of_scikit_learn_are_explained():
    X, y = two_classes()
    with pytest.raises(ValueError, match=r"Got 'prefit' instead.*FrozenEstimator\(classifier\)"):
        CalibratedClassifier(GaussianNB(), "isotonic", cv="prefit").fit(X, y)
    with pytest.raises(TypeError, match=r"no argument method=; .*calibrator=.*'isotonic'"):
        CalibratedClassifier(GaussianNB(), method="isotonic")
    with pytest.raises(TypeError, match="unexpected keyword argument 'metod'"):
        CalibratedClassifier(GaussianNB(), metod="isotonic")
    assert list(CalibratedClassifier(GaussianNB()).get_params(deep=False)) == [
        "calibrator",
        "cv",
        "ensemble",
        "estimator",
        "n_jobs",
        "passthrough",
    ]


def test_the_range_of_the_calibration_scores_becomes_zero_to_one():
    unit = UnitRange(np.array([[-3.0, 2.0], [1.0, 2.0], [0.0, 2.0]]))
    scores = np.array([[-3.0, 2.0], [-2.0, 5.0], [1.0, 2.0], [-9.0, 2.0], [9.0, 2.0]])
    assert_array_equal(unit(scores)[:, 0], [0.0, 0.25, 1.0, 0.0, 1.0])
    assert_array_equal(unit(scores)[:, 1], 0.5)  # equal scores have no range


def test_a_range_of_the_largest_numbers_does_not_overflow():
    most = np.finfo(float).max
    unit = UnitRange(np.array([[-most], [most]]))
    assert_allclose(unit(np.array([[-most], [0.0], [most]]))[:, 0], [0.0, 0.5, 1.0])
