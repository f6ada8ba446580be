"""Folds that do not fit the rows, and weights that reach a step of a pipeline by name."""

import warnings

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_calib.calibrators import CalibratedClassifier, CrossFitTransformer, PlattCalibrator
from sklearn_calib.inference import calibration_test_score
from tests._spies import Recorder


def two_classes(n_samples=200):
    return make_classification(n_samples=n_samples, n_features=5, flip_y=0.2, random_state=0)


GROUPS = np.repeat(np.arange(20), 10)
WRAPPERS = {
    "pooled": lambda cv: CalibratedClassifier(GaussianNB(), PlattCalibrator(), cv=cv),
    "ensemble": lambda cv: CalibratedClassifier(
        GaussianNB(), PlattCalibrator(), cv=cv, ensemble=True
    ),
    "step": lambda cv: make_pipeline(
        CrossFitTransformer(GaussianNB(), cv=cv), PlattCalibrator(input="probability")
    ),
}
parametrize_wrappers = pytest.mark.parametrize("wrapper", WRAPPERS)


# Splits that were made for other rows


@parametrize_wrappers
@pytest.mark.parametrize(
    "form",
    [
        list,
        lambda splits: [(np.isin(range(200), a), np.isin(range(200), b)) for a, b in splits],
        lambda splits: PredefinedSplit(GROUPS % 4),
    ],
    ids=["numbers", "masks", "PredefinedSplit"],
)
def test_splits_of_the_whole_data_inside_an_outer_fold_are_explained(wrapper, form):
    X, y = two_classes()
    model = WRAPPERS[wrapper](form(list(GroupKFold(4).split(X, y, GROUPS))))
    model.fit(X, y)
    explained = r"made for other rows. Inside a cross-validation.*GroupKFold.*enable_metadata_ro"
    with pytest.raises(ValueError, match=explained):
        cross_val_score(model, X, y, cv=4, error_score="raise")
    with pytest.raises(ValueError, match=explained):
        GridSearchCV(model, {}, cv=4, error_score="raise").fit(X, y)


def test_partial_splits_that_fit_by_chance_warn():
    X, y = two_classes()
    few = [(np.arange(0, 60), np.arange(60, 100)), (np.arange(40, 100), np.arange(0, 40))]
    model = WRAPPERS["ensemble"](few)
    with pytest.warns(UserWarning, match=r"name 100 of the 160 rows; row 100 .*enable_metadata"):
        cross_val_score(model, X, y, cv=5, error_score="raise")


@pytest.mark.parametrize("cv", [ShuffleSplit(2, train_size=0.5, test_size=0.2), KFold(3)], ids=str)
def test_splitters_may_pass_over_rows_without_a_warning(cv):
    X, y = two_classes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        WRAPPERS["ensemble"](cv).fit(X, y)
        WRAPPERS["ensemble"](list(KFold(3).split(X))).fit(X, y)


def test_groups_stay_together_inside_an_outer_fold_with_routing():
    X, y = two_classes()
    X[:, 0] = GROUPS

    class KnowsGroups(GaussianNB):
        def fit(self, X, y):
            self.groups_ = np.unique(X[:, 0])
            return super().fit(X, y)

        def predict_proba(self, X):
            seen.append(np.isin(X[:, 0], self.groups_).any())
            return super().predict_proba(X)

    seen = []
    with sklearn.config_context(enable_metadata_routing=True):
        model = CalibratedClassifier(KnowsGroups(), PlattCalibrator(), cv=GroupKFold(3))
        cross_val_score(model, X, y, cv=GroupKFold(4), params={"groups": GROUPS})
    assert seen
    assert not any(seen)


@parametrize_wrappers
def test_a_used_up_generator_is_explained(wrapper):
    X, y = two_classes()
    model = WRAPPERS[wrapper](StratifiedKFold(3).split(X, y))
    model.fit(X, y)
    with pytest.raises(ValueError, match=r"gives no fold. It is an iterator.*used it up.*cv=list"):
        model.fit(X, y)


