"""No row is scored by a model that saw it, on any way a model and a calibrator are fitted."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.pipeline import make_pipeline

from sklearn_calib.calibrators import CalibratedClassifier, CrossFitTransformer
from sklearn_calib.calibrators._wrappers import calibrated_classifier as _calibrated_classifier
from sklearn_calib.calibrators._wrappers import cross_fitting as _cross_fitting
from tests._spies import LeakError, SpyCalibrator, SpyClassifier, SpyTransformer, spy_data


def calibrated(n_features=0, **kwargs):
    return CalibratedClassifier(SpyClassifier(), SpyCalibrator(n_features=n_features), **kwargs)


def pipeline(n_features=0, **kwargs):
    return make_pipeline(
        CrossFitTransformer(SpyClassifier(), **kwargs), SpyCalibrator(n_features=n_features)
    )


def grid(estimator, n_jobs=None, **parameters):
    return GridSearchCV(
        estimator, parameters, scoring="neg_log_loss", cv=3, n_jobs=n_jobs, error_score="raise"
    )


PATHS = {
    "classifier": calibrated(),
    "classifier, average": calibrated(ensemble=True),
    "classifier, shuffled folds": calibrated(cv=StratifiedKFold(4, shuffle=True, random_state=1)),
    "classifier, leave-one-out": calibrated(cv=LeaveOneOut()),
    "classifier, average of repeated folds": calibrated(
        cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), ensemble=True
    ),
    "classifier, features": calibrated(1, passthrough=SpyTransformer()),
    "classifier, average, features": calibrated(1, passthrough=SpyTransformer(), ensemble=True),
    "classifier, two jobs": calibrated(n_jobs=2),
    "classifier, average, two jobs": calibrated(n_jobs=2, ensemble=True),
    "classifier inside a classifier": CalibratedClassifier(calibrated(), SpyCalibrator(shrink=0.1)),
    "pipeline": pipeline(),
    "pipeline, features": pipeline(1, passthrough=SpyTransformer()),
    "pipeline, two jobs": pipeline(n_jobs=2),
    "grid over a classifier": grid(calibrated(), calibrator__shrink=[0.0, 0.5]),
    "grid over an average": grid(calibrated(ensemble=True), estimator__tilt=[0.2, 0.5]),
    "grid over a pipeline": grid(pipeline(), spycalibrator__shrink=[0.0, 0.5]),
    "grid over a pipeline, two jobs": grid(
        pipeline(), n_jobs=2, crossfittransformer__estimator__tilt=[0.2, 0.5]
    ),
    "grid inside a classifier": CalibratedClassifier(
        grid(SpyClassifier(), tilt=[0.2, 0.5]), SpyCalibrator()
    ),
    "grid over a grid": grid(
        grid(pipeline(), spycalibrator__shrink=[0.0, 0.5]),
        estimator__crossfittransformer__cv=[2, 3],
    ),
}
parametrize_paths = pytest.mark.parametrize("path", PATHS)


@parametrize_paths
@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_row_is_scored_by_a_model_that_saw_it(path, n_classes):
    X, y = spy_data(n_classes=n_classes)
    fitted = clone(PATHS[path]).fit(X, y)
    assert fitted.predict_proba(X).shape == (60, n_classes)
    cross_validate(clone(PATHS[path]), X, y, cv=3, scoring="neg_log_loss", error_score="raise")


@parametrize_paths
def test_the_spies_catch_folds_that_leak(path, monkeypatch):
    honest = _cross_fitting.split_rows

    def train_on_everything(cv, X, y, *args, **kwargs):
        splits = honest(cv, X, y, *args, **kwargs)
        return [(np.arange(len(y)), test) for _, test in splits]

    monkeypatch.setattr(_cross_fitting, "split_rows", train_on_everything)
    monkeypatch.setattr(_calibrated_classifier, "split_rows", train_on_everything)
    with pytest.raises(LeakError):
        clone(PATHS[path]).fit(*spy_data())


class InSample(TransformerMixin, BaseEstimator):
    """The classifier as a transformer that everybody writes first."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        self.estimator_ = clone(self.estimator).fit(X, y)
        return self

    def transform(self, X):
        return self.estimator_.predict_proba(X)


