"""Stop boosting early on rows that are split off inside `fit`.

Inside `CalibratedClassifier`, each fold then splits off validation rows of its own, from its
training rows.
"""

from inspect import signature

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import train_test_split


class EarlyStopping(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier of XGBoost, LightGBM or CatBoost with validation rows of its own.

    Parameters
    ----------
    estimator : classifier
        It stops early if its `fit` is given validation rows.
    validation_fraction : float, default=0.1
        Share of the rows that decide when to stop.
    fit_params : dict, default=None
        Further arguments of `fit`, such as LightGBM's ``callbacks``.
    random_state : int, default=0
        Makes the split.
    """

    def __init__(self, estimator, *, validation_fraction=0.1, fit_params=None, random_state=0):
        self.estimator = estimator
        self.validation_fraction = validation_fraction
        self.fit_params = fit_params
        self.random_state = random_state

    def fit(self, X, y):
        """Split the rows, and fit a clone of the classifier that stops on the smaller part."""
        X_train, X_stop, y_train, y_stop = train_test_split(
            X, y, test_size=self.validation_fraction, stratify=y, random_state=self.random_state
        )
        self.estimator_ = clone(self.estimator)
        rows = {"eval_set": [(X_stop, y_stop)]}
        if "eval_X" in signature(self.estimator_.fit).parameters:  # LightGBM 4.7 or later
            rows = {"eval_X": (X_stop,), "eval_y": (y_stop,)}
        self.estimator_.fit(X_train, y_train, **rows, **self.fit_params or {})
        self.classes_ = self.estimator_.classes_
        return self

    def predict_proba(self, X):
        """Return the probabilities of the classifier."""
        return self.estimator_.predict_proba(X)

    def predict(self, X):
        """Return the classes of the classifier."""
        return self.estimator_.predict(X)
