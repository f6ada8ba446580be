"""Threads, processes and nested ones give the numbers of one call after another.

The settings of JAX are local to a thread, warnings are not, and progress is told by a context
variable: none of these may leak from one caller to another.
"""

import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from sklearn_calib import (
    AdaptiveCalibrator,
    CalibratedClassifier,
    KernelRecalibrator,
    calibration_ci,
    check_calibration,
    ece,
    klce,
    skce,
    smooth_ece,
)
from sklearn_calib.calibrators._features import parts


def _data(seed, n=120):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return (rng.random(n) < p).astype(int), p, rng.normal(size=(n, 2))


def _test(y, p, X):
    return check_calibration(y, p, n_resamples=19, random_state=0).null_distribution


def _interval(y, p, X):
    interval = calibration_ci(y, p, metric="ece", n_resamples=99, random_state=0)
    return interval.low, interval.high


def _adaptive(y, p, X):
    return AdaptiveCalibrator().fit(p, y).predict_proba(p)[:5]


def _recalibrated(y, p, X):
    S = np.column_stack([1 - p, p, X])
    calibrator = KernelRecalibrator(
        max_iter=3, hidden_layer_sizes=(2,), early_stopping=False, n_networks=1, random_state=0
    )
    return calibrator.fit(S, y).predict_proba(S)[:5]


JOBS = {
    "ece": lambda y, p, X: ece(y, p),
    "skce": lambda y, p, X: skce(y, p),
    "klce": klce,
    "smooth_ece": lambda y, p, X: smooth_ece(y, p),
    "test": _test,
    "interval": _interval,
    "adaptive": _adaptive,
    "networks": _recalibrated,
}
CALLS = [(name, seed) for seed in range(3) for name in JOBS]


def run_job(name, seed):
    return np.asarray(JOBS[name](*_data(seed)))


@pytest.fixture(scope="module")
def one_after_another():
    return [run_job(*call) for call in CALLS]


def _check(found, expected):
    for call, one, other in zip(CALLS, found, expected, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=str(call))


def test_threads(one_after_another):
    calls = CALLS[::-1]  # all the kinds at once, in another order
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda call: run_job(*call), calls))
    _check(found[::-1], one_after_another)


def _warned(seed):
    """Return the messages that a call with hard predictions warns about, and the number of rows."""
    y, _, _ = _data(seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        skce(y, y.astype(float))
    return [str(one.message) for one in caught]


def test_no_warning_of_a_thread_is_lost():
    """Without filters that change, each call warns its caller, who listens for all threads."""
    expected = _warned(0)
    assert len(expected) == 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda seed: skce(*[_data(seed)[0]] * 2), range(24)))
    assert [str(one.message) for one in caught] == expected * 24


def test_a_fit_in_one_thread_takes_no_warning_of_another():
    """Parts that are fitted inside another fit are silent, and only they are."""
    y, _, X = _data(0)
    S = np.column_stack([1 - y, y, X]).astype(float)
    inside, go_on = Event(), Event()

    def wait(*args, **options):
        inside.set()
        go_on.wait(60)
        return real(*args, **options)

    real = parts.AdaptiveCalibrator.fit
    calibrator = KernelRecalibrator(max_iter=1, hidden_layer_sizes=(2,), n_networks=1)
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
        patch.setattr(parts.AdaptiveCalibrator, "fit", wait)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit = pool.submit(calibrator.fit, S, y)
            assert inside.wait(60)
            skce(y, y.astype(float))
            go_on.set()
            fit.result()
    hard = [str(one.message) for one in caught if "exactly 0 or 1" in str(one.message)]
    assert sorted(text.split(" are ")[0] for text in hard) == [
        "All values of the probability columns of S",
        "All values of y_proba",
    ]


def test_calls_leave_the_filters_of_warnings_as_they_were():
    before = list(warnings.filters)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda call: run_job(*call), CALLS[:16]))
    assert list(warnings.filters) == before


@pytest.mark.slow
def test_processes_of_joblib(one_after_another):
    found = Parallel(n_jobs=2, backend="loky")(delayed(run_job)(*call) for call in CALLS)
    _check(found, one_after_another)


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_delayed_calls_of_dask(scheduler, one_after_another):
    dask = pytest.importorskip("dask")
    lazy = [dask.delayed(run_job)(*call) for call in CALLS]
    options = {"num_workers": 2, "multiprocessing_context": "spawn"}
    with dask.config.set(options if scheduler == "processes" else {}):
        _check(dask.compute(*lazy, scheduler=scheduler), one_after_another)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [False, True])
def test_a_cluster(processes, one_after_another):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": None}
    with (
        distributed.LocalCluster(processes=processes, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        futures = [client.submit(run_job, *call) for call in CALLS]
        _check(client.gather(futures), one_after_another)


def _grid(n_jobs, inner_jobs):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    y = (rng.random(240) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
    model = CalibratedClassifier(GaussianNB(), cv=3, n_jobs=inner_jobs)
    grid = {"estimator": [GaussianNB(), LogisticRegression()]}
    search = GridSearchCV(model, grid, cv=2, scoring="neg_log_loss", n_jobs=n_jobs)
    search.fit(X, y)
    return search.cv_results_["mean_test_score"], search.predict_proba(X[:5])


@pytest.mark.slow
def test_a_search_in_processes_whose_classifiers_use_processes():
    for found, expected in zip(_grid(2, 2), _grid(None, None)):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
