"""`calibration_test_score`: every fold is tested on rows that its model never saw."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom, chi2
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.inference import calibration_test_score, check_calibration

X, Y = make_classification(n_samples=120, n_features=4, random_state=0)


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers its training rows by the first feature and refuses to predict them."""

    def __init__(self, rate=0.5):
        self.rate = rate

    def fit(self, X, y, weight=None):
        assert weight is None or np.array_equal(weight, X[:, 0])
        self.seen_ = set(X[:, 0])
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        assert self.seen_.isdisjoint(X[:, 0])
        return np.tile([1 - self.rate, self.rate], (len(X), 1))


def test_folds_are_tested_on_unseen_rows():
    result = calibration_test_score(Spy(), X, Y, cv=4, n_resamples=19, random_state=0)
    assert result.fold_pvalues.shape == (4,)
    assert [r.n_samples for r in result.fold_results] == [30] * 4


def test_combination_rule():
    options = {"cv": KFold(3), "n_resamples": 99, "random_state": 0}
    good = calibration_test_score(Spy(), X, Y, **options)
    bad = calibration_test_score(Spy(0.9), X, Y, **options)
    assert_array_equal(good.fold_pvalues, [r.pvalue for r in good.fold_results])
    assert good.pvalue == min(1.0, 3 * np.min(good.fold_pvalues))
    assert good.combination == "bonferroni"
    assert_allclose(bad.fold_pvalues, 0.01)
    assert tuple(bad) == (bad.statistic, pytest.approx(0.03))
    assert bad.statistic == np.mean([r.statistic for r in bad.fold_results])


def test_a_fold_is_check_calibration_of_the_refitted_model():
    cv, model = StratifiedKFold(3), LogisticRegression()
    result = calibration_test_score(
        model, X, Y, cv=cv, local=True, statistic_params={"prob_bandwidth": 0.3}, random_state=5
    )
    seeds = check_generator(5).integers(2**63, size=3)
    for fold, seed, (train, test) in zip(result.fold_results, seeds, cv.split(X, Y)):
        proba = model.fit(X[train], Y[train]).predict_proba(X[test])
        alone = check_calibration(
            Y[test], proba, X[test], prob_bandwidth=0.3, random_state=int(seed)
        )
        assert fold.statistic == pytest.approx(alone.statistic, rel=1e-12)
        assert fold.pvalue == alone.pvalue


def test_estimator_is_cloned():
    model = LogisticRegression()
    calibration_test_score(model, X, Y, n_resamples=9)
    assert not hasattr(model, "coef_")


def test_text_labels_frames_and_a_callable_for_features():
    frame, text = pd.DataFrame(X, columns=list("abcd")), np.array(["no", "yes"])[Y]
    options = {"cv": 3, "n_resamples": 49, "random_state": 0}
    result = calibration_test_score(
        LogisticRegression(), frame, text, local=lambda X: X[["a"]], **options
    )
    array = calibration_test_score(LogisticRegression(), X, Y, local=lambda X: X[:, [0]], **options)
    assert_allclose(result.fold_pvalues, array.fold_pvalues)
    assert [r.statistic_name for r in result.fold_results] == ["klce"] * 3


def test_a_fold_may_lack_a_class():
    y = np.arange(120) % 3
    y[:40] = np.arange(40) % 2
    result = calibration_test_score(
        LogisticRegression(), X, y, cv=KFold(3), n_resamples=9, random_state=0
    )
    assert [r.target for r in result.fold_results] == ["canonical"] * 3


def test_folds_that_test_their_training_rows_are_refused():
    rows = np.arange(len(Y))
    for train, test, shared in ((rows, rows, 119), (rows[:60], rows[40:], 19)):
        message = f"Fold 2 of 2 of cv trains and tests on the same rows .* and {shared} more"
        with pytest.raises(ValueError, match=message):
            calibration_test_score(
                LogisticRegression(), X, Y, cv=[(rows[:60], rows[60:]), (train, test)]
            )


def test_rows_that_a_fold_tests_twice_are_refused_and_training_rows_may_repeat():
    rows = np.arange(60)
    message = r"Fold 2 of 2 of cv tests row 70 3 times.*without replacement"
    with pytest.raises(ValueError, match=message):
        calibration_test_score(
            LogisticRegression(), X, Y, cv=[(rows, rows + 60), (rows, [61, 70, 70, 62, 70])]
        )
    boot = np.repeat(rows, 2)
    result = calibration_test_score(
        LogisticRegression(), X, Y, cv=[(boot, rows + 60)], n_resamples=99, random_state=0
    )
    assert len(result.fold_pvalues) == 1


def test_dask_collections_are_refused_by_name():
    array = pytest.importorskip("dask.array")
    with pytest.raises(TypeError, match="X must be in memory here, got a Dask Array"):
        calibration_test_score(LogisticRegression(), array.from_array(X), Y)
    with pytest.raises(TypeError, match="groups must be in memory here, got a Dask Array"):
        calibration_test_score(LogisticRegression(), X, Y, groups=array.from_array(Y))


def test_groups_that_cv_does_not_look_at_are_named():
    splits = list(KFold(3).split(X))
    for cv, words in (("forward", "cv='forward'"), (splits, "made beforehand"), (3, "KFold")):
        with pytest.warns(UserWarning, match=f"ignored by .*{words}"):
            calibration_test_score(Spy(), X, Y, cv=cv, groups=Y, n_resamples=9, random_state=0)


def test_training_rows_of_one_class_are_named():
    with pytest.raises(ValueError, match=r"training rows have the class .*1.* only"):
        calibration_test_score(DecisionTreeClassifier(), X, np.ones(120, dtype=int), cv=3)


