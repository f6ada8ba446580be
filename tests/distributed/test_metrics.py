import numpy as np
import pytest

from sklearn_calib._data import partitions
from sklearn_calib.metrics import calibration_bins
from sklearn_calib.metrics._metric import METRICS
from tests.distributed._rows import as_array, as_table

MERGEABLE = sorted(name for name, one in METRICS.items() if one.mergeable is not None)
# What a metric needs in place of a default that depends on all rows.
OPTIONS = {"kce": {"bandwidth": 0.3}, "ucme": {"locations": [0.2, 0.5, 0.8]}}
# Errors along a fine grid differ from those of the rows by a stated bound.
WITH_BOUND = ("ks_calibration_error", "kuiper_calibration_error")


@pytest.fixture(params=[2, 3], ids=["binary", "multiclass"])
def rows(request, monkeypatch):
    monkeypatch.setattr(partitions, "_RANGE_ROWS", 150)
    rng = np.random.default_rng(1)
    proba = rng.dirichlet(np.ones(request.param), size=1000).round(3)
    proba /= proba.sum(axis=1, keepdims=True)
    y = (rng.random(1000)[:, np.newaxis] > proba.cumsum(axis=1)).sum(axis=1)
    y = np.where(rng.random(1000) < 0.1, 0, y)
    if request.param == 2:
        proba = proba[:, 1]
    return y, proba, rng.uniform(0.5, 2.0, size=1000)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MERGEABLE)
def test_a_metric_of_dask_collections_is_that_of_the_rows(rows, name, weighted):
    y, proba, weight = rows
    metric, options = METRICS[name], {**OPTIONS.get(name, {})}
    if proba.ndim == 2:
        if metric.multiclass_target == "canonical":
            options["target"] = "confidence"
        if "target" not in metric.options or name == "ucme":
            pytest.skip("one event only")
    own = {"sample_weight": weight} if weighted else {}
    expected = metric.function(y, proba, **options, **own)
    for make in (as_array, as_table):
        import pandas as pd

        table = pd.DataFrame(proba) if proba.ndim == 2 and make is as_table else proba
        own = {"sample_weight": make(weight)} if weighted else {}
        found = metric.function(make(y), make(table), **options, **own)
        tolerance = {"abs": 2e-3} if name in WITH_BOUND else {"rel": 1e-10, "abs": 1e-14}
        assert found == pytest.approx(expected, **tolerance)


@pytest.mark.parametrize("target", ["auto", "classwise", "top_label"])
def test_the_table_of_bins_is_that_of_the_rows(rows, target):
    y, proba, weight = rows
    for own, make in (({}, as_array), ({"sample_weight": weight}, as_array)):
        expected = calibration_bins(y, proba, target=target, n_bins=7, **own)
        dask_own = {key: make(value) for key, value in own.items()}
        found = calibration_bins(make(y), make(proba), target=target, n_bins=7, **dask_own)
        for name, values in expected.items():
            assert found[name].dtype == values.dtype
            np.testing.assert_allclose(found[name], values, rtol=1e-12)
