"""The rows of the table that fit models: wrappers of classifiers and tests by cross-validation."""

import inspect
from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from sklearn_calib import calibrators, inference
from sklearn_calib.base import BaseCalibrator
from sklearn_calib.calibrators import OneVsRestCalibrator
from tests.properties._options import forms_of, parameters, small
from tests.properties._table import DRAWN, Subject

N_FEATURES = 2


class Recalls(ClassifierMixin, BaseEstimator):
    """A classifier that finds its predictions in the first columns of its features.

    Parameters
    ----------
    dtype : str
        The type of its predictions.
    learns : bool
        Whether it multiplies them by how often it has seen each class.
    """

    def __init__(self, dtype="f8", learns=False):
        self.dtype = dtype
        self.learns = learns

    def fit(self, X, y, sample_weight=None):
        """Count the classes."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        counts = np.bincount(codes, sample_weight)
        self.rates_ = counts / counts.sum()
        return self

    def predict_proba(self, X):
        """Return the predictions."""
        P = X[:, :-N_FEATURES]
        if not self.learns:
            return P.astype(self.dtype)
        P = P * (0.5 + self.rates_)
        return P / P.sum(axis=1, keepdims=True)


def _model(rows, learns):
    return Recalls(dtype=rows.proba.dtype.str, learns=learns)


def _table(proba, X):
    """Return predictions and features side by side."""
    proba = np.column_stack([1 - proba, proba]) if proba.ndim == 1 else proba
    proba = np.column_stack([1 - proba, proba]) if proba.shape[1] == 1 else proba
    return np.column_stack([proba, X])


def _halves(rows):
    """Return the folds: the rows of each group are tested by what the other one has taught."""
    return [(np.flatnonzero(rows.group != g), np.flatnonzero(rows.group == g)) for g in "ab"]


def _wrap(kind, rows, options):
    """Fit a wrapper; return what it says of new rows, and of its own as long as they are unseen."""
    options = dict(options)
    made = kind(_model(rows, options.pop("learns", False)), cv=_halves(rows), **options)
    X = _table(rows.proba, rows.X)
    query = _table(rows.query, rows.query_features)
    if hasattr(made, "predict_proba"):
        return {"proba": made.fit(X, rows.labels, rows.weight).predict_proba(query)}
    own = made.fit_transform(X, rows.labels, rows.weight)
    new = made.transform(query)
    k = rows.n_classes
    return {
        "own": own[:, :k],
        "own_features": own[:, k:][:, -N_FEATURES:],
        "proba": new[:, :k],
        "features": new[:, k:][:, -N_FEATURES:],
    }


def wrapper_subjects():
    """Return the estimators that fit a classifier and are no calibrators themselves."""
    return [
        _wrapper(kind)
        for name in calibrators.__all__
        for kind in [getattr(calibrators, name)]
        if not issubclass(kind, BaseCalibrator)
    ]


def _wrapper(kind):
    forms = forms_of(kind)
    calibrates = "calibrator" in parameters(kind)
    if calibrates:
        # Of the maps, this one has no prior, and moves little where predictions do.
        learned = {"calibrator": "temperature", "learns": True}
        forms += [{"calibrator": name} for name in OneVsRestCalibrator.get_method_names()]
        forms += [learned, {**learned, "ensemble": True}]
    else:
        forms += [{"learns": True}, {"learns": True, "passthrough": True}]
    return Subject(
        name=f"calibrators.{kind.__name__}",
        evaluate=partial(_wrap, kind),
        forms=tuple(forms),
        takes=parameters(kind) | {"y_true", "sample_weight"},
        kind="model",
        classes=(2, 3),
        every_class=True,
        columns=("proba", "own"),
        by_row=("own", "own_features"),
        cost=4 if calibrates else 1,
        rtol=0.0,
        atol=1e-7 if calibrates else 1e-12,
    )


def validation_subjects():
    """Return the functions of `inference` that take an estimator."""
    return [
        Subject(
            name=f"inference.{name}",
            evaluate=partial(_validate, function),
            forms=(
                {},
                {"learns": True},
                {"local": _features, "prob_bandwidth": 0.5, "feature_bandwidth": 1.0},
                {"statistic": "cox_score", "target": "confidence", "learns": True},
            ),
            takes=parameters(function) | {"y_true"},
            kind="function",
            classes=(2, 3),
            every_class=True,
            drawn=(*DRAWN, "fold_pvalues"),
            cost=4,
        )
        for name in inference.__all__
        for function in [getattr(inference, name)]
        if inspect.isfunction(function) and "estimator" in parameters(function)
    ]


def _features(X):
    return X[:, -N_FEATURES:]


def _validate(function, rows, options):
    options = {"n_resamples": 19, **small(function), **options}
    return function(
        _model(rows, options.pop("learns", False)),
        _table(rows.proba, rows.X),
        rows.labels,
        cv=_halves(rows),
        params=None if rows.weight is None else {"sample_weight": rows.weight},
        sample_weight=rows.weight,
        **options,
    )
