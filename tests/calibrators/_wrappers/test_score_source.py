"""What the classifier inside a wrapper may be: scores that appear in fit, kernels, attributes."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import StackingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from sklearn_calib.calibrators import (
    CalibratedClassifier,
    CrossFitTransformer,
    OneVsRestCalibrator,
    PlattCalibrator,
)
from sklearn_calib.calibrators._wrappers.score_source import _matrix_of_any_kind
from sklearn_calib.display import ReliabilityDisplay
from sklearn_calib.inference import calibration_test_score


def two_classes():
    return make_classification(n_samples=200, n_features=5, flip_y=0.2, random_state=0)


# Scores that appear in fit


def stacking():
    return StackingClassifier([("bayes", GaussianNB())], cv=3)


APPEARS_IN_FIT = {
    "stacking": stacking,
    "pipeline": lambda: make_pipeline(StandardScaler(), stacking()),
    "grid": lambda: GridSearchCV(stacking(), {"passthrough": [False, True]}, cv=2),
}


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("name", APPEARS_IN_FIT)
def test_predict_proba_may_appear_in_fit(name, ensemble):
    X, y = two_classes()
    model = APPEARS_IN_FIT[name]()
    assert not hasattr(model, "predict_proba")
    calibrated = CalibratedClassifier(model, PlattCalibrator(), cv=3, ensemble=ensemble).fit(X, y)
    assert calibrated.score(X, y) > 0.8
    if name == "stacking" and not ensemble:
        explicit = clone(model).set_params(final_estimator=LogisticRegression())
        expected = CalibratedClassifier(explicit, PlattCalibrator(), cv=3).fit(X, y)
        assert_array_equal(calibrated.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize("name", APPEARS_IN_FIT)
def test_probabilities_of_the_transformer_may_appear_in_fit(name):
    X, y = two_classes()
    step = CrossFitTransformer(APPEARS_IN_FIT[name](), cv=3)
    assert_allclose(step.fit_transform(X, y).sum(axis=1), 1.0, rtol=1e-12)


def test_no_scores_even_after_fit():
    X, y = two_classes()
    with pytest.raises(ValueError, match="neither predict_proba nor decision_function after fit"):
        CalibratedClassifier(StandardScaler(), PlattCalibrator()).fit(X, y)


class SometimesProbabilities(GaussianNB):
    """Has `predict_proba` after a fit on many rows only."""

    def __getattribute__(self, name):
        if name == "predict_proba" and vars(self).get("n_rows_", 0) < 170:
            raise AttributeError(name)
        return super().__getattribute__(name)

    def fit(self, X, y):
        self.n_rows_ = len(y)
        return super().fit(X, y)

    def decision_function(self, X):
        return self.predict_log_proba(X) @ [-1.0, 1.0]

    def predict_log_proba(self, X):
        log_proba = self._joint_log_likelihood(X)
        return log_proba - log_proba.max(axis=1, keepdims=True)


def test_scores_of_two_kinds_are_not_put_together():
    X, y = two_classes()
    with pytest.raises(ValueError, match="predict_proba after some fits and after others"):
        CalibratedClassifier(SometimesProbabilities(), PlattCalibrator()).fit(X, y)


# Names and numbers of the features


@pytest.mark.parametrize(
    "fitted",
    [
        lambda X, y: CalibratedClassifier(GaussianNB(), PlattCalibrator()).fit(X, y),
        lambda X, y: CrossFitTransformer(GaussianNB()).fit(X, y),
    ],
    ids=["CalibratedClassifier", "CrossFitTransformer"],
)
def test_explainers_may_assign_the_names_of_features(fitted):
    X, y = two_classes()
    estimator = fitted(pd.DataFrame(X, columns=list("abcde")), y)
    assert_array_equal(estimator.feature_names_in_, list("abcde"))
    estimator.feature_names_in_, estimator.n_features_in_ = None, 3
    assert estimator.feature_names_in_ is None
    assert estimator.n_features_in_ == 3
    estimator.fit(X, y)
    assert not hasattr(estimator, "feature_names_in_")
    assert estimator.n_features_in_ == 5


# Precomputed kernels and distances


def linear_kernel(A, B):
    return A @ B.T


PRECOMPUTED = {
    "kernel": (SVC(kernel="precomputed"), SVC(kernel="linear"), linear_kernel),
    "distances": (
        KNeighborsClassifier(metric="precomputed"),
        KNeighborsClassifier(),
        pairwise_distances,
    ),
}


@pytest.mark.parametrize("name", PRECOMPUTED)
@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame])
def test_precomputed_gives_what_the_features_give(name, ensemble, container):
    precomputed, plain, compare = PRECOMPUTED[name]
    X, y = two_classes()
    X, X_new, y, _ = train_test_split(X, y, random_state=0)
    calibrator = PlattCalibrator()
    matrix = compare(X, X)
    fitted = CalibratedClassifier(precomputed, calibrator, ensemble=ensemble).fit(matrix, y)
    expected = CalibratedClassifier(plain, calibrator, ensemble=ensemble).fit(X, y)
    proba = fitted.predict_proba(container(compare(X_new, X)))
    assert_allclose(proba, expected.predict_proba(X_new), rtol=1e-4)
    assert fitted.n_features_in_ == len(X)


@pytest.mark.parametrize("ensemble", [False, True])
def test_a_frozen_model_takes_all_columns(ensemble):
    X, y = two_classes()
    model = FrozenEstimator(SVC(kernel="precomputed").fit(X[:100] @ X[:100].T, y[:100]))
    plain = FrozenEstimator(SVC(kernel="linear").fit(X[:100], y[:100]))
    proba = [
        CalibratedClassifier(frozen, PlattCalibrator(), ensemble=ensemble)
        .fit(X_cal, y[100:])
        .predict_proba(X_cal)
        for frozen, X_cal in ((model, X[100:] @ X[:100].T), (plain, X[100:]))
    ]
    assert_allclose(proba[0], proba[1], rtol=1e-4)


@pytest.mark.parametrize("ensemble", [False, True])
def test_cross_validation_of_a_precomputed_kernel_can_be_tested_and_drawn(ensemble):
    X, y = two_classes()
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    kernel, plain = (
        CalibratedClassifier(SVC(kernel=name), OneVsRestCalibrator("platt"), ensemble=ensemble)
        for name in ("precomputed", "linear")
    )
    _, test = next(cv.split(X, y))
    expected = cross_val_predict(plain, X, y, cv=cv, method="predict_proba")
    results = cross_validate(kernel, X @ X.T, y, cv=cv, return_estimator=True, return_indices=True)
    display = ReliabilityDisplay.from_cv_results(results, X @ X.T, y, n_bins=2)
    by_hand = ReliabilityDisplay.from_predictions(y[test], expected[test], n_bins=2)
    assert_allclose(display.prob_pred[0], by_hand.prob_pred, rtol=1e-3)
    tested = [
        calibration_test_score(model, data, y, cv=cv, n_resamples=19, random_state=0)
        for model, data in ((kernel, X @ X.T), (plain, X))
    ]
    assert_allclose(tested[0].statistic, tested[1].statistic, rtol=1e-3)
    assert_array_equal(tested[0].fold_pvalues, tested[1].fold_pvalues)


def test_columns_of_features_beside_a_kernel_are_those_of_the_classifier():
    X, y = two_classes()
    fitted = CalibratedClassifier(
        SVC(kernel="precomputed"),
        LogisticRegression(),
        passthrough=[0, 1],
        ensemble=True,
    ).fit(X @ X.T, y)
    assert fitted.predict_proba(X[:3] @ X.T).shape == (3, 2)


def test_identifiers_that_floating_point_would_round_pass_through_as_they_are():
    features = pd.DataFrame({"id": pd.array([2**53, 2**53 + 1, None], dtype="Int64")})
    matrix = _matrix_of_any_kind(features)
    assert matrix[:2, 0].tolist() == [2**53, 2**53 + 1]
    assert np.isnan(matrix[2, 0])


class NamesColumns(GaussianNB):
    """Returns a table whose columns are named, in another order."""

    def predict_proba(self, X):
        return pd.DataFrame(super().predict_proba(X), columns=self.classes_).iloc[:, ::-1]


class SortsBackwards(GaussianNB):
    """Has classes in another order than all classifiers of scikit-learn."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_[::-1]
        return self


