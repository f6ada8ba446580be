"""CalibratedClassifier: what X may be, and the least that a classifier has to offer."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_wine
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from sklearn_calib.calibrators import (
    CalibratedClassifier,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
)
from tests.calibrators._wrappers._data import METHODS, WRAPPERS, frame, two_classes


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_text_reaches_the_classifier_as_it_came(ensemble, method):
    text = [f"{word} {i}" for i in range(10) for word in ("good work", "fun", "bad luck", "poor")]
    y = [1, 1, 0, 0] * 10
    y[3], y[9], y[20] = 1 - y[3], 1 - y[9], 1 - y[20]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    fitted = CalibratedClassifier(model, OneVsRestCalibrator(method), ensemble=ensemble)
    fitted.fit(text, y)
    assert fitted.predict_proba(text).shape == (40, 2)
    assert fitted.score(text, y) > 0.7
    assert not hasattr(fitted, "n_features_in_")


def test_dicts_reach_the_classifier_as_they_came():
    rows = [{"kind": "a" if i % 3 else "b", "size": i % 7} for i in range(60)]
    y = [int(row["size"] > 3) ^ int(i % 5 == 0) for i, row in enumerate(rows)]
    model = make_pipeline(DictVectorizer(), LogisticRegression())
    fitted = CalibratedClassifier(model, OneVsRestCalibrator()).fit(rows, y)
    assert fitted.predict_proba(rows[:3]).shape == (3, 2)


class ThreeDimensional(GaussianNB):
    def fit(self, X, y):
        return super().fit(X.reshape(len(X), -1), y)

    def predict_proba(self, X):
        return super().predict_proba(X.reshape(len(X), -1))


def test_arrays_of_three_dimensions_reach_the_classifier():
    X, y = two_classes()
    flat = CalibratedClassifier(GaussianNB(), IsotonicCalibrator()).fit(X, y)
    deep = CalibratedClassifier(ThreeDimensional(), IsotonicCalibrator())
    deep.fit(X[:, :, None], y)
    assert_array_equal(deep.predict_proba(X[:, :, None]), flat.predict_proba(X))


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.coo_matrix, sparse.csc_matrix])
def test_sparse_matrices_reach_the_classifier(container):
    X, y = two_classes()
    calibrated = CalibratedClassifier(LogisticRegression(), OneVsRestCalibrator())
    dense = clone(calibrated).fit(X, y).predict_proba(X)
    assert_allclose(calibrated.fit(container(X), y).predict_proba(container(X)), dense, atol=1e-5)


@pytest.mark.parametrize("ensemble", [False, True])
def test_data_frames_reach_the_classifier(ensemble):
    table, y, model = frame()
    fitted = CalibratedClassifier(model, OneVsRestCalibrator(), ensemble=ensemble).fit(table, y)
    fitted.predict_proba(table.set_index(np.arange(200)[::-1]))
    assert_array_equal(fitted.feature_names_in_, ["a", "b", "town"])
    assert fitted.n_features_in_ == 3


@pytest.mark.parametrize("ensemble", [False, True])
def test_names_and_counts_of_features(ensemble):
    X, y = two_classes()
    table = pd.DataFrame(X[:, :2], columns=["a", "b"])
    fitted = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator(), ensemble=ensemble)
    assert not hasattr(fitted, "n_features_in_")
    fitted.fit(table, y)
    assert_array_equal(fitted.feature_names_in_, ["a", "b"])
    assert fitted.n_features_in_ == 2
    with pytest.raises(ValueError, match=r"feature names should match.*(\n.*)+same order"):
        fitted.predict_proba(table[["b", "a"]])
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict_proba(table.assign(c=0.0))
    fitted.fit(X, y)
    assert not hasattr(fitted, "feature_names_in_")
    with pytest.raises(ValueError, match="X has 2 features, but GaussianNB is expecting 5"):
        fitted.predict_proba(X[:, :2])


def test_precomputed_kernels():
    X, y = two_classes()
    kernel = CalibratedClassifier(SVC(kernel="precomputed"), PlattCalibrator()).fit(X @ X.T, y)
    plain = CalibratedClassifier(SVC(kernel="linear"), PlattCalibrator()).fit(X, y)
    assert_allclose(kernel.predict_proba(X @ X.T), plain.predict_proba(X), rtol=1e-5)


class NotEvenAClassifier(BaseEstimator):
    """The least that works as a calibrator."""

    def fit(self, S, y):
        return self

    def predict_proba(self, S):
        return np.hstack([1.0 - S, S])


def test_the_least_that_works():
    X, y = two_classes()
    fitted = CalibratedClassifier(GaussianNB(), NotEvenAClassifier()).fit(X, y)
    assert_allclose(
        fitted.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X), rtol=1e-12, atol=1e-15
    )
    assert isinstance(fitted, ClassifierMixin)


@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)
def test_no_rows(wrapper):
    with pytest.raises(ValueError, match="X and y are empty"):
        wrapper().fit(np.empty((0, 3)), [])


class _OneRowTooFew(GaussianNB):
    def predict_proba(self, X):
        return super().predict_proba(X)[1:]


def test_a_classifier_that_loses_rows_is_named():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="_OneRowTooFew must give one row for each"):
        CalibratedClassifier(_OneRowTooFew(), OneVsRestCalibrator()).fit(X, y)