class FitsBothOnTheSameRows(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.estimator_ = SpyClassifier().fit(X, y)
        self.calibrator_ = SpyCalibrator().fit(self.estimator_.predict_proba(X), y)
        return self


class FeaturesOfAllRows(CrossFitTransformer):
    """Cross-fits the classifier, but not the transformer beside it."""

    def fit_transform(self, X, y):
        Z = super().fit_transform(X, y)
        return np.hstack([Z[:, :2], self.transformer_.transform(X)])


LEAKING = {
    "in-sample transformer": make_pipeline(InSample(SpyClassifier()), SpyCalibrator()),
    "same rows": FitsBothOnTheSameRows(),
    "features": make_pipeline(
        FeaturesOfAllRows(SpyClassifier(), passthrough=SpyTransformer()),
        SpyCalibrator(n_features=1),
    ),
    "frozen model, its own rows": CalibratedClassifier(
        FrozenEstimator(SpyClassifier().fit(*spy_data())), SpyCalibrator()
    ),
}


@pytest.mark.parametrize("name", LEAKING)
def test_the_spies_catch_estimators_that_leak(name):
    with pytest.raises(LeakError):
        LEAKING[name].fit(*spy_data())


def test_fit_followed_by_transform_is_in_sample_and_fit_transform_is_not():
    X, y = spy_data()
    in_sample = CrossFitTransformer(SpyClassifier()).fit(X, y).transform(X)
    with pytest.raises(LeakError):
        SpyCalibrator().fit(in_sample, y)
    SpyCalibrator().fit(CrossFitTransformer(SpyClassifier()).fit_transform(X, y), y)


@pytest.mark.parametrize("ensemble", [False, True])
def test_every_row_reaches_the_calibrator_once(ensemble):
    X, y = spy_data()
    fitted = calibrated(ensemble=ensemble).fit(X, y)
    assert [c.n_rows_ for c in fitted.calibrators_] == ([12] * 5 if ensemble else [60])


def test_frozen_model_and_other_rows():
    X, y = spy_data(120)
    frozen = FrozenEstimator(SpyClassifier().fit(X[:60], y[:60]))
    for ensemble in (False, True):
        CalibratedClassifier(frozen, SpyCalibrator(), ensemble=ensemble).fit(X[60:], y[60:])
    make_pipeline(CrossFitTransformer(frozen), SpyCalibrator()).fit(X[60:], y[60:])
    features = CalibratedClassifier(
        frozen, SpyCalibrator(n_features=1), passthrough=SpyTransformer()
    )
    features.fit(X[60:], y[60:])


@pytest.mark.parametrize("ensemble", [False, True])
def test_no_group_is_scored_by_a_model_that_saw_it(ensemble):
    X, y = spy_data(n_groups=15)
    groups = X[:, 0].astype(int)
    with pytest.raises(LeakError):
        calibrated(ensemble=ensemble).fit(X, y)

    splits = list(GroupKFold(3).split(X, y, groups))
    calibrated(ensemble=ensemble, cv=splits).fit(X, y)
    pipeline(cv=splits).fit(X, y)

    with sklearn.config_context(enable_metadata_routing=True):
        calibrated(ensemble=ensemble, cv=GroupKFold(3)).fit(X, y, groups=groups)
        pipeline(cv=GroupKFold(3)).fit(X, y, groups=groups)
        nested = grid(calibrated(ensemble=ensemble, cv=GroupKFold(3)), calibrator__shrink=[0.0])
        nested.set_params(cv=GroupKFold(2)).fit(X, y, groups=groups)
