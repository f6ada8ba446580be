"""Estimators that notice when a row is scored by a model that saw it.

The first column of `X` names what must stay together: a row, or a group of rows. The classifier
gives the same probability to all classes for what it saw in `fit` and never otherwise, the
transformer gives 1 and 0; the calibrator refuses to be fitted on what was seen. The evidence
travels in the numbers themselves, so it survives cloning, pickling and worker processes.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted


class LeakError(Exception):
    """A calibrator was given the scores of rows that the model had seen."""


def spy_data(n_samples=60, n_classes=2, n_groups=None, seed=0):
    """Return `X` with a row or group number in its first column, and labels."""
    rng = np.random.default_rng(seed)
    names = np.arange(n_samples) if n_groups is None else np.arange(n_samples) % n_groups
    y = rng.permutation(np.arange(n_samples) % n_classes)
    return np.column_stack([names, rng.normal(size=n_samples) + y]), y


class SpyClassifier(ClassifierMixin, BaseEstimator):
    """Gives all classes the same probability for rows seen in `fit`, and only for these."""

    def __init__(self, tilt=0.3):
        self.tilt = tilt

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.seen_ = np.unique(X[:, 0])
        return self

    def predict_proba(self, X):
        check_is_fitted(self)
        favourite = (X[:, 1] > 0.5).astype(int)
        n_classes = self.classes_.size
        proba = np.full((len(X), n_classes), (1.0 - self.tilt) / n_classes)
        proba[np.arange(len(X)), favourite] += self.tilt
        proba[np.isin(X[:, 0], self.seen_)] = 1.0 / n_classes
        return proba

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class SpyTransformer(TransformerMixin, BaseEstimator):
    """Gives one for rows seen in `fit` and zero for others."""

    def fit(self, X, y=None):
        self.seen_ = np.unique(X[:, 0])
        return self

    def transform(self, X):
        return np.isin(X[:, :1], self.seen_).astype(float)


class SpyCalibrator(ClassifierMixin, BaseEstimator):
    """Raises `LeakError` in `fit` if a row of `S` was seen by what made it.

    Parameters
    ----------
    n_features : int
        How many columns of a `SpyTransformer` follow the probabilities.
    shrink : float
        A parameter to search over.
    """

    def __init__(self, n_features=0, shrink=0.0):
        self.n_features = n_features
        self.shrink = shrink

    def fit(self, S, y, sample_weight=None):
        proba, features = self._split(S)
        self.classes_ = np.unique(y)
        seen = np.isclose(proba, 1.0 / proba.shape[1]).all(axis=1) | (features == 1.0).any(axis=1)
        if seen.any():
            raise LeakError(f"{seen.sum()} of {len(y)} rows were seen before")
        self.n_rows_ = len(y)
        return self

    def predict_proba(self, S):
        check_is_fitted(self)
        proba = self._split(S)[0]
        return (1.0 - self.shrink) * proba + self.shrink / proba.shape[1]

    def predict(self, S):
        return self.classes_[self.predict_proba(S).argmax(axis=1)]

    def _split(self, S):
        n_columns = S.shape[1] - self.n_features
        proba, features = S[:, :n_columns], S[:, n_columns:]
        return np.hstack([1.0 - proba, proba]) if n_columns == 1 else proba, features


class Recorder(ClassifierMixin, BaseEstimator):
    """A calibrator that keeps what it is given, and returns class frequencies."""

    def __init__(self, input_scale="probability", takes_features=False):
        self.input_scale = input_scale
        self.takes_features = takes_features

    def fit(self, S, y, sample_weight=None):
        self.S_, self.y_, self.sample_weight_ = S, y, sample_weight
        self.classes_, counts = np.unique(y, return_counts=True)
        self.share_ = counts / counts.sum()
        return self

    def predict_proba(self, S):
        self.seen_at_predict_ = S
        return np.tile(self.share_, (len(S), 1))

    def predict(self, S):
        return np.full(len(S), self.classes_[self.share_.argmax()])


class FixedScores(ClassifierMixin, BaseEstimator):
    """A classifier whose probability of the second class is the first column of `X`."""

    def __init__(self, dtype="float64"):
        self.dtype = dtype

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.n_fitted_ = len(y)
        return self

    def predict_proba(self, X):
        positive = np.asarray(X, dtype=float)[:, 0]
        return np.column_stack([1.0 - positive, positive]).astype(self.dtype)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
