"""CrossFitTransformer: out-of-fold columns, folds, metadata, names and containers."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_calib.calibrators import (
    BetaCalibrator,
    CalibratedClassifier,
    CrossFitTransformer,
    HistogramCalibrator,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
)
from tests._reference import parametrize_cases
from tests._spies import Recorder
from tests.calibrators._wrappers._data import (
    METHODS,
    PLAIN_METHODS,
    three_classes,
    two_classes,
    weighted_data,
)


def cross_fits(estimator):
    reason = "fit_transform cross-fits, so it differs from fit followed by transform"
    return dict.fromkeys(
        ["check_transformer_general", "check_transformer_data_not_an_array"], reason
    )


@parametrize_with_checks(
    [
        CrossFitTransformer(LogisticRegression()),
        CrossFitTransformer(GaussianNB(), cv=3, passthrough=StandardScaler()),
    ],
    expected_failed_checks=cross_fits,
    xfail_strict=True,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


CALIBRATORS = {
    "platt": PlattCalibrator(),
    "beta": BetaCalibrator(monotone=False),
    "isotonic": IsotonicCalibrator(),
    "histogram": HistogramCalibrator(),
    "temperature": TemperatureCalibrator(),
}


@pytest.mark.filterwarnings("ignore:All values of S lie in")
@parametrize_cases("cal_cv", keep=lambda case: case["name"] != "multiclass_temperature")
def test_out_of_fold_predictions_of_other_software(case):
    x, fold, new = (np.array(case["inputs"][key]) for key in ("x", "fold_id", "newdata"))
    method = case["params"]["method"]
    if method == "ovr":
        calibrator = OneVsRestCalibrator(case["params"]["base_method"])
    else:
        calibrator = CALIBRATORS[method]
        x, new = x.reshape(-1, 1), new.reshape(-1, 1)
    cross_fit = CrossFitTransformer(calibrator, cv=PredefinedSplit(fold))
    proba = cross_fit.fit_transform(x, case["inputs"]["y"])
    expected = {key: np.array(value) for key, value in case["expected"].items()}
    if method != "ovr":
        proba = proba[:, 1]
    tolerance = {"platt": 1e-6, "beta": 1e-5, "temperature": 1e-6}.get(
        case["params"].get("base_method", method), 1e-10
    )
    assert_allclose(proba, expected["oof_predictions"], atol=tolerance, rtol=0)
    proba = cross_fit.transform(new)
    assert_allclose(
        proba if method == "ovr" else proba[:, 1], expected["predict"], atol=tolerance, rtol=0
    )


@pytest.mark.parametrize("data", [two_classes, three_classes])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_fit_transform_is_out_of_fold_and_transform_is_refitted(data, n_jobs):
    X, y = data()
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    cross_fit = CrossFitTransformer(GaussianNB(), cv=cv, n_jobs=n_jobs)
    out_of_fold = cross_val_predict(GaussianNB(), X, y, cv=cv, method="predict_proba")
    assert_array_equal(cross_fit.fit_transform(X, y), out_of_fold)
    refitted = GaussianNB().fit(X, y).predict_proba(X)
    assert_array_equal(cross_fit.transform(X), refitted)
    assert_array_equal(clone(cross_fit).fit(X, y).transform(X), refitted)
    assert np.abs(out_of_fold - refitted).max() > 0.01
    assert_array_equal(cross_fit.classes_, np.unique(y))
    assert_array_equal(pickle.loads(pickle.dumps(cross_fit)).transform(X), refitted)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [3, 7, 11]], ids=str)
def test_columns_follow_the_sorted_labels(labels):
    X, codes = two_classes() if len(labels) == 2 else three_classes()
    cross_fit = CrossFitTransformer(GaussianNB())
    assert_array_equal(
        cross_fit.fit_transform(X, np.array(labels)[codes]),
        clone(cross_fit).fit_transform(X, codes),
    )
    assert_array_equal(cross_fit.classes_, labels)
    expected = [f"crossfittransformer_{label}" for label in labels]
    assert cross_fit.get_feature_names_out().tolist() == expected


def test_float32_becomes_float64():
    X, y = two_classes()

    class Float32(GaussianNB):
        def predict_proba(self, X):
            return super().predict_proba(X).astype(np.float32)

    cross_fit = CrossFitTransformer(Float32())
    assert cross_fit.fit_transform(X, y).dtype == np.float64
    assert cross_fit.transform(X).dtype == np.float64


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("data", [two_classes, three_classes])
def test_a_pipeline_agrees_with_the_calibrated_classifier(method, data):
    X, y = data()
    X_new = X + 0.1
    base, calibrator = (
        LogisticRegression(),
        OneVsRestCalibrator(PLAIN_METHODS[method], input="probability"),
    )
    pipeline = make_pipeline(CrossFitTransformer(base), calibrator).fit(X, y)
    direct = CalibratedClassifier(base, calibrator).fit(X, y)
    # two mirrored maps of two columns are one map of one
    assert_allclose(pipeline.predict_proba(X_new), direct.predict_proba(X_new), atol=1e-7)


@pytest.mark.parametrize("calibrator", [*CALIBRATORS.values()], ids=[*CALIBRATORS])
def test_binary_calibrators_behind_it(calibrator):
    X, y = two_classes()
    if hasattr(calibrator, "input"):
        calibrator = clone(calibrator).set_params(input="probability")
    pipeline = make_pipeline(StandardScaler(), CrossFitTransformer(GaussianNB()), calibrator)
    assert pipeline.fit(X, y).predict_proba(X).shape == (200, 2)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_grid_search_over_methods(load, n_jobs):
    X, y = load(return_X_y=True)
    search = GridSearchCV(
        make_pipeline(
            StandardScaler(),
            CrossFitTransformer(GaussianNB()),
            OneVsRestCalibrator(input="probability"),
        ),
        {
            "onevsrestcalibrator__method": [
                "platt",
                "beta",
                "isotonic",
                "histogram",
                "temperature",
            ]
        },
        scoring="neg_log_loss",
        n_jobs=n_jobs,
    ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_.predict_proba(X).shape == (len(y), len(np.unique(y)))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_grid_search_with_several_scorers(n_jobs):
    from sklearn_calib.metrics import get_scorer

    X, y = load_iris(return_X_y=True)
    names = ["neg_log_loss", "neg_ece", "neg_skce", "neg_kce", "neg_mmce", "neg_klce"]
    search = GridSearchCV(
        make_pipeline(
            StandardScaler(),
            CrossFitTransformer(GaussianNB(), cv=3),
            OneVsRestCalibrator(input="probability"),
        ),
        {"onevsrestcalibrator__method": METHODS},
        scoring={name: get_scorer(name) for name in names},
        refit="neg_log_loss",
        n_jobs=n_jobs,
        error_score="raise",
    ).fit(X, y)
    for name in names:
        assert np.isfinite(search.cv_results_[f"mean_test_{name}"]).all()
    best = search.cv_results_["mean_test_neg_log_loss"].argmax()
    assert search.best_params_ == {"onevsrestcalibrator__method": METHODS[best]}


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (RepeatedStratifiedKFold(n_splits=2, n_repeats=2), "must form a partition.* row 0 is in 2"),
        (KFold(3), "Fold 1 of 3 of cv has no row of class 0 among its 8 training rows"),
        ([(np.arange(12), np.arange(12))], "Fold 1 of 1 of cv trains and tests on the same rows"),
        (GroupKFold(3), "needs groups.*metadata routing"),
        ([], "gives no fold"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_folds_are_checked(cv, message):
    X, y = np.random.default_rng(0).normal(size=(12, 2)), np.repeat([0, 1, 2], 4)
    cross_fit = CrossFitTransformer(GaussianNB(), cv=cv)
    with pytest.raises(ValueError, match=message):
        cross_fit.fit_transform(X, y)
    cross_fit.fit(X, y)  # makes no folds


def test_leave_one_out():
    X, y = two_classes()
    X, y = X[:40], y[:40]
    expected = cross_val_predict(GaussianNB(), X, y, cv=LeaveOneOut(), method="predict_proba")
    cross_fit = CrossFitTransformer(GaussianNB(), cv=LeaveOneOut())
    assert_array_equal(cross_fit.fit_transform(X, y), expected)


def test_frozen_models_are_not_fitted():
    X, y = two_classes()
    frozen = FrozenEstimator(GaussianNB().fit(X[:100], y[:100]))
    cross_fit = CrossFitTransformer(frozen)
    expected = frozen.predict_proba(X[100:])
    assert_array_equal(cross_fit.fit_transform(X[100:], y[100:]), expected)
    assert cross_fit.estimator_ is frozen
    with pytest.raises(NotFittedError):
        CrossFitTransformer(FrozenEstimator(GaussianNB())).fit_transform(X, y)


def test_a_classifier_without_probabilities_is_refused():
    X, y = two_classes()
    with pytest.raises(ValueError, match=r"'estimator' parameter.*'predict_proba'.*LinearSVC"):
        CrossFitTransformer(LinearSVC()).fit_transform(X, y)


@pytest.mark.parametrize(
    ("name", "value"), [("cv", "five"), ("passthrough", "auto"), ("n_jobs", "all")]
)
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_parameters_are_checked(name, value, method):
    X, y = two_classes()
    cross_fit = CrossFitTransformer(GaussianNB()).set_params(**{name: value})
    with pytest.raises(ValueError, match=f"'{name}' parameter of CrossFitTransformer must be"):
        getattr(cross_fit, method)(X, y)


def weighted_oracle(X, y, weight, splits):
    proba = np.empty((len(y), 2))
    for train, test in splits:
        model = LogisticRegression().fit(X[train], y[train], weight[train])
        proba[test] = model.predict_proba(X[test])
    return proba, LogisticRegression().fit(X, y, weight).predict_proba(X)


def test_weights_without_routing():
    X, y, weight = weighted_data()
    splits = list(StratifiedKFold(5).split(X, y))
    out_of_fold, refitted = weighted_oracle(X, y, weight, splits)
    cross_fit = CrossFitTransformer(LogisticRegression())
    proba = cross_fit.fit_transform(X, y, sample_weight=weight)
    assert_allclose(proba, out_of_fold, rtol=1e-10)
    assert_allclose(cross_fit.transform(X), refitted, rtol=1e-10)
    cross_fit = clone(cross_fit).fit(X, y, sample_weight=weight)
    assert_allclose(cross_fit.transform(X), refitted, rtol=1e-10)

    pipeline = make_pipeline(CrossFitTransformer(LogisticRegression()), Recorder())
    pipeline.fit(X, y, crossfittransformer__sample_weight=weight)
    assert_allclose(pipeline[-1].S_, out_of_fold, rtol=1e-10)


def test_weights_that_cannot_be_passed_on_warn():
    X, y, weight = weighted_data()
    cross_fit = CrossFitTransformer(make_pipeline(StandardScaler(), LogisticRegression()))
    for method in (cross_fit.fit, cross_fit.fit_transform):
        with pytest.warns(UserWarning, match=r"Pipeline.fit does not take sample_weight"):
            method(X, y, sample_weight=weight)


def test_metadata_are_routed_through_fit_and_fit_transform():
    X, y, weight = weighted_data()
    groups = np.repeat(np.arange(30), 10)
    splits = list(GroupKFold(5).split(X, y, groups))
    out_of_fold, refitted = weighted_oracle(X, y, weight, splits)
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        cross_fit = CrossFitTransformer(model, cv=GroupKFold(5))
        proba = cross_fit.fit_transform(X, y, sample_weight=weight, groups=groups)
        assert_allclose(proba, out_of_fold, rtol=1e-10)
        fitted = clone(cross_fit).fit(X, y, sample_weight=weight, groups=groups)
        assert_allclose(fitted.transform(X), refitted, rtol=1e-10)

        recorder = Recorder().set_fit_request(sample_weight=True)
        recorder.set_score_request(sample_weight=True)
        pipeline = make_pipeline(clone(cross_fit), recorder)
        search = GridSearchCV(
            pipeline, {"crossfittransformer__estimator__C": [1.0]}, cv=2, error_score="raise"
        )
        search.fit(X, y, sample_weight=weight, groups=groups)
        assert_allclose(search.best_estimator_[-1].S_, out_of_fold, rtol=1e-10)
        assert_array_equal(search.best_estimator_[-1].sample_weight_, weight)

        unset = CrossFitTransformer(LogisticRegression())
        for method in (unset.fit, unset.fit_transform):
            with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
                method(X, y, sample_weight=weight)
            with pytest.raises(TypeError, match="groups"):
                method(X, y, groups=groups)


def test_routing_lists_both_callers():
    router = CrossFitTransformer(LogisticRegression(), cv=GroupKFold()).get_metadata_routing()
    mappings = {child: {(m.caller, m.callee) for m in pair.mapping} for child, pair in router}
    for child, callee in [("estimator", "fit"), ("splitter", "split"), ("transformer", "fit")]:
        assert mappings[child] == {("fit", callee), ("fit_transform", callee)}
    assert not hasattr(CrossFitTransformer, "set_fit_request")


def test_passthrough_follows_the_probabilities():
    X, y = two_classes()
    table = pd.DataFrame(X, columns=list("abcde"))
    for data, passthrough, features, names in [
        (X, True, X, ["x0", "x1", "x2", "x3", "x4"]),
        (X, [4, 0], X[:, [4, 0]], ["x4", "x0"]),
        (table, True, X, list("abcde")),
        (table, ["e", "a"], X[:, [4, 0]], ["e", "a"]),
        (table, [4, 0], X[:, [4, 0]], ["e", "a"]),
    ]:
        cross_fit = CrossFitTransformer(GaussianNB(), passthrough=passthrough)
        Z = cross_fit.fit_transform(data, y)
        assert_array_equal(Z[:, :2], CrossFitTransformer(GaussianNB()).fit_transform(X, y))
        assert_array_equal(Z[:, 2:], features)
        assert_array_equal(cross_fit.transform(data)[:, 2:], features)
        prefixed = ["crossfittransformer_0", "crossfittransformer_1", *names]
        assert cross_fit.get_feature_names_out().tolist() == prefixed


def test_passthrough_transformers_are_cross_fitted():
    X, y = two_classes()
    cv = KFold(4, shuffle=True, random_state=0)
    cross_fit = CrossFitTransformer(GaussianNB(), passthrough=StandardScaler(), cv=cv)
    Z = cross_fit.fit_transform(X, y)
    for train, test in cv.split(X):
        expected = StandardScaler().fit(X[train]).transform(X[test])
        assert_allclose(Z[test, 2:], expected, rtol=1e-12)
    refitted = StandardScaler().fit_transform(X)
    assert_allclose(cross_fit.transform(X)[:, 2:], refitted, rtol=1e-12)
    assert cross_fit.get_feature_names_out(list("abcde")).tolist()[2:] == list("abcde")


def test_set_output():
    X, y = two_classes()
    table = pd.DataFrame(X, columns=list("abcde"), index=np.arange(200)[::-1])
    cross_fit = CrossFitTransformer(GaussianNB(), passthrough=["c"]).set_output(transform="pandas")
    for Z in (cross_fit.fit_transform(table, y), cross_fit.transform(table)):
        assert Z.columns.tolist() == ["crossfittransformer_0", "crossfittransformer_1", "c"]
        assert_array_equal(Z.index, table.index)
    pipeline = make_pipeline(CrossFitTransformer(GaussianNB()), OneVsRestCalibrator())
    pipeline.set_output(transform="pandas").fit(table, y).predict_proba(table)
    with sklearn.config_context(transform_output="pandas"):
        inside = CrossFitTransformer(GaussianNB(), passthrough=StandardScaler())
        assert inside.fit_transform(table, y).shape == (200, 7)


def test_in_a_union_and_a_column_transformer():
    X, y = two_classes()
    table = pd.DataFrame(X, columns=list("abcde"))
    alone = CrossFitTransformer(GaussianNB()).fit_transform(X, y)
    union = make_union(CrossFitTransformer(GaussianNB()), StandardScaler())
    assert_array_equal(union.fit_transform(X, y)[:, :2], alone)
    names = union.get_feature_names_out()
    assert names[0] == "crossfittransformer__crossfittransformer_0"
    columns = make_column_transformer(
        (CrossFitTransformer(GaussianNB()), list("abcde")), remainder="drop"
    )
    assert_array_equal(columns.fit_transform(table, y), alone)


def test_x_is_handed_on_as_it_came():
    X, y = two_classes()
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    text = [f"word{i % 7} {label}" for i, label in enumerate(y)]
    assert CrossFitTransformer(model).fit_transform(text, y).shape == (200, 2)

    S = sparse.csr_array(X)
    assert CrossFitTransformer(LogisticRegression()).fit_transform(S, y).shape == (200, 2)

    table = pd.DataFrame({"size": X[:, 0], "town": np.where(X[:, 1] > 0, "Rome", "Oslo")})
    encoder = ColumnTransformer([("town", OneHotEncoder(), ["town"])], remainder="passthrough")
    cross_fit = CrossFitTransformer(
        make_pipeline(encoder, LogisticRegression()), passthrough=["size"]
    )
    assert_array_equal(cross_fit.fit_transform(table, y)[:, 2], X[:, 0])
    assert_array_equal(cross_fit.feature_names_in_, ["size", "town"])
    with pytest.raises(ValueError, match=r"numeric.*chosen by passthrough="):
        cross_fit.set_params(passthrough=True).fit_transform(table, y)


def test_names_and_counts_come_from_the_classifier():
    X, y = two_classes()
    cross_fit = CrossFitTransformer(GaussianNB())
    assert not hasattr(cross_fit, "n_features_in_")
    cross_fit.fit(pd.DataFrame(X, columns=list("abcde")), y)
    assert cross_fit.n_features_in_ == 5
    assert_array_equal(cross_fit.feature_names_in_, list("abcde"))
    with pytest.raises(ValueError, match="feature names should match"):
        cross_fit.transform(pd.DataFrame(X, columns=list("edcba")))
    with pytest.raises(NotFittedError):
        clone(cross_fit).transform(X)
    with pytest.raises(NotFittedError):
        clone(cross_fit).get_feature_names_out()
