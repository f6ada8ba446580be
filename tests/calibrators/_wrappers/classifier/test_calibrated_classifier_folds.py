"""CalibratedClassifier: folds, groups, and models that are fitted already."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
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
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_calib.calibrators import (
    CalibratedClassifier,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
)
from tests.calibrators._wrappers._data import METHODS, three_classes, two_classes


def test_default_folds_do_not_trust_a_fully_grown_tree():
    X, y = make_classification(n_samples=1000, flip_y=0.4, random_state=0)
    tree = DecisionTreeClassifier(random_state=0)
    fitted = CalibratedClassifier(tree, IsotonicCalibrator()).fit(X[:500], y[:500])
    in_sample = fitted.estimator_.predict_proba(X[:500])
    assert_array_equal(in_sample.argmax(axis=1), y[:500])
    sure = fitted.predict_proba(X[:500]).max(axis=1)
    assert sure.max() < 0.8
    raw = log_loss(y[500:], fitted.estimator_.predict_proba(X[500:]))
    assert log_loss(y[500:], fitted.predict_proba(X[500:])) < 0.1 * raw


@pytest.mark.parametrize("ensemble", [False, True])
def test_a_training_fold_without_a_class_is_named(ensemble):
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1, 2], 4)
    estimator = CalibratedClassifier(
        GaussianNB(), OneVsRestCalibrator(), cv=KFold(3), ensemble=ensemble
    )
    with pytest.raises(ValueError, match="Fold 1 of 3 of cv has no row of class 0 among its 8 tra"):
        estimator.fit(X, y)
    with pytest.raises(ValueError, match="class 'a' among its 8 training rows"):
        estimator.fit(X, np.array(["a", "b", "c"])[y])


@pytest.mark.parametrize(
    ("weightless", "ensemble", "message"),
    [
        (
            (0, 1, 4, 5),
            False,
            "Fold 3 of 3 of cv has no row of positive weight of class 0 among its 8 train",
        ),
        (
            (8, 9),
            True,
            "Fold 3 of 3 of cv has no row of positive weight of class 0 among its 4 test",
        ),
    ],
)
def test_rows_of_weight_zero_do_not_make_a_class_present(weightless, ensemble, message):
    X, y = np.arange(12.0).reshape(-1, 1), np.tile([0, 0, 1, 1], 3)
    weight = np.ones(12)
    weight[list(weightless)] = 0.0
    estimator = CalibratedClassifier(
        GaussianNB(), IsotonicCalibrator(), cv=KFold(3), ensemble=ensemble
    )
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, y, sample_weight=weight)


def test_a_test_fold_without_a_class_is_named_for_averages_only():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.r_[np.zeros(45), [1] * 15].astype(int)
    cv = PredefinedSplit(np.r_[np.zeros(20), np.ones(20), np.full(10, 2), np.ones(10)])
    estimator = CalibratedClassifier(GaussianNB(), IsotonicCalibrator(), cv=cv)
    estimator.fit(X, y)
    with pytest.raises(ValueError, match="Fold 1 of 3 of cv has no row of class 1 among its 20 te"):
        estimator.set_params(ensemble=True).fit(X, y)


@pytest.mark.filterwarnings("ignore:The slope of PlattCalibrator is negative")
@pytest.mark.parametrize("cv", [LeaveOneOut(), KFold(40)], ids=str)
def test_leave_one_out_needs_a_calibrator_fitted_on_all_held_out_rows(cv):
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    estimator = CalibratedClassifier(GaussianNB(), PlattCalibrator(), cv=cv)
    with pytest.raises(ValueError, match=r"no row of class 1 among its 1 test rows.*ensemble=F"):
        clone(estimator).set_params(ensemble=True).fit(X, y)
    assert np.isfinite(estimator.fit(X, y).predict_proba(X)).all()


def test_repeated_and_partial_splits():
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


def test_the_first_row_that_is_not_tested_once_is_named():
    X, y = two_classes()
    rows = np.arange(len(y))
    halves = rows[::2], rows[1::2]
    for twice, never in ((5, None), (None, 8)):
        tests = [np.append(half, twice) if twice and twice not in half else half for half in halves]
        tests = [np.setdiff1d(half, [never]) for half in tests]
        cv = [(np.setdiff1d(rows, np.append(test, never or 0)), test) for test in tests]
        row, number = (twice, 2) if twice else (never, 0)
        with pytest.raises(ValueError, match=f"row {row} is in {number}. "):
            CalibratedClassifier(GaussianNB(), "isotonic", cv=cv, ensemble=False).fit(X, y)


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


def test_rare_classes_are_fine_while_every_fold_can_train_on_them():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(43, 2)), np.r_[np.arange(40) % 2, 2, 2, 2]
    with pytest.warns(UserWarning, match="least populated class"):
        fitted = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator()).fit(X, y)
    assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("ensemble", [False, True])
def test_groups_reach_the_splitter(ensemble):
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


class CountsFits(GaussianNB):
    n_fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).n_fits += 1
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("ensemble", [False, True])
def test_frozen_models_are_never_fitted(ensemble):
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
    plain = OneVsRestCalibrator(IsotonicCalibrator(pseudo_count=0.5))
    expected = plain.fit(proba, y_cal).predict_proba(proba)
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
def test_frozen_but_unfitted_models_raise(ensemble):
    X, y = two_classes()
    for base in (GaussianNB(), make_pipeline(StandardScaler(), GaussianNB())):
        calibrated = CalibratedClassifier(
            FrozenEstimator(base), IsotonicCalibrator(), ensemble=ensemble
        )
        with pytest.raises(NotFittedError):
            calibrated.fit(X, y)


@pytest.mark.parametrize("method", METHODS)
def test_calibration_rows_without_a_class_are_refused(method):
    X, y = three_classes()
    frozen = FrozenEstimator(GaussianNB().fit(X, y))
    two = y < 2
    with pytest.raises(
        ValueError, match=r"fitted on the classes \[0, 1, 2\], but y has the .* \[0, 1"
    ):
        CalibratedClassifier(frozen, OneVsRestCalibrator(method)).fit(X[two], y[two])
