import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import logit
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
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
from tests._spies import FixedScores, Recorder

METHODS = ["platt", "beta", "isotonic", "histogram", "temperature"]


@parametrize_with_checks(
    [
        CalibratedClassifier(LogisticRegression(), OneVsRestCalibrator()),
        CalibratedClassifier(LogisticRegression(), OneVsRestCalibrator(), cv=3, ensemble=True),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def two_classes():
    return make_classification(n_samples=200, n_features=5, flip_y=0.2, random_state=0)


def three_classes():
    return make_classification(
        n_samples=240, n_features=5, n_informative=4, n_redundant=0, n_classes=3, random_state=0
    )


# What is fitted on what


def clipped_log_odds(proba, calibration_proba):
    distance = np.minimum(calibration_proba, 1.0 - calibration_proba)
    floor = max(distance[distance > 0.0].min() / 2.0, np.finfo(float).eps)
    return logit(np.clip(proba, floor, 1.0 - floor))


def oracle(estimator, calibrator, X, y, X_new, splits, ensemble):
    """Compute the definition, fold by fold and row by row."""
    columns = slice(1, None) if len(np.unique(y)) == 2 else slice(None)

    def fit_predict(model, held_out, rows):
        proba_new = model.predict_proba(X_new)[:, columns]
        if calibrator.input_scale != "probability":
            proba_new = clipped_log_odds(proba_new, held_out)
            held_out = clipped_log_odds(held_out, held_out)
        return clone(calibrator).fit(held_out, y[rows]).predict_proba(proba_new)

    averaged, pooled = [], {}
    for train, test in splits:
        model = clone(estimator).fit(X[train], y[train])
        proba = model.predict_proba(X[test])[:, columns]
        if ensemble:
            averaged.append(fit_predict(model, proba, test))
        pooled.update(zip(test.tolist(), proba))
    if ensemble:
        return np.mean(averaged, axis=0)
    everything = np.arange(len(y))
    held_out = np.array([pooled[row] for row in everything])
    return fit_predict(clone(estimator).fit(X, y), held_out, everything)


@pytest.mark.parametrize("data", [two_classes, three_classes])
@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_matches_the_definition(data, ensemble, method):
    X, y = data()
    cv = StratifiedKFold(4, shuffle=True, random_state=3)
    X_new = X + 0.1
    forest = RandomForestClassifier(n_estimators=10, max_depth=4, random_state=0)
    calibrator = OneVsRestCalibrator(method)
    fitted = CalibratedClassifier(forest, calibrator, cv=cv, ensemble=ensemble).fit(X, y)
    expected = oracle(forest, calibrator, X, y, X_new, list(cv.split(X, y)), ensemble)
    assert_allclose(fitted.predict_proba(X_new), expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_iris])
@pytest.mark.parametrize("ensemble", [False, True])
def test_isotonic_agrees_with_scikit_learn(load, ensemble):
    X, y = load(return_X_y=True)
    cv, forest = StratifiedKFold(3), RandomForestClassifier(10, random_state=0)
    ours = CalibratedClassifier(forest, OneVsRestCalibrator(), cv=cv, ensemble=ensemble)
    theirs = CalibratedClassifierCV(forest, method="isotonic", cv=cv, ensemble=ensemble)
    assert_allclose(
        ours.fit(X, y).predict_proba(X),
        theirs.fit(X, y).predict_proba(X),
        rtol=1e-10,
        atol=1e-12,
    )


@pytest.mark.parametrize("ensemble", [False, True])
def test_sigmoid_of_a_decision_function_agrees_with_scikit_learn(ensemble):
    X, y = two_classes()
    ours = CalibratedClassifier(LinearSVC(), PlattCalibrator(), ensemble=ensemble)
    theirs = CalibratedClassifierCV(LinearSVC(), method="sigmoid", cv=5, ensemble=ensemble)
    # scikit-learn stops its optimiser early
    assert_allclose(ours.fit(X, y).predict_proba(X), theirs.fit(X, y).predict_proba(X), rtol=1e-3)


def test_fitted_attributes():
    X, y = two_classes()
    one = CalibratedClassifier(GaussianNB(), IsotonicCalibrator()).fit(X, y)
    assert one.estimators_ == [one.estimator_]
    assert one.calibrators_ == [one.calibrator_]
    assert_allclose(one.estimator_.theta_, GaussianNB().fit(X, y).theta_, rtol=1e-15)
    assert_array_equal(one.classes_, [0, 1])

    average = CalibratedClassifier(GaussianNB(), IsotonicCalibrator(), cv=3, ensemble=True)
    average.fit(X, y)
    assert len(average.estimators_) == len(average.calibrators_) == 3
    for name in ("estimator_", "calibrator_"):
        with pytest.raises(AttributeError, match=f"{name} is not defined with ensemble=True"):
            getattr(average, name)

    average.set_params(ensemble=False).fit(X, y)
    assert_array_equal(average.predict_proba(X), one.set_params(cv=3).fit(X, y).predict_proba(X))


def test_the_parts_given_are_cloned_and_stay_unfitted():
    X, y = two_classes()
    classifier, calibrator = GaussianNB(), IsotonicCalibrator()
    CalibratedClassifier(classifier, calibrator).fit(X, y)
    for part in (classifier, calibrator):
        with pytest.raises(NotFittedError):
            sklearn.utils.validation.check_is_fitted(part)


@pytest.mark.parametrize("ensemble", [False, True])
def test_jobs_do_not_change_the_result(ensemble):
    X, y = three_classes()
    fits = [
        CalibratedClassifier(
            RandomForestClassifier(5, random_state=0),
            OneVsRestCalibrator("platt"),
            ensemble=ensemble,
            n_jobs=n_jobs,
        ).fit(X, y)
        for n_jobs in (None, 2)
    ]
    assert_array_equal(fits[0].predict_proba(X), fits[1].predict_proba(X))


@pytest.mark.parametrize("ensemble", [False, True])
def test_fits_repeat_and_leave_the_global_state_alone_c33(ensemble):
    X, y = two_classes()
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    make = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator("beta"), ensemble=ensemble)
    proba = make.fit(X, y).predict_proba(X)
    assert_array_equal(clone(make).fit(X, y).predict_proba(X), proba)
    assert_array_equal(pickle.loads(pickle.dumps(make)).predict_proba(X), proba)
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert "random_state" not in make.get_params(deep=False)


