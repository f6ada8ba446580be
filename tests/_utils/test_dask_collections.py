"""Without Dask, or with a part of it, and where Dask collections cannot go."""

import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_calib import CalibratedClassifier, calibration_report, check_calibration
from sklearn_calib.inference import (
    calibration_by_group,
    calibration_ci,
    calibration_line,
    compare_calibration,
)
from sklearn_calib.metrics import calibration_bins, ece, kde_ece, score_decomposition, skce
from sklearn_calib.streaming import (
    CalibrationMonitor,
    CalibrationState,
    CalibrationSummary,
    SortedSkceState,
)
from tests.distributed._rows import as_array, as_table


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    p = rng.random(1000)
    return (rng.random(1000) < p).astype(int), p


@pytest.fixture
def fitted():
    X = np.random.default_rng(1).normal(size=(60, 2))
    return CalibratedClassifier(LogisticRegression(), "platt").fit(X, X[:, 0] > 0.0), X


SUPPORTED = {
    "ece": ece,
    "skce": skce,
    "calibration_bins": calibration_bins,
    "check_calibration": lambda y, p: check_calibration(y, p, n_resamples=9),
    "calibration_by_group": lambda y, p: calibration_by_group(
        y, p, y, n_resamples=19, alpha=0.1, metric=None
    ),
    "calibration_report": lambda y, p: calibration_report(y, p, n_resamples=19),
    "state": lambda y, p: CalibrationState("ece").update(y, p),
    "summary": lambda y, p: CalibrationSummary().update(y, p),
}


@pytest.mark.parametrize("name", SUPPORTED)
@pytest.mark.parametrize("other", [None, ModuleType("dask")], ids=["absent", "another module"])
def test_arrays_do_not_need_dask(rows, name, other, monkeypatch):
    for module in [*sys.modules]:
        if module.split(".")[0] in ("dask", "distributed"):
            monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "dask", other)
    SUPPORTED[name](*rows)


def test_a_missing_part_of_dask_names_the_extra(fitted, monkeypatch):
    model, X = fitted
    table = as_table(pd.DataFrame(X), [60])
    monkeypatch.setitem(sys.modules, "dask.array", None)
    for method in (model.predict, model.predict_proba):
        with pytest.raises(ImportError, match=r'pip install "sklearn-calib\[dask\]"'):
            method(table)


IN_MEMORY = {
    "kde_ece": (ValueError, kde_ece),
    "score_decomposition": (TypeError, score_decomposition),
    "calibration_ci": (TypeError, calibration_ci),
    "calibration_line": (TypeError, calibration_line),
    "compare_calibration": (TypeError, lambda y, p: compare_calibration(y, {"a": p, "b": p})),
    "SortedSkceState": (TypeError, SortedSkceState.from_range),
    "monitor": (TypeError, lambda y, p: CalibrationMonitor().update(y, p, period=1)),
}


@pytest.mark.parametrize("make", [as_array, as_table])
@pytest.mark.parametrize("name", IN_MEMORY)
def test_rows_are_not_collected_where_partitions_do_not_go(rows, name, make, monkeypatch):
    import dask

    def refuse(*_, **__):
        raise AssertionError("rows were collected")

    collections = [make(one) for one in rows]
    for owner in (dask, dask.base):
        monkeypatch.setattr(owner, "compute", refuse)
    error, function = IN_MEMORY[name]
    with pytest.raises(error, match="in memory here, got a Dask|no function of sums"):
        function(*collections)


def test_a_classifier_that_is_not_fitted_says_so_for_partitions(fitted):
    from sklearn.exceptions import NotFittedError

    model = CalibratedClassifier(LogisticRegression())
    for method in (model.predict, model.predict_proba):
        with pytest.raises(NotFittedError):
            method(as_array(fitted[1], [30, 30]))
