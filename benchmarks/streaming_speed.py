"""Rows per second of mergeable states, their size, and their distance from one array."""

import time

import numpy as np

from sklearn_calib import metrics
from sklearn_calib.streaming import CalibrationState, SortedSkceState

BATCH = 250_000
STATES = {
    "ece, mce": {"ece": {}, "mce": {}},
    "ece, log_loss, brier": {"ece": {}, "log_loss": {}, "brier": {}},
    "kce": {"kce": {}},
    "calibration_slope": {"calibration_slope": {}},
    "kuiper_calibration_error": {"kuiper_calibration_error": {}},
    "smooth_ece": {"smooth_ece": {}},
}


def batches(n, seed=0):
    """Yield batches of calibrated rows, made one after the other."""
    for k, start in enumerate(range(0, n, BATCH)):
        rng = np.random.default_rng([seed, k])
        p = rng.random(min(BATCH, n - start))
        yield rng.random(p.size) < p, p


def measure(name, n, compare):
    """Return one row of the table: a state that sees n rows in batches."""
    state, seconds = CalibrationState(STATES[name]), 0.0
    for y, p in batches(n):
        start = time.perf_counter()
        state.update(y, p)
        seconds += time.perf_counter() - start
    row = {"state": name, "rows": n, "seconds": round(seconds, 2)}
    row |= {"million rows a second": n / seconds / 1e6, "kB of JSON": len(state.to_json()) / 1e3}
    key = state.metrics[0]
    if compare and hasattr(metrics, key):
        y, p = (np.concatenate(part) for part in zip(*batches(n)))
        options = {"bandwidth": 0.2} if key == "kce" else {}
        row["distance from one array"] = abs(
            state.result()[key] - getattr(metrics, key)(y, p, **options)
        )
        row["bound"] = state.bounds()[key]
    return row


def measure_ranges(n, compare):
    """Return one row of the table: ranges of sorted rows."""
    y, p = (np.concatenate(part) for part in zip(*batches(n)))
    order = np.argsort(p)
    y, p = y[order], p[order]
    start = time.perf_counter()
    state = SortedSkceState()
    for first in range(0, n, BATCH):
        rows = slice(first, first + BATCH)
        state = state.merge(SortedSkceState.from_range(y[rows], p[rows]))
    seconds = time.perf_counter() - start
    row = {"state": "ranges, skce", "rows": n, "seconds": round(seconds, 2)}
    row |= {"million rows a second": n / seconds / 1e6, "kB of JSON": len(state.to_json()) / 1e3}
    if compare:
        row |= {"distance from one array": abs(state.skce() - metrics.skce(y, p)), "bound": 0.0}
    return row


def run(quick=False):
    rows = []
    for name in STATES:
        for n in (10**5,) if quick else (10**6, 10**7):
            rows.append(measure(name, n, compare=n <= 10**6))
    for n in (10**5,) if quick else (10**6, 10**7):
        rows.append(measure_ranges(n, compare=n <= 10**6))
    return rows