def test_parameters_are_kept_as_given_c30():
    splits, columns = [(np.arange(3), np.arange(3, 6))], [0, 1]
    estimator = CalibratedClassifier(
        GaussianNB(), IsotonicCalibrator(), cv=splits, passthrough=columns
    )
    assert estimator.get_params()["cv"] is splits
    assert estimator.get_params()["passthrough"] is columns
    clone(estimator)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ensemble", [False, True])
def test_rows_sum_to_one_c25(method, ensemble):
    X, y = three_classes()
    fitted = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator(method), ensemble=ensemble)
    proba = fitted.fit(X, y).predict_proba(X)
    assert proba.dtype == np.float64
    assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    assert proba.min() >= 0.0
    assert proba.max() <= 1.0


def test_predict_follows_the_calibrated_probabilities_c24():
    # The classifier says 0.4 for the second class, which is right in 3 of 5 cases.
    X, y = np.full((50, 1), 0.4), np.tile([1, 1, 1, 0, 0], 10)
    fitted = CalibratedClassifier(FixedScores(), IsotonicCalibrator()).fit(X, y)
    assert_allclose(fitted.predict_proba(X), np.tile([0.4, 0.6], (50, 1)), rtol=1e-12)
    assert_array_equal(FixedScores().fit(X, y).predict(X), 0)
    assert_array_equal(fitted.predict(X), 1)

    tied = CalibratedClassifier(FixedScores(), IsotonicCalibrator()).fit(X, np.tile([0, 1], 25))
    assert_array_equal(tied.predict(X), 0)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "yes"]),
        np.array([False, True]),
        np.array([0.0, 1.0]),
        np.array([-1, 1]),
        np.array([3, 7, 11]),
        np.array(["a", "b", "c"], dtype=object),
    ],
    ids=str,
)
@pytest.mark.parametrize("ensemble", [False, True])
def test_labels_of_any_kind_c23(labels, ensemble):
    X, codes = two_classes() if len(labels) == 2 else three_classes()
    estimator = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator("beta"), ensemble=ensemble)
    plain = clone(estimator).fit(X, codes)
    for y in (labels[codes], labels[codes].tolist(), pd.Series(labels[codes], index=codes)):
        fitted = clone(estimator).fit(X, y)
        assert isinstance(fitted.classes_, np.ndarray)
        assert_array_equal(fitted.classes_, labels)
        assert_array_equal(fitted.predict_proba(X), plain.predict_proba(X))
        assert_array_equal(fitted.predict(X), labels[plain.predict(X)])