@parametrize_wrappers
def test_no_fold_at_all(wrapper):
    X, y = two_classes()
    with pytest.raises(ValueError, match=r"cv=\[\] gives no fold. At least one fold is needed"):
        WRAPPERS[wrapper]([]).fit(X, y)


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ([np.arange(200)], r"Fold 1 of cv= does not fit: got an array of shape \(\)"),
        ([(np.arange(100), np.arange(100, 200) * 1.0)], r"shape \(100,\) and dtype float64"),
        ([(np.eye(2, dtype=int), np.arange(9))], r"shape \(2, 2\) and dtype int64"),
        ([(np.arange(100), np.arange(100, 201))], "names row 200, but y has the rows 0 to 199"),
        ([(np.arange(100), np.array([-201]))], "names row -201, but y"),
        ([(np.ones(9, dtype=bool), np.arange(9))], "a mask has 9 entries, but y has 200 rows"),
    ],
)
def test_malformed_folds_are_named(cv, message):
    X, y = two_classes()
    with pytest.raises(ValueError, match=message):
        WRAPPERS["ensemble"](cv).fit(X, y)


def test_the_cross_validated_test_refuses_the_same_folds():
    X, y = two_classes()
    used_up = StratifiedKFold(3).split(X, y)
    list(used_up)
    for cv, message in [
        ([], r"cv=\[\] gives no fold"),
        (used_up, "an earlier fit has used it up"),
        ([(np.arange(100), np.arange(100, 201))], "names row 200, but y has the rows 0 to 199"),
    ]:
        with pytest.raises(ValueError, match=message):
            calibration_test_score(GaussianNB(), X, y, cv=cv, n_resamples=9)


# Weights of a step


def weighted_data():
    X, y = make_classification(n_samples=300, n_features=4, flip_y=0.3, random_state=1)
    return X, y, np.where(y == 1, 9.0, 1.0)


def pipeline():
    return make_pipeline(StandardScaler(), LogisticRegression())


@pytest.mark.parametrize("ensemble", [False, True])
def test_weights_of_a_step_reach_the_calibrator(ensemble):
    X, y, weight = weighted_data()
    model = CalibratedClassifier(pipeline(), PlattCalibrator(), ensemble=ensemble)
    fitted = clone(model).fit(X, y, logisticregression__sample_weight=weight)
    rate = np.average(y, weights=weight)
    proba = np.average(fitted.predict_proba(X)[:, 1], weights=weight)
    assert proba == pytest.approx(rate, abs=0.01)

    with sklearn.config_context(enable_metadata_routing=True):
        inner = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            LogisticRegression().set_fit_request(sample_weight=True),
        )
        routed = CalibratedClassifier(
            inner, PlattCalibrator().set_fit_request(sample_weight=True), ensemble=ensemble
        ).fit(X, y, sample_weight=weight)
        expected = routed.predict_proba(X)
    assert_allclose(fitted.predict_proba(X), expected, rtol=1e-12)


def test_weights_of_nested_and_of_several_steps():
    X, y, weight = weighted_data()
    nested = make_pipeline(make_pipeline(StandardScaler(), RandomForestClassifier(5)))
    for model, names in [
        (nested, ["pipeline__randomforestclassifier__sample_weight"]),
        (pipeline(), ["logisticregression__sample_weight", "standardscaler__sample_weight"]),
    ]:
        fitted = CalibratedClassifier(model, Recorder()).fit(X, y, **dict.fromkeys(names, weight))
        assert_array_equal(fitted.calibrator_.sample_weight_, weight)


def test_weights_beside_those_of_a_step_go_to_the_calibrator_without_a_warning():
    X, y, weight = weighted_data()
    fitted = CalibratedClassifier(pipeline(), Recorder()).fit(
        X, y, sample_weight=weight, logisticregression__sample_weight=np.ones(300)
    )
    assert_array_equal(fitted.calibrator_.sample_weight_, weight)
    expected = pipeline().fit(X, y, logisticregression__sample_weight=np.ones(300))
    assert_array_equal(fitted.estimator_.predict_proba(X), expected.predict_proba(X))


def test_different_weights_of_two_steps_are_refused():
    X, y, weight = weighted_data()
    with pytest.raises(ValueError, match=r"logisticregression__sample_weight= and standardscaler_"):
        CalibratedClassifier(pipeline(), PlattCalibrator()).fit(
            X,
            y,
            logisticregression__sample_weight=weight,
            standardscaler__sample_weight=2.0 * weight,
        )


def test_bad_weights_of_a_step_are_refused():
    X, y, weight = weighted_data()
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        CalibratedClassifier(pipeline(), PlattCalibrator()).fit(
            X, y, logisticregression__sample_weight=-weight
        )


def test_no_weights_of_a_step_are_no_weights():
    X, y, _ = weighted_data()
    fitted = CalibratedClassifier(pipeline(), Recorder()).fit(
        X, y, logisticregression__sample_weight=None
    )
    assert fitted.calibrator_.sample_weight_ is None
