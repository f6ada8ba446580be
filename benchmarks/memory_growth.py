"""Memory of one process over thousands of calls of metrics and of fits, all of random sizes.

Compiled programs, one a size bucket, are what could fill the memory. Sizes from 20 to 5,000 rows
are drawn evenly on the logarithmic scale, which meets all buckets; two and three classes, all
metrics in turn. The growth is that of a line through the second half of the calls, when the
programs that are kept have been made.
"""

import ctypes
import gc
import multiprocessing
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_calib._core import gate

SIZES = 20, 5000
PARTS = 20  # of a series; memory is measured after each


def resident_memory():
    """Return the memory of this process in MiB (Linux), after giving back what is free."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim:
        trim(0)
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (line,) = [line for line in status if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def draw(rng, n_classes):
    """Return labels, predictions and features of a random number of rows."""
    n = int(np.exp(rng.uniform(*np.log(SIZES))))
    proba = rng.dirichlet(np.ones(n_classes), size=n)
    codes = (proba.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    codes[:n_classes] = np.arange(n_classes)
    return codes, proba, rng.normal(size=(n, 2))


def metric_calls():
    """Return a function that evaluates the next metric, for two classes and then for three."""
    from sklearn_calib.metrics._metric import METRICS

    def call(number, rng):
        name = list(METRICS)[number % len(METRICS)]
        metric = METRICS[name]
        y, proba, X = draw(rng, 2 + number // len(METRICS) % 2)
        if name == "multicalibration_error":
            X = X > 0
        features = [X] if metric.needs_features else []
        metric.function(y, proba, *features)

    return call


def fits():
    """Return a function that fits a `KernelRecalibrator` with a small network and few steps."""
    from sklearn_calib.calibrators import KernelRecalibrator

    def call(number, rng):
        y, proba, X = draw(rng, 2 + number % 2)
        calibrator = KernelRecalibrator(
            hidden_layer_sizes=(4,),
            max_iter=20,
            n_networks=2,
            early_stopping=number % 4 > 1,
            random_state=0,
        )
        S = np.column_stack([proba, X])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            calibrator.fit(S, y).predict_proba(S)

    return call


SERIES = {"metric calls": (metric_calls, 10_000), "fits of KernelRecalibrator": (fits, 1_000)}


def _measured(connection, series, n_calls):
    """Run a series and send back the number of calls, the memory and the programs, part by part."""
    rng, call = np.random.default_rng(0), SERIES[series][0]()
    measured = []
    for number in range(n_calls):
        call(number, rng)
        if (number + 1) % (n_calls // PARTS) == 0:
            measured.append((number + 1, resident_memory(), len(gate.programs.kept)))
            print(series, *measured[-1], flush=True)
    connection.send(measured)


def measure(series, n_calls):
    """Return the rows of a series, which has a process of its own."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(sender, series, n_calls))
    process.start()
    sender.close()
    measured = np.array(receiver.recv())
    process.join()
    return rows_of(series, measured)


def rows_of(series, measured):
    """Return the rows of a series from (calls, MiB, programs) after each part."""
    calls, memory, _ = np.asarray(measured)[len(measured) // 2 :].T
    growth = float(np.polyfit(calls, memory, 1)[0]) * (calls[-1] - calls[0])
    return [
        {
            "series": series,
            "calls": int(calls),
            "resident MiB": round(float(memory), 1),
            "programs kept": int(programs),
            "growth over the second half, MiB": round(growth, 1),
        }
        for calls, memory, programs in measured
    ]


def run(quick=False):
    rows = []
    for series, (_, n_calls) in SERIES.items():
        rows += measure(series, PARTS * 4 if quick else n_calls)
    return rows