def test_one_class_or_none_raises():
    X = np.arange(10.0).reshape(-1, 1)
    with pytest.raises(ValueError, match=r"y has one class only, \[1\]"):
        CalibratedClassifier(GaussianNB(), IsotonicCalibrator()).fit(X, np.ones(10, dtype=int))


def test_binary_parts_refuse_more_classes():
    X, y = three_classes()
    with pytest.raises(ValueError, match=r"Only binary classification is supported.*OneVsRest"):
        CalibratedClassifier(GaussianNB(), IsotonicCalibrator()).fit(X, y)


# Input scale


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
def test_the_identity_is_in_the_family_c10(calibrator):
    # 0.9 and 0.1 in equal parts, right in nine of ten cases: nothing to correct.
    X = np.repeat([0.9, 0.1], 5000).reshape(-1, 1)
    y = np.tile(np.r_[np.ones(9), 0], 1000).astype(int)
    y[5000:] = 1 - y[5000:]
    fitted = CalibratedClassifier(FixedScores(), calibrator).fit(X, y)
    assert_allclose(fitted.predict_proba([[0.9], [0.1]])[:, 1], [0.9, 0.1], atol=1e-3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("data", [two_classes, three_classes])
def test_float32_probabilities_c06(method, data):
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
def test_float32_probabilities_next_to_one_keep_their_log_odds_c06(calibrator):
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
def test_constant_and_exact_scores_c07(method):
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
def test_the_prior_comes_back_after_class_weights_c37(method):
    X, y = make_classification(
        n_samples=4000, weights=[0.95], flip_y=0.02, class_sep=0.8, random_state=0
    )
    model = LogisticRegression(class_weight="balanced", max_iter=1000)
    calibrated = CalibratedClassifier(model, OneVsRestCalibrator(method)).fit(X, y)
    assert abs(model.fit(X, y).predict_proba(X)[:, 1].mean() - y.mean()) > 0.1
    assert calibrated.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.01)


def test_default_folds_do_not_trust_a_fully_grown_tree_c17():
    X, y = make_classification(n_samples=1000, flip_y=0.4, random_state=0)
    tree = DecisionTreeClassifier(random_state=0)
    fitted = CalibratedClassifier(tree, IsotonicCalibrator()).fit(X[:500], y[:500])
    in_sample = fitted.estimator_.predict_proba(X[:500])
    assert_array_equal(in_sample.argmax(axis=1), y[:500])
    sure = fitted.predict_proba(X[:500]).max(axis=1)
    assert sure.max() < 0.8
    raw = log_loss(y[500:], fitted.estimator_.predict_proba(X[500:]))
    assert log_loss(y[500:], fitted.predict_proba(X[500:])) < 0.1 * raw


# Folds


