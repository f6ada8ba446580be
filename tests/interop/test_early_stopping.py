"""Boosting that stops early inside `CalibratedClassifier`: on given rows, and by the recipe."""

import runpy
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from sklearn_calib import CalibratedClassifier, check_calibration

RECIPE = Path(__file__).parents[2] / "doc" / "recipes" / "early_stopping.py"
MOST = 2000


def xgboost():
    library = pytest.importorskip("xgboost")
    model = library.XGBClassifier(
        n_estimators=MOST, early_stopping_rounds=20, max_depth=3, n_jobs=1, random_state=0
    )
    return model, {"verbose": False}, lambda model: model.best_iteration


def lightgbm():
    library = pytest.importorskip("lightgbm")
    model = library.LGBMClassifier(
        n_estimators=MOST, num_leaves=8, n_jobs=1, random_state=0, verbose=-1
    )
    stop = library.early_stopping(20, verbose=False)
    return model, {"callbacks": [stop]}, lambda model: model.best_iteration_


def catboost():
    library = pytest.importorskip("catboost")
    model = library.CatBoostClassifier(
        iterations=MOST,
        early_stopping_rounds=20,
        depth=3,
        thread_count=1,
        random_seed=0,
        verbose=0,
        allow_writing_files=False,
    )
    return model, {}, lambda model: model.get_best_iteration()


LIBRARIES = {"xgboost": xgboost, "lightgbm": lightgbm, "catboost": catboost}


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(
        3000, n_informative=5, n_classes=2, flip_y=0.2, weights=[0.8], random_state=0
    )
    X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
    return X, X_test, y, y_test


@pytest.mark.parametrize("library", LIBRARIES)
def test_given_validation_rows_reach_every_fold(data, library):
    """Rows outside the training rows decide when to stop, and nothing else."""
    X, X_test, y, y_test = data
    base, fit_params, best = LIBRARIES[library]()
    X, X_stop, y, y_stop = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
    fit_params["eval_set"] = [(X_stop, y_stop)]
    if "eval_X" in signature(base.fit).parameters:
        fit_params |= {"eval_X": (X_stop,), "eval_y": (y_stop,)}
        del fit_params["eval_set"]
    model = CalibratedClassifier(base, "beta", cv=3).fit(X, y, **fit_params)
    alone = clone(base).fit(X, y, **fit_params)
    assert best(model.estimator_) == best(alone) < MOST // 4
    np.testing.assert_array_equal(
        model.estimator_.predict_proba(X_test), alone.predict_proba(X_test)
    )
    proba = model.predict_proba(X_test)
    assert log_loss(y_test, proba) < 1.02 * log_loss(y_test, alone.predict_proba(X_test))
    assert check_calibration(y_test, proba, random_state=0, n_resamples=199).pvalue > 0.01


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("ensemble", [False, True])
def test_the_recipe_splits_validation_rows_off_inside_each_fold(data, library, ensemble):
    X, X_test, y, y_test = data
    base, fit_params, best = LIBRARIES[library]()
    stopping = runpy.run_path(str(RECIPE))["EarlyStopping"]
    seen = []

    class Spy(stopping):
        def fit(self, X, y):
            seen.append(X[:, 0])
            return super().fit(X, y)

    model = CalibratedClassifier(Spy(base, fit_params=fit_params), "beta", cv=3, ensemble=ensemble)
    model.fit(X, y)
    assert all(best(one.estimator_) < MOST // 4 for one in model.estimators_)
    # Training and validation rows of a fold are its two thirds of the rows, and no others.
    assert sorted(rows.size for rows in seen) == [1500] * 3 + [2250] * (not ensemble)
    assert all(np.isin(rows, X[:, 0]).all() for rows in seen)
    proba = model.predict_proba(X_test)
    assert check_calibration(y_test, proba, random_state=0, n_resamples=199).pvalue > 0.01