def test_parameters_groups_and_weights():
    weight, groups = np.arange(120) // 6 % 3.0, np.arange(120) % 6
    result = calibration_test_score(
        Spy(),
        X,
        Y,
        cv=GroupKFold(3),
        groups=groups,
        params={"weight": X[:, 0]},
        sample_weight=weight,
        statistic="ece",
        n_resamples=9,
    )
    assert sum(r.n_samples for r in result.fold_results) == np.count_nonzero(weight)


def test_parallel_and_seeds():
    options = {"cv": 3, "n_resamples": 49}
    one = calibration_test_score(LogisticRegression(), X, Y, random_state=1, **options)
    two = calibration_test_score(LogisticRegression(), X, Y, random_state=1, n_jobs=2, **options)
    other = calibration_test_score(LogisticRegression(), X, Y, random_state=2, **options)
    assert_array_equal(one.fold_pvalues, two.fold_pvalues)
    assert (one.fold_pvalues != other.fold_pvalues).any()


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((LinearSVC(), X, Y), {}, AttributeError, "predict_proba"),
        ((Spy(), X, Y), {"cv": LeaveOneOut()}, ValueError, "Fold 0, with 1 rows, cannot be tested"),
        ((Spy(), X, np.repeat([0, 1, 2], 40)), {"cv": KFold(3)}, ValueError, r"contains \[0\]"),
        ((Spy(), X, Y), {"labels": [0, 1]}, ValueError, "it is classes_ of the fitted estimator"),
        ((Spy(), X, Y), {"n_resamples": 0}, ValueError, "^n_resamples must be a whole number"),
        ((Spy(), X, Y), {"statistic": "brier"}, ValueError, "statistic must be one of"),
        ((Spy(), X, Y), {"sample_weight": [1.0]}, ValueError, "sample_weight must have shape"),
    ],
)
def test_bad_input(arguments, options, error, message):
    with pytest.raises(error, match=message):
        calibration_test_score(*arguments, **options)


class Told(ClassifierMixin, BaseEstimator):
    """Predicts the first feature, shifted, whatever it was fitted on."""

    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):
        p = X[:, 0] + self.shift
        return np.column_stack([1 - p, p])


def told_data(seed, n=500):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.1, 0.9, size=n)
    return p[:, np.newaxis], (rng.random(n) < p).astype(int)


@pytest.mark.parametrize("cv", [None, 4])
def test_a_number_of_folds_means_shuffled_folds_without_stratification(cv):
    result = calibration_test_score(Told(), *told_data(0), cv=cv, n_resamples=9, random_state=0)
    assert [r.n_samples for r in result.fold_results] == [500 // (cv or 5)] * (cv or 5)
    X, y = np.arange(60.0)[:, np.newaxis] / 100, np.repeat([0, 1], 30)
    rates = []

    class Rate(Told):
        def predict_proba(self, X):
            rates.append(np.mean(X[:, 0] >= 0.3))
            return super().predict_proba(X)

    calibration_test_score(Rate(), X, y, cv=cv, n_resamples=9, random_state=0)
    assert 0 < min(rates) < max(rates) < 1  # neither in the order of the rows nor stratified


def test_forward_trains_on_the_parts_before_and_combines_by_fisher():
    trained = []

    class Notes(Told):
        def fit(self, X, y):
            trained.append(set(X[:, 0]))
            return super().fit(X, y)

        def predict_proba(self, X):
            assert trained[-1].isdisjoint(X[:, 0])
            return super().predict_proba(X)

    X, y = told_data(1, n=121)
    result = calibration_test_score(
        Notes(), X, y, cv="forward", n_resamples=99, random_state=0, statistic="ece"
    )
    assert [len(rows) for rows in trained] == [21, 41, 61, 81, 101]
    assert all(earlier < later for earlier, later in pairwise(trained))
    assert [r.n_samples for r in result.fold_results] == [20] * 5
    statistic = -2 * np.sum(np.log(result.fold_pvalues))
    assert_allclose(result.pvalue, chi2(10).sf(statistic), rtol=1e-12)
    assert result.combination == "fisher"
    ordered = calibration_test_score(
        Told(), X, y, cv=TimeSeriesSplit(3), n_resamples=99, random_state=0
    )
    expected = chi2(6).sf(-2 * np.sum(np.log(ordered.fold_pvalues)))
    assert_allclose(ordered.pvalue, expected, rtol=1e-12)


def test_what_cv_may_be():
    X, y = told_data(0, n=5)
    with pytest.raises(ValueError, match="cv must be one of 'forward', got 'backward'"):
        calibration_test_score(Told(), X, y, cv="backward")
    with pytest.raises(ValueError, match="n too small: cv='forward' cuts the rows into 6 parts"):
        calibration_test_score(Told(), X, y, cv="forward")


def rejected(shift, cv, n_seeds):
    return sum(
        calibration_test_score(
            Told(shift), *told_data(seed), cv=cv, n_resamples=199, random_state=seed
        ).pvalue
        <= 0.05
        for seed in range(n_seeds)
    )


@pytest.mark.slow
@pytest.mark.parametrize("cv", [5, "forward"])
def test_level_and_power(cv):
    """Calibration is rejected in 5 %, a shift of 0.08 found in 60 % of samples of 500 rows."""
    assert rejected(0.0, cv, 200) <= binom(200, 0.05).ppf(0.999)
    assert rejected(0.08, cv, 60) >= binom(60, 0.6).ppf(0.01)