@pytest.mark.parametrize("ensemble", [False, True])
def test_a_training_fold_without_a_class_is_named_c02_c03(ensemble):
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1, 2], 4)
    estimator = CalibratedClassifier(
        GaussianNB(), OneVsRestCalibrator(), cv=KFold(3), ensemble=ensemble
    )
    with pytest.raises(ValueError, match="Fold 1 of 3 of cv has no row of class 0 among its 8 tra"):
        estimator.fit(X, y)
    with pytest.raises(ValueError, match="class 'a' among its 8 training rows"):
        estimator.fit(X, np.array(["a", "b", "c"])[y])


def test_a_test_fold_without_a_class_is_named_for_averages_only():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.r_[np.zeros(45), [1] * 15].astype(int)
    cv = PredefinedSplit(np.r_[np.zeros(20), np.ones(20), np.full(10, 2), np.ones(10)])
    estimator = CalibratedClassifier(GaussianNB(), IsotonicCalibrator(), cv=cv)
    estimator.fit(X, y)
    with pytest.raises(ValueError, match="Fold 1 of 3 of cv has no row of class 1 among its 20 te"):
        estimator.set_params(ensemble=True).fit(X, y)


@pytest.mark.parametrize("cv", [LeaveOneOut(), KFold(40)], ids=str)
def test_leave_one_out_c04(cv):
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    estimator = CalibratedClassifier(GaussianNB(), PlattCalibrator(), cv=cv)
    with pytest.raises(ValueError, match=r"no row of class 1 among its 1 test rows.*ensemble=F"):
        clone(estimator).set_params(ensemble=True).fit(X, y)
    assert np.isfinite(estimator.fit(X, y).predict_proba(X)).all()


def test_repeated_and_partial_splits_c27():
    X, y = two_classes()
    estimator = CalibratedClassifier(GaussianNB(), IsotonicCalibrator(), cv=None)
    for cv, row in [
        (RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0), "row 0 is in 2"),
        (ShuffleSplit(1, test_size=0.5, random_state=0), r"row \d+ is in 0"),
    ]:
        with pytest.raises(ValueError, match=rf"must form a partition.*{row}.*ensemble=True"):
            estimator.set_params(cv=cv, ensemble=False).fit(X, y)
        estimator.set_params(ensemble=True).fit(X, y)
        assert len(estimator.estimators_) == cv.get_n_splits(X, y)


@pytest.mark.parametrize("ensemble", [False, True])
def test_folds_that_share_rows_are_refused(ensemble):
    X, y = two_classes()
    everything = np.arange(200)
    cv = [(everything, everything[:100]), (everything[:100], everything[100:])]
    with pytest.raises(ValueError, match="Fold 1 of 2 of cv trains and tests on the same rows"):
        CalibratedClassifier(GaussianNB(), IsotonicCalibrator(), cv=cv, ensemble=ensemble).fit(X, y)


def test_splits_may_be_masks_and_come_in_any_order():
    X, y = two_classes()
    splits = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    rows = np.arange(200)
    masks = [(np.isin(rows, train), np.isin(rows, test)) for train, test in splits[::-1]]
    proba = [
        CalibratedClassifier(GaussianNB(), IsotonicCalibrator(), cv=cv).fit(X, y).predict_proba(X)
        for cv in (splits, masks, iter(splits))
    ]
    assert_array_equal(proba[0], proba[1])
    assert_array_equal(proba[0], proba[2])


def test_rare_classes_are_fine_while_every_fold_can_train_on_them_c40():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(43, 2)), np.r_[np.arange(40) % 2, 2, 2, 2]
    with pytest.warns(UserWarning, match="least populated class"):
        fitted = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator()).fit(X, y)
    assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)


# Groups


