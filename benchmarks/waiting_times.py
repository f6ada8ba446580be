"""How long users wait at a million rows, and at 50,000 rows for the band of the local bias.

Each call runs in a process of its own, after one with few rows. Processor seconds are those of all
threads together; on idle cores a call takes no longer than these, and less where it uses two.
Seconds by the clock depend on what else runs, so the smaller of the two is compared with the limit.
"""

import multiprocessing
import time

import numpy as np

from ._record import peak_memory

MILLION = 1_000_000


def make_data(n, n_features=0, seed=0):
    """Return labels and the rare-event predictions that they are drawn from, and features."""
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 3, size=n)
    y = (rng.random(n) < p).astype(int)
    return y, p, rng.normal(size=(n, n_features))


def reliability_display(n):
    from matplotlib import use

    from sklearn_calib import ReliabilityDisplay

    use("agg")
    y, p, _ = make_data(n)
    return lambda: ReliabilityDisplay.from_predictions(y, p)


def test_of_calibration(n):
    from sklearn_calib import check_calibration

    y, p, _ = make_data(n)
    return lambda: check_calibration(y, p, random_state=0)


def report(n):
    from sklearn_calib import calibration_report

    y, p, _ = make_data(n)
    return lambda: calibration_report(y, p)


def interval_of_ece(n):
    from sklearn_calib import calibration_ci

    y, p, _ = make_data(n)
    return lambda: calibration_ci(y, p, metric="ece", random_state=0)


def band(n):
    from sklearn_calib import local_bias_band

    y, p, X = make_data(n, 3)
    return lambda: local_bias_band(y, p, X, random_state=0)


def comparison(metric, n_resamples):
    def prepare(n):
        from sklearn_calib import compare_calibration

        y, p, noise = make_data(n, 1)
        models = {"a": p, "b": np.clip(p + 0.02 * noise[:, 0], 0.0, 1.0)}
        options = {"metrics": [metric], "n_resamples": n_resamples, "random_state": 0}
        return lambda: compare_calibration(y, models, **options)

    return prepare


# Name, how to prepare the call, rows, and the seconds that it may take.
CALLS = {
    "ReliabilityDisplay.from_predictions": (reliability_display, MILLION, 3),
    "check_calibration": (test_of_calibration, MILLION, 15),
    "calibration_report": (report, MILLION, 15),
    "calibration_ci of ece": (interval_of_ece, MILLION, 25),
    "local_bias_band, 3 features": (band, 50_000, 60),
    "compare_calibration, ece, 999 draws": (comparison("ece", 999), MILLION, None),
    "compare_calibration, skce, 19 draws": (comparison("skce", 19), MILLION, None),
}


def _measured(connection, name, n):
    """Run a call and send back its times and the memory above that of its inputs."""
    prepare = CALLS[name][0]
    prepare(2000)()
    call = prepare(n)
    before = peak_memory()
    seconds, processor = time.perf_counter(), time.process_time()
    call()
    seconds, processor = time.perf_counter() - seconds, time.process_time() - processor
    connection.send((seconds, processor, (peak_memory() - before) / 1024))


def measure(name, n):
    """Return a row of the table."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(sender, name, n))
    process.start()
    seconds, processor, gib = receiver.recv()
    process.join()
    row = {
        "call": name,
        "rows": n,
        "processor seconds": round(processor, 1),
        "seconds": round(seconds, 1),
        "GiB above inputs": round(gib, 2),
    }
    limit = CALLS[name][2]
    return (
        row
        if limit is None
        else row | {"limit": f"{limit} s", "ok": min(seconds, processor) < limit}
    )


def run(quick=False):
    rows = []
    for name, (_, n, _) in CALLS.items():
        rows.append(measure(name, 3000 if quick else n))
        print(rows[-1], flush=True)
    return rows
