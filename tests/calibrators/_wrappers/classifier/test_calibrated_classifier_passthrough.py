"""CalibratedClassifier: features that reach the calibrator beside the probabilities."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, PredefinedSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from sklearn_calib.calibrators import CalibratedClassifier, IsotonicCalibrator
from tests._spies import Recorder
from tests.calibrators._wrappers._data import WRAPPERS, frame, two_classes, weighted_data


def features_seen(X, y, passthrough, takes_features=True, **kwargs):
    calibrated = CalibratedClassifier(
        GaussianNB(), Recorder(takes_features=takes_features), passthrough=passthrough, **kwargs
    ).fit(X, y)
    calibrated.predict_proba(X)
    return calibrated.calibrators_[0].S_[:, 2:], calibrated.calibrators_[0].seen_at_predict_[:, 2:]


def test_passthrough_of_columns():
    X, y = two_classes()
    for passthrough, expected in [
        ("auto", X),
        (True, X),
        ([3, 0], X[:, [3, 0]]),
        (np.array([1]), X[:, [1]]),
        (False, X[:, :0]),
    ]:
        for seen in features_seen(X, y, passthrough):
            assert_array_equal(seen, expected)
    for seen in features_seen(X.tolist(), y, [4]):
        assert_array_equal(seen, X[:, [4]])
    for seen in features_seen(pd.DataFrame(X, columns=list("abcde")), y, ["e", "a"]):
        assert_array_equal(seen, X[:, [4, 0]])
    for seen in features_seen(pd.DataFrame(X, columns=list("abcde")), y, [4, 0]):
        assert_array_equal(seen, X[:, [4, 0]])


def test_auto_is_none_for_calibrators_of_scores():
    X, y = two_classes()
    fitted = CalibratedClassifier(GaussianNB(), Recorder(takes_features=False)).fit(X, y)
    assert fitted.calibrator_.S_.shape == (200, 1)
    with pytest.raises(ValueError, match="passthrough=True hands features on, but calibrator=Iso"):
        CalibratedClassifier(GaussianNB(), IsotonicCalibrator(), passthrough=True).fit(X, y)


def test_any_classifier_over_probabilities_and_features():
    X, y = two_classes()
    stacked = CalibratedClassifier(GaussianNB(), LogisticRegression(), passthrough=True).fit(X, y)
    assert stacked.calibrator_.n_features_in_ == 2 + 5
    plain = CalibratedClassifier(GaussianNB(), LogisticRegression()).fit(X, y)
    assert plain.calibrator_.n_features_in_ == 1


class TargetMeans(TransformerMixin, BaseEstimator):
    """Supervised, so that it leaks unless it is fitted on the training rows."""

    def fit(self, X, y):
        self.mean_ = np.mean(y)
        self.rows_ = len(y)
        return self

    def transform(self, X):
        return np.full((len(X), 1), self.mean_)


def test_passthrough_transformers_are_fitted_on_the_training_rows():
    X, y = two_classes()
    cv = KFold(4, shuffle=True, random_state=0)
    seen, at_predict = features_seen(X, y, TargetMeans(), cv=cv)
    for train, test in cv.split(X):
        assert_allclose(seen[test], y[train].mean(), rtol=1e-15)
    assert_allclose(at_predict, y.mean(), rtol=1e-15)

    seen, at_predict = features_seen(X, y, TargetMeans(), cv=cv, ensemble=True)
    train, _ = next(cv.split(X))
    assert_allclose(np.r_[seen, at_predict], y[train].mean(), rtol=1e-15)


def test_frozen_classifiers_still_cross_fit_a_transformer():
    X, y = two_classes()
    calibrated = CalibratedClassifier(
        FrozenEstimator(GaussianNB().fit(X, y)),
        Recorder(takes_features=True),
        passthrough=TargetMeans(),
        cv=KFold(4),
    ).fit(X, y)
    for train, test in KFold(4).split(X):
        assert_allclose(calibrated.calibrator_.S_[test, 2], y[train].mean(), rtol=1e-15)
    fixed = FrozenEstimator(TargetMeans().fit(X, np.ones(200)))
    assert_array_equal(features_seen(X, y, fixed)[0], np.ones((200, 1)))


def test_weights_of_passthrough_transformers():
    X, y, weight = weighted_data()
    expected = StandardScaler().fit(X, sample_weight=weight).transform(X)
    calibrated = CalibratedClassifier(
        GaussianNB(), Recorder(takes_features=True), passthrough=StandardScaler()
    )
    calibrated.fit(X, y, sample_weight=weight).predict_proba(X)
    assert_allclose(calibrated.calibrator_.seen_at_predict_[:, 2:], expected, rtol=1e-12)

    with sklearn.config_context(enable_metadata_routing=True):
        calibrated = CalibratedClassifier(
            GaussianNB().set_fit_request(sample_weight=False),
            Recorder(takes_features=True).set_fit_request(sample_weight=False),
            passthrough=StandardScaler().set_fit_request(sample_weight=True),
        )
        calibrated.fit(X, y, sample_weight=weight).predict_proba(X)
    assert_allclose(calibrated.calibrator_.seen_at_predict_[:, 2:], expected, rtol=1e-12)


def test_features_must_be_numbers():
    table, y, model = frame()
    reads_features = Recorder(takes_features=True)
    text = [f"word{i % 7}" for i in range(200)]
    for X, base in [
        (table, model),
        (text, make_pipeline(TfidfVectorizer(), LogisticRegression())),
    ]:
        with pytest.raises(ValueError, match=r"numeric.*chosen by passthrough="):
            CalibratedClassifier(base, reads_features).fit(X, y)
    numbers = CalibratedClassifier(model, reads_features, passthrough=["a", "b"]).fit(table, y)
    assert_array_equal(numbers.calibrator_.S_[:, 2:], table[["a", "b"]])
    length = FunctionTransformer(lambda texts: [[len(t)] for t in texts])
    fitted = CalibratedClassifier(
        make_pipeline(TfidfVectorizer(), LogisticRegression()), reads_features, passthrough=length
    ).fit(text, y)
    assert_array_equal(fitted.calibrator_.S_[:, 2], 5.0)


def test_sparse_features():
    X, y = two_classes()
    S = sparse.csr_array(X)
    calibrated = CalibratedClassifier(LogisticRegression(), Recorder(takes_features=True))
    with pytest.raises(ValueError, match="passthrough= would turn all columns of the sparse X"):
        calibrated.fit(S, y)
    for passthrough in ([2], FunctionTransformer(lambda S: S[:, [2]], accept_sparse=True)):
        calibrated.set_params(passthrough=passthrough).fit(S, y)
        assert_array_equal(calibrated.calibrator_.S_[:, 2], X[:, 2])


def test_features_of_different_width_are_named():
    X, y = two_classes()
    X[:, 0] = np.arange(200) // 40
    with pytest.raises(ValueError, match=r"gives \[4, 5\] columns in different"):
        features_seen(
            X,
            y,
            ColumnTransformer([("x", OneHotEncoder(handle_unknown="ignore"), [0])]),
            cv=PredefinedSplit(np.where(X[:, 0] == 0, 0, 1 + np.arange(200) % 2)),
        )


@pytest.mark.parametrize("columns", [[20], ["zz"], ["c1", 2], [1.5]])
def test_passthrough_that_chooses_no_column_is_named(columns):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(
        ValueError, match=r"passthrough=.* does not choose columns of X, which has 13"
    ):
        WRAPPERS["CrossFitTransformer"](passthrough=columns).fit_transform(X, y)