@pytest.mark.parametrize("ensemble", [False, True])
def test_groups_c28(ensemble):
    X, y = two_classes()
    groups = np.repeat(np.arange(20), 10)
    splits = list(GroupKFold(4).split(X, y, groups))
    make = CalibratedClassifier(GaussianNB(), PlattCalibrator(), ensemble=ensemble)
    expected = clone(make).set_params(cv=splits).fit(X, y).predict_proba(X)

    by_routing = clone(make).set_params(cv=GroupKFold(4))
    for message, kwargs in [("needs groups", {}), ("groups= cannot reach", {"groups": groups})]:
        with pytest.raises(ValueError, match=rf"{message}.*metadata routing.*splitter.split"):
            by_routing.fit(X, y, **kwargs)
    with sklearn.config_context(enable_metadata_routing=True):
        assert_array_equal(by_routing.fit(X, y, groups=groups).predict_proba(X), expected)
        with pytest.raises(ValueError, match=r"LeaveOneGroupOut.* needs groups"):
            clone(make).set_params(cv=LeaveOneGroupOut()).fit(X, y)
        with pytest.raises(TypeError, match="groups"):
            clone(make).fit(X, y, groups=groups)


# Weights


def weighted_data():
    X, y = make_classification(n_samples=300, n_features=4, flip_y=0.3, random_state=1)
    return X, y, np.where(y == 1, 9.0, 1.0)


@pytest.mark.parametrize("ensemble", [False, True])
def test_weights_without_routing_c18(ensemble):
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


def test_out_of_fold_scores_come_from_weighted_fits_too_c18():
    X, y, weight = weighted_data()
    fitted = CalibratedClassifier(LogisticRegression(), Recorder()).fit(X, y, sample_weight=weight)
    train, test = next(StratifiedKFold(5).split(X, y))
    expected = LogisticRegression().fit(X[train], y[train], weight[train]).predict_proba(X[test])
    assert_allclose(fitted.calibrator_.S_[test, 0], expected[:, 1], rtol=1e-10)


@pytest.mark.parametrize("ensemble", [False, True])
def test_weights_that_cannot_be_passed_on_warn_c18(ensemble):
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
def test_weights_with_routing_c18(ensemble):
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


# Frozen models


class CountsFits(GaussianNB):
    n_fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).n_fits += 1
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("ensemble", [False, True])
def test_frozen_models_are_never_fitted_c16(ensemble):
    X, y = two_classes()
    frozen = FrozenEstimator(CountsFits().fit(X[:100], y[:100]))
    before = CountsFits.n_fits
    X_cal, y_cal, weight = X[100:], y[100:], np.ones(100)
    calibrated = CalibratedClassifier(frozen, OneVsRestCalibrator(), ensemble=ensemble)
    clone(calibrated).fit(X_cal, y_cal, sample_weight=weight)  # no warning: nothing is dropped
    search = GridSearchCV(
        calibrated, {"calibrator__method": ["isotonic", "platt"]}, cv=3, error_score="raise"
    )
    search.fit(X_cal, y_cal)
    assert CountsFits.n_fits == before
    assert all(model is frozen for model in search.best_estimator_.estimators_)

    proba = frozen.predict_proba(X_cal)[:, 1:]
    expected = OneVsRestCalibrator().fit(proba, y_cal).predict_proba(proba)
    if not ensemble:
        fitted = clone(calibrated).fit(X_cal, y_cal)
        assert_array_equal(fitted.predict_proba(X_cal), expected)


def test_frozen_models_need_no_folds():
    X, y = two_classes()
    frozen = FrozenEstimator(GaussianNB().fit(X, y))
    few = np.r_[np.flatnonzero(y == 0)[:3], np.flatnonzero(y == 1)[:1]]
    fitted = CalibratedClassifier(frozen, PlattCalibrator(), cv=5).fit(X[few], y[few])
    assert fitted.estimator_ is frozen