def test_a_table_of_probabilities_is_read_by_its_names():
    X, y = two_classes()
    y = np.array(["no", "yes"])[y]
    named = CalibratedClassifier(NamesColumns(), cv=3).fit(X, y).predict_proba(X)
    plain = CalibratedClassifier(GaussianNB(), cv=3).fit(X, y).predict_proba(X)
    assert_allclose(named, plain, rtol=1e-12)


def test_classes_in_another_order_are_named():
    X, y = two_classes()
    with pytest.raises(ValueError, match=r"classes in the order \[1, 0\].* sorted order \[0, 1"):
        CalibratedClassifier(SortsBackwards(), cv=3).fit(X, y)


@pytest.mark.parametrize("columns", [["zz"], [99]])
def test_columns_that_do_not_exist_are_refused_when_fitted(columns):
    X, y = two_classes()
    table = pd.DataFrame(X, columns=list("abcde"))
    with pytest.raises(ValueError, match=r"passthrough=\[.*\] does not choose columns of X"):
        CrossFitTransformer(GaussianNB(), passthrough=columns, cv=3).fit(table, y)


def test_no_column_has_no_name():
    X, y = two_classes()
    fitted = CrossFitTransformer(GaussianNB(), passthrough=[], cv=3).fit(X, y)
    assert fitted.get_feature_names_out().tolist() == [
        "crossfittransformer_0",
        "crossfittransformer_1",
    ]


def test_a_transformer_that_loses_rows_is_named():
    X, y = two_classes()
    loses = FunctionTransformer(lambda X: X[:-1])
    with pytest.raises(ValueError, match="passthrough= must give one row for each of the"):
        CrossFitTransformer(GaussianNB(), passthrough=loses, cv=3).fit_transform(X, y)
