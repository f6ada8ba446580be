"""CalibratedClassifier: on which scale the calibrator gets its scores."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logit
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_calib.calibrators import (
    CalibratedClassifier,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
)
from tests._spies import FixedScores, Recorder
from tests.calibrators._wrappers._data import METHODS, three_classes, two_classes


def recorded(scale, proba, takes_features=False, **kwargs):
    """Return what a calibrator of a scale gets in `fit` and in `predict_proba` for 0, p, 1."""
    X = np.asarray(proba, dtype=float).reshape(-1, 1)
    y = np.arange(len(X)) % 2
    estimator = CalibratedClassifier(FixedScores(), Recorder(scale, takes_features), **kwargs)
    fitted = estimator.fit(X, y)
    fitted.predict_proba([[0.0], [1e-4], [0.5], [1.0]])
    return fitted.calibrator_.S_, fitted.calibrator_.seen_at_predict_


def test_probability_scale_is_one_column_as_it_is():
    proba = np.linspace(0.0, 1.0, 21)
    S, S_new = recorded("probability", proba)
    assert_array_equal(S, proba[:, None])
    assert_array_equal(S_new, [[0.0], [1e-4], [0.5], [1.0]])


@pytest.mark.parametrize("scale", ["score", "logit"])
def test_other_scales_are_log_odds_with_a_learnt_floor(scale):
    proba = np.arange(101) / 100  # a forest of 100 trees
    S, S_new = recorded(scale, proba)
    assert_allclose(S[:, 0], logit(np.clip(proba, 0.005, 0.995)), rtol=1e-12)
    assert_allclose(S_new[:, 0], logit([0.005, 0.005, 0.5, 0.995]), rtol=1e-12)


def test_the_floor_is_machine_epsilon_where_scores_come_closer_or_are_all_exact():
    eps = np.finfo(float).eps
    tails = np.array([0.0, 1e-30, 1e-12, 0.3, 0.5, 0.7, 0.9, 1 - 1e-12, 1.0, 1.0])
    for proba in (tails, np.tile([0.0, 1.0], 10)):
        S, S_new = recorded("score", proba)
        assert_allclose(S[:, 0], logit(np.clip(proba, eps, 1 - eps)), rtol=1e-12)
        assert_allclose(S_new[:, 0], logit([eps, 1e-4, 0.5, 1 - eps]), rtol=1e-12)


def test_naive_bayes_keeps_its_tails():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = CalibratedClassifier(GaussianNB(), Recorder("score")).fit(X, y)
    assert_allclose(np.abs(fitted.calibrator_.S_).max(), -logit(np.finfo(float).eps), rtol=1e-12)


def test_all_columns_for_more_classes_and_for_calibrators_of_features():
    X, y = load_iris(return_X_y=True)
    fitted = CalibratedClassifier(GaussianNB(), Recorder("logit")).fit(X, y)
    assert fitted.calibrator_.S_.shape == (150, 3)

    proba = np.linspace(0.1, 0.9, 20)
    S, _ = recorded("probability", proba, takes_features=True)
    assert_array_equal(S, np.column_stack([1 - proba, proba, proba]))  # X is its own feature
    S, _ = recorded("score", proba, takes_features=True, passthrough=False)
    assert_allclose(S, np.column_stack([-logit(proba), logit(proba)]), rtol=1e-12)


def test_decision_function_only_where_there_is_no_predict_proba():
    X, y = two_classes()
    fitted = CalibratedClassifier(LinearSVC(), Recorder("score")).fit(X, y)
    train, test = next(StratifiedKFold(5).split(X, y))
    expected = LinearSVC().fit(X[train], y[train]).decision_function(X[test])
    assert_allclose(fitted.calibrator_.S_[test, 0], expected, rtol=1e-10)

    both = CalibratedClassifier(LogisticRegression(), Recorder("score")).fit(X, y)
    expected = LogisticRegression().fit(X[train], y[train]).predict_proba(X[test])[:, 1]
    assert_allclose(both.calibrator_.S_[test, 0], logit(expected), rtol=1e-10)

    X, y = load_iris(return_X_y=True)
    fitted = CalibratedClassifier(LinearSVC(), Recorder("logit")).fit(X, y)
    assert fitted.calibrator_.S_.shape == (150, 3)


def test_a_scale_that_does_not_exist_is_named():
    X, y = two_classes()
    with pytest.raises(ValueError, match=r"input_scale.*got 'margin'"):
        CalibratedClassifier(GaussianNB(), Recorder("margin")).fit(X, y)


@pytest.mark.parametrize(
    ("proba", "message"),
    [(1.5, r"must lie in \[0, 1\], got values from -0.5 to 1.5"), (np.nan, "NaN or infinity")],
)
def test_classifiers_that_give_no_probabilities_are_named(proba, message):
    X, y = np.full((20, 1), proba), np.arange(20) % 2
    with pytest.raises(ValueError, match=rf"predict_proba of FixedScores.*{message}"):
        CalibratedClassifier(FixedScores(), IsotonicCalibrator()).fit(X, y)


@pytest.mark.parametrize("calibrator", [PlattCalibrator(), TemperatureCalibrator()])
def test_the_identity_is_in_the_family(calibrator):
    # 0.9 and 0.1 in equal parts, right in nine of ten cases: nothing to correct.
    X = np.repeat([0.9, 0.1], 5000).reshape(-1, 1)
    y = np.tile(np.r_[np.ones(9), 0], 1000).astype(int)
    y[5000:] = 1 - y[5000:]
    fitted = CalibratedClassifier(FixedScores(), calibrator).fit(X, y)
    assert_allclose(fitted.predict_proba([[0.9], [0.1]])[:, 1], [0.9, 0.1], atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("data", [two_classes, three_classes])
def test_float32_probabilities(method, data):
    X, y = data()

    class Float32(LogisticRegression):
        def predict_proba(self, X):
            return super().predict_proba(X).astype(np.float32)

    # The rows of the fit again: between them, isotonic is as steep as it likes.
    single, double = (
        CalibratedClassifier(FrozenEstimator(base.fit(X, y)), OneVsRestCalibrator(method))
        .fit(X, y)
        .predict_proba(X)
        for base in (Float32(), LogisticRegression())
    )
    assert single.dtype == np.float64
    assert_allclose(single, double, atol=1e-6)


@pytest.mark.parametrize("calibrator", [PlattCalibrator(), TemperatureCalibrator()])
def test_float32_probabilities_next_to_one_keep_their_log_odds(calibrator):
    X, y = two_classes()
    X[:, 0] *= 20  # some probabilities are 1 up to 1e-7, which float32 cannot tell from 1

    class Float32(GaussianNB):
        def predict_proba(self, X):
            return super().predict_proba(X).astype(np.float32)

    single, double = (
        CalibratedClassifier(base, calibrator).fit(X, y).predict_proba(X)
        for base in (Float32(), GaussianNB())
    )
    assert_allclose(single, double, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_constant_and_exact_scores(method):
    y = np.tile([0, 1], 20)
    calibrator = OneVsRestCalibrator(method)
    constant = CalibratedClassifier(FixedScores(), calibrator).fit(np.full((40, 1), 0.3), y)
    p = constant.predict_proba([[0.3]])[0, 1]
    assert 0.3 <= p <= 0.5 if method == "temperature" else p == pytest.approx(0.5, abs=1e-9)

    exact = np.r_[np.zeros(20), np.ones(20)].reshape(-1, 1)
    proba = CalibratedClassifier(FixedScores(), calibrator).fit(exact, y).predict_proba(exact)
    assert np.isfinite(proba).all()
    assert proba.min() >= 0.0
    assert proba.max() <= 1.0


@pytest.mark.parametrize("method", ["platt", "isotonic", "histogram"])
def test_the_prior_comes_back_after_class_weights(method):
    X, y = make_classification(
        n_samples=4000, weights=[0.95], flip_y=0.02, class_sep=0.8, random_state=0
    )
    model = LogisticRegression(class_weight="balanced", max_iter=1000)
    calibrated = CalibratedClassifier(model, OneVsRestCalibrator(method)).fit(X, y)
    assert abs(model.fit(X, y).predict_proba(X)[:, 1].mean() - y.mean()) > 0.1
    assert calibrated.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.01)