@pytest.mark.parametrize("ensemble", [False, True])
def test_frozen_but_unfitted_models_raise_c16(ensemble):
    X, y = two_classes()
    for base in (GaussianNB(), make_pipeline(StandardScaler(), GaussianNB())):
        calibrated = CalibratedClassifier(
            FrozenEstimator(base), IsotonicCalibrator(), ensemble=ensemble
        )
        with pytest.raises(NotFittedError):
            calibrated.fit(X, y)


@pytest.mark.parametrize("method", METHODS)
def test_calibration_rows_without_a_class_are_refused_c02(method):
    X, y = three_classes()
    frozen = FrozenEstimator(GaussianNB().fit(X, y))
    two = y < 2
    with pytest.raises(
        ValueError, match=r"fitted on the classes \[0, 1, 2\], but y has the .* \[0, 1"
    ):
        CalibratedClassifier(frozen, OneVsRestCalibrator(method)).fit(X[two], y[two])


# What X may be


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_text_c19(ensemble, method):
    text = [f"{word} {i}" for i in range(10) for word in ("good work", "fun", "bad luck", "poor")]
    y = [1, 1, 0, 0] * 10
    y[3], y[9], y[20] = 1 - y[3], 1 - y[9], 1 - y[20]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    fitted = CalibratedClassifier(model, OneVsRestCalibrator(method), ensemble=ensemble)
    fitted.fit(text, y)
    assert fitted.predict_proba(text).shape == (40, 2)
    assert fitted.score(text, y) > 0.7
    assert not hasattr(fitted, "n_features_in_")


def test_dicts_c19():
    rows = [{"kind": "a" if i % 3 else "b", "size": i % 7} for i in range(60)]
    y = [int(row["size"] > 3) ^ int(i % 5 == 0) for i, row in enumerate(rows)]
    model = make_pipeline(DictVectorizer(), LogisticRegression())
    fitted = CalibratedClassifier(model, OneVsRestCalibrator()).fit(rows, y)
    assert fitted.predict_proba(rows[:3]).shape == (3, 2)


class ThreeDimensional(GaussianNB):
    def fit(self, X, y):
        return super().fit(X.reshape(len(X), -1), y)

    def predict_proba(self, X):
        return super().predict_proba(X.reshape(len(X), -1))


def test_three_dimensions_c19():
    X, y = two_classes()
    flat = CalibratedClassifier(GaussianNB(), IsotonicCalibrator()).fit(X, y)
    deep = CalibratedClassifier(ThreeDimensional(), IsotonicCalibrator())
    deep.fit(X[:, :, None], y)
    assert_array_equal(deep.predict_proba(X[:, :, None]), flat.predict_proba(X))


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.coo_matrix, sparse.csc_matrix])
def test_sparse_c19(container):
    X, y = two_classes()
    calibrated = CalibratedClassifier(LogisticRegression(), OneVsRestCalibrator())
    dense = clone(calibrated).fit(X, y).predict_proba(X)
    assert_allclose(calibrated.fit(container(X), y).predict_proba(container(X)), dense, atol=1e-5)


def frame():
    X, y = two_classes()
    table = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(
        town=np.where(X[:, 2] > 0, "Rome", "Oslo")
    )
    model = make_pipeline(
        ColumnTransformer([("town", OneHotEncoder(), ["town"])], remainder="passthrough"),
        LogisticRegression(),
    )
    return table, y, model


@pytest.mark.parametrize("ensemble", [False, True])
def test_data_frames_c19_c20(ensemble):
    table, y, model = frame()
    fitted = CalibratedClassifier(model, OneVsRestCalibrator(), ensemble=ensemble).fit(table, y)
    fitted.predict_proba(table.set_index(np.arange(200)[::-1]))
    assert_array_equal(fitted.feature_names_in_, ["a", "b", "town"])
    assert fitted.n_features_in_ == 3


