"""Scores that compare pairs of classes are not taken for scores of classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_blobs
from sklearn.ensemble import BaggingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC

from sklearn_calib.calibrators import CalibratedClassifier, OneVsRestCalibrator
from sklearn_calib.calibrators._wrappers.pair_scores import class_scores, scores_pairs


def on_a_line(n_classes=3, n_samples=300):
    centers = [[4 * k, 0] for k in range(n_classes)]
    return make_blobs(n_samples, centers=centers, random_state=0)


class Delegates(ClassifierMixin, BaseEstimator):
    """A wrapper that scikit-learn does not know and that shows no parameter of the SVC."""

    def fit(self, X, y):
        self.model_ = SVC(kernel="linear", decision_function_shape=self.shape).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def decision_function(self, X):
        return self.model_.decision_function(X)

    def predict(self, X):
        return self.model_.predict(X)


class DelegatesOvo(Delegates):
    shape = "ovo"


class DelegatesOvr(Delegates):
    shape = "ovr"


def svc(shape, kind=SVC, **options):
    return kind(kernel="linear", decision_function_shape=shape, **options)


WRAPPED = {
    "alone": lambda shape: svc(shape),
    "nu": lambda shape: svc(shape, NuSVC, nu=0.3),
    "pipeline": lambda shape: make_pipeline(StandardScaler(), svc(shape)),
    "grid": lambda shape: GridSearchCV(svc(shape), {"C": [1.0]}, cv=3),
    "the grid chooses the shape": lambda shape: GridSearchCV(
        svc("ovr"), {"decision_function_shape": [shape]}, cv=3
    ),
    "grid of pipeline": lambda shape: GridSearchCV(
        make_pipeline(StandardScaler(), svc(shape)), {"svc__C": [1.0]}, cv=3
    ),
    "bagging": lambda shape: BaggingClassifier(svc(shape), n_estimators=3, random_state=0),
    "frozen": lambda shape: FrozenEstimator(svc(shape).fit(*on_a_line())),
    "unknown wrapper": lambda shape: DelegatesOvo() if shape == "ovo" else DelegatesOvr(),
}


def test_the_probabilities_of_three_classes_on_a_line():
    X, y = on_a_line()
    calibrated = CalibratedClassifier(svc("ovo"), OneVsRestCalibrator("platt")).fit(X, y)
    assert_allclose(calibrated.predict_proba([[0, 0]]), [[0.96, 0.04, 0.0]], atol=5e-3)


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("wrapped", WRAPPED)
def test_ovo_gives_what_ovr_gives(wrapped, ensemble):
    X, y = on_a_line()
    proba = [
        CalibratedClassifier(
            WRAPPED[wrapped](shape), OneVsRestCalibrator("platt"), cv=3, ensemble=ensemble
        )
        .fit(X, y)
        .predict_proba(X)
        for shape in ("ovo", "ovr")
    ]
    assert_allclose(proba[0], proba[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_classes", [4, 5])
def test_more_classes_have_more_pairs_than_classes(n_classes):
    X, y = on_a_line(n_classes)
    proba = [
        CalibratedClassifier(svc(shape), OneVsRestCalibrator("platt")).fit(X, y).predict_proba(X)
        for shape in ("ovo", "ovr")
    ]
    assert_allclose(proba[0], proba[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "classifier",
    [svc("ovr"), LinearSVC(), OneVsRestClassifier(svc("ovo"))],
    ids=["ovr", "one score a class", "pairs of two classes inside"],
)
def test_class_scores_stay_as_they_are(classifier):
    X, y = on_a_line()
    fitted = clone(classifier).fit(X, y)
    assert not scores_pairs(fitted, X, fitted.classes_)


def test_sorted_rows_show_every_class():
    X, y = on_a_line(n_samples=3000)
    order = np.argsort(y)
    fitted = svc("ovo").fit(X[order], y[order])
    assert scores_pairs(fitted, X[order], fitted.classes_)


def test_votes_come_first_and_margins_break_their_ties():
    # Class 0 beats 1, class 2 beats 0, class 1 beats 2: one vote each, margins 2 - 1, 3 - 2, 1 - 3.
    scores = class_scores(np.array([[2.0, -1.0, 3.0]]), 3)
    margins = np.array([2.0 - 1.0, 3.0 - 2.0, 1.0 - 3.0])
    assert_allclose(scores[0], 1.0 + margins / (3.0 * (np.abs(margins) + 1.0)), rtol=1e-15)
