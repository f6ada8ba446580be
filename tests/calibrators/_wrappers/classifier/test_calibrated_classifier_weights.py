"""CalibratedClassifier: weights and other metadata, with and without routing."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, PredefinedSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_calib.calibrators import CalibratedClassifier, IsotonicCalibrator, PlattCalibrator
from tests._spies import Recorder
from tests.calibrators._wrappers._data import WRAPPERS, two_classes, weighted_data


@pytest.mark.parametrize("ensemble", [False, True])
def test_weights_without_routing(ensemble):
    X, y, weight = weighted_data()
    calibrated = CalibratedClassifier(
        LogisticRegression(), Recorder(), ensemble=ensemble, cv=StratifiedKFold(3)
    )
    calibrated.fit(X, y, sample_weight=weight)
    splits = list(StratifiedKFold(3).split(X, y))
    rows = [test for _, test in splits] if ensemble else [slice(None)]
    for calibrator, part in zip(calibrated.calibrators_, rows, strict=True):
        assert_array_equal(calibrator.sample_weight_, weight[part])
        assert_array_equal(calibrator.y_, y[part])
    train = splits[0][0] if ensemble else slice(None)
    expected = LogisticRegression().fit(X[train], y[train], weight[train])
    assert_allclose(calibrated.estimators_[0].coef_, expected.coef_, rtol=1e-12)


def test_out_of_fold_scores_come_from_weighted_fits_too():
    X, y, weight = weighted_data()
    fitted = CalibratedClassifier(LogisticRegression(), Recorder()).fit(X, y, sample_weight=weight)
    train, test = next(StratifiedKFold(5).split(X, y))
    expected = LogisticRegression().fit(X[train], y[train], weight[train]).predict_proba(X[test])
    assert_allclose(fitted.calibrator_.S_[test, 0], expected[:, 1], rtol=1e-10)


@pytest.mark.parametrize("ensemble", [False, True])
def test_weights_that_cannot_be_passed_on_warn(ensemble):
    X, y, weight = weighted_data()
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    calibrated = CalibratedClassifier(pipeline, PlattCalibrator(), ensemble=ensemble)
    with pytest.warns(UserWarning, match=r"Pipeline.fit does not take sample_weight.*estimator"):
        calibrated.fit(X, y, sample_weight=weight)
    assert calibrated.predict_proba(X)[:, 1].mean() > y.mean() + 0.1  # the calibrator has them

    class NoWeights(Recorder):
        def fit(self, S, y):
            return super().fit(S, y)

    calibrated = CalibratedClassifier(GaussianNB(), NoWeights(), ensemble=ensemble)
    with pytest.warns(UserWarning, match=r"NoWeights.fit does not take.*calibrator is fitted"):
        calibrated.fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("ensemble", [False, True])
def test_weights_with_routing(ensemble):
    X, y, weight = weighted_data()
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            LogisticRegression().set_fit_request(sample_weight=True),
        )
        calibrator = PlattCalibrator().set_fit_request(sample_weight=True)
        routed = CalibratedClassifier(pipeline, calibrator, ensemble=ensemble)
        proba = routed.fit(X, y, sample_weight=weight).predict_proba(X)
        for model in routed.estimators_:
            assert model[-1].intercept_[0] > 1.0

        neither = CalibratedClassifier(
            LogisticRegression().set_fit_request(sample_weight=False),
            PlattCalibrator().set_fit_request(sample_weight=False),
            ensemble=ensemble,
        )
        with pytest.raises(TypeError, match=r"sample_weight.*not routed to any object"):
            neither.fit(X, y, sample_weight=weight)

        unset = CalibratedClassifier(LogisticRegression(), calibrator, ensemble=ensemble)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            unset.fit(X, y, sample_weight=weight)
    plain = CalibratedClassifier(pipeline, calibrator, ensemble=ensemble).fit(X, y)
    assert np.abs(proba - plain.predict_proba(X)).max() > 0.1


def test_only_what_requests_weights_gets_them():
    X, y, _ = weighted_data()
    other = np.arange(len(y)) + 1.0
    with sklearn.config_context(enable_metadata_routing=True):
        calibrated = CalibratedClassifier(
            LogisticRegression().set_fit_request(sample_weight=False),
            Recorder().set_fit_request(sample_weight="calibration_weight"),
        )
        calibrated.fit(X, y, calibration_weight=other)
    assert_array_equal(calibrated.calibrator_.sample_weight_, other)
    expected = LogisticRegression().fit(X, y)
    assert_array_equal(calibrated.estimator_.coef_, expected.coef_)


def test_metadata_reach_through_a_grid_search():
    X, y, weight = weighted_data()
    groups = np.repeat(np.arange(30), 10)
    with sklearn.config_context(enable_metadata_routing=True):
        calibrated = CalibratedClassifier(
            LogisticRegression().set_fit_request(sample_weight=True),
            Recorder().set_fit_request(sample_weight=True),
            cv=GroupKFold(3),
        )
        search = GridSearchCV(calibrated, {"estimator__C": [0.1, 1.0]}, cv=2, error_score="raise")
        search.fit(X, y, sample_weight=weight, groups=groups)
    assert_array_equal(search.best_estimator_.calibrator_.sample_weight_, weight)


def test_integer_weights_repeat_rows():
    X, y, _ = weighted_data()
    weight = np.random.default_rng(0).integers(1, 4, size=len(y))
    fold = np.arange(len(y)) % 3
    repeat = np.repeat(np.arange(len(y)), weight)
    calibrated = CalibratedClassifier(GaussianNB(), PlattCalibrator(), cv=PredefinedSplit(fold))
    expected = clone(calibrated).set_params(cv=PredefinedSplit(fold[repeat]))
    assert_allclose(
        calibrated.fit(X, y, sample_weight=weight).predict_proba(X),
        expected.fit(X[repeat], y[repeat]).predict_proba(X),
        atol=1e-7,
    )


def test_other_arguments_of_fit_go_to_the_classifier():
    X, y = two_classes()
    asked = {}

    class Asks(GaussianNB):
        def fit(self, X, y, note=None, rows=None):
            asked[len(y)] = (note, rows)
            assert_array_equal(X[:, 0], rows)
            return super().fit(X, y)

    CalibratedClassifier(Asks(), IsotonicCalibrator()).fit(X, y, note="hi", rows=X[:, 0])
    assert set(asked) == {160, 200}
    assert asked[200][0] == "hi"


@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (lambda y: -np.ones(y.size), "sample_weight must not be negative; row 0 has weight -1"),
        (lambda y: np.zeros(y.size), "sample_weight is zero for every row"),
        (lambda y: np.ones(5), r"sample_weight must have shape \(178,\)"),
        (lambda y: np.full(y.size, np.nan), "sample_weight must be finite; row 0 is nan"),
        (lambda y: (y != 2).astype(float), "sample_weight is zero for every row of class 2"),
    ],
)
def test_bad_weights_are_refused_before_anything_is_fitted(wrapper, weights, message):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        wrapper().fit(X, y, sample_weight=weights(y))


@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)
def test_weights_may_be_a_column(wrapper):
    """As in the metrics and in the calibrators on their own."""
    X, y, weight = weighted_data()
    fitted, expected = (
        wrapper(cv=3).fit(X, y, sample_weight=one) for one in (weight[:, np.newaxis], weight)
    )
    method = "predict_proba" if hasattr(fitted, "predict_proba") else "transform"
    assert_array_equal(getattr(fitted, method)(X), getattr(expected, method)(X))