@pytest.mark.parametrize("ensemble", [False, True])
def test_names_and_counts_of_features_c20(ensemble):
    X, y = two_classes()
    table = pd.DataFrame(X[:, :2], columns=["a", "b"])
    fitted = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator(), ensemble=ensemble)
    assert not hasattr(fitted, "n_features_in_")
    fitted.fit(table, y)
    assert_array_equal(fitted.feature_names_in_, ["a", "b"])
    assert fitted.n_features_in_ == 2
    with pytest.raises(ValueError, match=r"feature names should match.*(\n.*)+same order"):
        fitted.predict_proba(table[["b", "a"]])
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict_proba(table.assign(c=0.0))
    fitted.fit(X, y)
    assert not hasattr(fitted, "feature_names_in_")
    with pytest.raises(ValueError, match="X has 2 features, but GaussianNB is expecting 5"):
        fitted.predict_proba(X[:, :2])


def test_precomputed_kernels():
    X, y = two_classes()
    kernel = CalibratedClassifier(SVC(kernel="precomputed"), PlattCalibrator()).fit(X @ X.T, y)
    plain = CalibratedClassifier(SVC(kernel="linear"), PlattCalibrator()).fit(X, y)
    assert_allclose(kernel.predict_proba(X @ X.T), plain.predict_proba(X), rtol=1e-5)


# Passthrough


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


def test_features_must_be_numbers_c19():
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


def test_sparse_features_c19():
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


# Parameters


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("estimator", "forest"),
        ("calibrator", "isotone"),
        ("cv", "five"),
        ("ensemble", "auto"),
        ("passthrough", "all"),
        ("n_jobs", 1.5),
    ],
)
def test_parameters_are_checked(name, value):
    X, y = two_classes()
    estimator = CalibratedClassifier(GaussianNB(), IsotonicCalibrator())
    with pytest.raises(ValueError, match=f"'{name}' parameter of CalibratedClassifier must be"):
        estimator.set_params(**{name: value}).fit(X, y)


def test_calibrators_can_be_searched():
    X, y = two_classes()
    search = GridSearchCV(
        CalibratedClassifier(GaussianNB(), IsotonicCalibrator(), cv=3),
        {
            "calibrator": [
                BetaCalibrator(),
                HistogramCalibrator(n_bins=5),
                OneVsRestCalibrator("temperature"),
                PlattCalibrator(),
            ],
            "ensemble": [False, True],
        },
        scoring="neg_log_loss",
        error_score="raise",
        cv=3,
    ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


class NotEvenAClassifier(BaseEstimator):
    """The least that works as a calibrator."""

    def fit(self, S, y):
        return self

    def predict_proba(self, S):
        return np.hstack([1.0 - S, S])


def test_the_least_that_works():
    X, y = two_classes()
    fitted = CalibratedClassifier(GaussianNB(), NotEvenAClassifier()).fit(X, y)
    assert_allclose(
        fitted.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X), rtol=1e-12, atol=1e-15
    )
    assert isinstance(fitted, ClassifierMixin)


WRAPPERS = {
    "CalibratedClassifier": lambda **options: CalibratedClassifier(
        GaussianNB(), OneVsRestCalibrator(), **options
    ),
    "CrossFitTransformer": lambda **options: CrossFitTransformer(GaussianNB(), **options),
}


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
def test_no_rows(wrapper):
    with pytest.raises(ValueError, match="y is empty"):
        wrapper().fit(np.empty((0, 3)), [])


@pytest.mark.parametrize("columns", [[20], ["zz"], ["c1", 2], [1.5]])
def test_passthrough_that_chooses_no_column_is_named(columns):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(
        ValueError, match=r"passthrough=.* does not choose columns of X, which has 13"
    ):
        WRAPPERS["CrossFitTransformer"](passthrough=columns).fit_transform(X, y)


class _OneRowTooFew(GaussianNB):
    def predict_proba(self, X):
        return super().predict_proba(X)[1:]


def test_a_classifier_that_loses_rows_is_named():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="_OneRowTooFew must give one row for each"):
        CalibratedClassifier(_OneRowTooFew(), OneVsRestCalibrator()).fit(X, y)
