"""Dask collections on a real cluster of two processes of this machine."""

import os
import pickle
import signal

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster, get_worker

from sklearn_calib import CalibratedClassifier, check_calibration
from sklearn_calib.metrics import ece, kce, skce
from tests.distributed._rows import as_array, as_table

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def client():
    options = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(n_workers=2, processes=True, **options) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    p = rng.beta(1.0, 2.0, size=1000)
    return (rng.random(1000) < p**1.1).astype(int), p


def test_metrics_and_tests_on_a_cluster(client, rows):
    y, p = rows
    for function in (ece, skce, kce):
        options = {"bandwidth": 0.2} if function is kce else {}
        expected = function(y, p, **options)
        assert function(as_table(y), as_table(p), **options) == pytest.approx(expected, rel=1e-10)
    options = {"statistic": "omnibus", "random_state": 0}
    on_cluster = check_calibration(as_table(y), as_table(p), **options)
    with dask.config.set(scheduler="synchronous"):
        alone = check_calibration(as_table(y), as_table(p), **options)
    # Workers add up with another number of threads, so that last digits differ.
    np.testing.assert_allclose(on_cluster.null_distribution, alone.null_distribution, rtol=1e-12)
    assert on_cluster.finding == alone.finding


def _die_once(part, folder):
    """End the worker process at the first call in a folder, then return the rows."""
    mark = folder / "died"
    if not mark.exists():
        mark.touch()
        get_worker()  # this is a worker, and not the process of the tests
        os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_a_worker_that_dies_changes_nothing(client, rows, tmp_path):
    y, p = rows
    dying = as_table(p).map_partitions(_die_once, tmp_path, meta=as_table(p)._meta)
    assert ece(as_table(y), dying) == pytest.approx(ece(y, p), rel=1e-12)
    assert (tmp_path / "died").exists()
    (tmp_path / "died").unlink()
    assert skce(as_table(y), dying) == pytest.approx(skce(y, p), rel=1e-10)


def test_no_row_comes_to_the_client(client, rows, monkeypatch):
    y, p = rows
    sizes = []
    compute = dask.base.compute

    def measured(*collections, **options):
        values = compute(*collections, **options)
        sizes.append(len(pickle.dumps(values)))
        return values

    monkeypatch.setattr(dask, "compute", measured)
    parts = [as_array(np.tile(one, 200), (50_000,) * 4) for one in (y, p)]
    skce(*parts)
    check_calibration(*parts, statistic="omnibus", n_resamples=19, random_state=0)
    assert len(sizes) >= 8
    assert max(sizes) < 40_000  # bytes, where the rows take 3,200,000


def test_calibrated_classifiers_map_over_partitions_and_fit_under_joblib(client):
    import joblib
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    y = (rng.random(1000) < 1.0 / (1.0 + np.exp(-X[:, 0]))).astype(int)
    model = CalibratedClassifier(LogisticRegression(), "platt", n_jobs=2)
    alone = model.fit(X, y).predict_proba(X)
    with joblib.parallel_config(backend="dask"):
        np.testing.assert_allclose(model.fit(X, y).predict_proba(X), alone, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(as_array(X)).compute(), alone, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(as_array(X)).compute(), model.predict(X))
