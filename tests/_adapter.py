"""Put any calibrator behind a plain classifier, so that it can be fed arbitrary features."""

import numpy as np
from scipy.special import logit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data


class CalibratorAdapter(ClassifierMixin, BaseEstimator):
    """Any X -> probabilities of a nearest-centroid model -> calibrator.

    The model is fitted on the same rows, which is wrong for use and right for a contract test:
    its weights act exactly as repetition, so whatever deviates is the calibrator's doing. Scores
    come on the scale that the calibrator declares, one column for two classes; a calibrator that
    takes features gets all columns and two features, the first and the last column of X, because
    training would be compiled anew for each number of features.
    """

    def __init__(self, calibrator):
        self.calibrator = calibrator

    def fit(self, X, y, sample_weight=None):
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self._labels = np.unique(y[weight > 0])
        indicators = (y[:, np.newaxis] == self._labels) * weight[:, np.newaxis]
        self.centroids_ = indicators.T @ X / indicators.sum(axis=0)[:, np.newaxis]
        self.spread_ = weight @ np.square(X - weight @ X / weight.sum()) / weight.sum()
        self.calibrator_ = clone(self.calibrator).fit(self._scores(X), y, sample_weight)
        self.classes_ = self.calibrator_.classes_
        return self

    def predict_proba(self, X):
        check_is_fitted(self)
        return self.calibrator_.predict_proba(
            self._scores(validate_data(self, X, dtype=np.float64, reset=False))
        )

    def predict(self, X):
        check_is_fitted(self)
        return self.calibrator_.predict(
            self._scores(validate_data(self, X, dtype=np.float64, reset=False))
        )

    def _scores(self, X):
        difference = X[:, np.newaxis, :] - self.centroids_
        distance = (np.square(difference) / np.maximum(self.spread_, 1e-300)).sum(axis=2)
        proba = softmax(-distance / 2, axis=1)
        if self.calibrator.takes_features:
            return np.hstack([proba, X[:, [0, -1]]])
        if self._labels.size == 2:
            proba = proba[:, [1]]
        if self.calibrator.input_scale == "probability":
            return proba
        proba = np.clip(proba, 1e-15, 1 - 1e-15)
        several = self.calibrator.input_scale == "log_probability" and self._labels.size > 2
        return np.log(proba) if several else logit(proba)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = get_tags(self.calibrator).classifier_tags.multi_class
        return tags
