"""Dask collections on two worker processes: seconds, memory of the workers, distance from arrays.

The rows are made lazily, from a fixed seed for each chunk, and no file is read. Each measurement
has a cluster of its own on this machine, with two workers of one thread and 2 GiB each. The peak
is the largest memory that a worker process has taken since its start, imports included. Making the
rows is part of the seconds.
"""

import argparse
import json
import time

import dask.array as da
import numpy as np
import pandas as pd
from dask import delayed
from distributed import Client, LocalCluster

from benchmarks._record import peak_memory
from sklearn_calib.inference import calibration_by_group
from sklearn_calib.metrics import ece, kce, skce
from sklearn_calib.streaming import CalibrationState

CHUNK = 500_000
SITES = np.array(["north", "south", "east", "west"])


def make_rows(number, size):
    """Return labels, probabilities and sites of a chunk; the predictions are not calibrated."""
    rng = np.random.default_rng([17, number])
    p = rng.beta(0.5, 2.0, size)
    y = (rng.random(size) < p**1.1).astype(np.int8)
    return y, p, rng.integers(0, SITES.size, size)


def sizes_of_chunks(n):
    """Return the sizes of the chunks of n rows."""
    return [min(CHUNK, n - start) for start in range(0, n, CHUNK)]


def lazy_rows(n):
    """Return labels, probabilities and sites as Dask arrays."""
    sizes = sizes_of_chunks(n)
    blocks = [delayed(make_rows, nout=3, pure=True)(k, size) for k, size in enumerate(sizes)]
    columns = []
    for column, dtype in enumerate((np.int8, float, int)):
        arrays = [
            da.from_delayed(block[column], (size,), dtype=dtype)
            for block, size in zip(blocks, sizes)
        ]
        columns.append(da.concatenate(arrays))
    return tuple(columns)


def rows_in_memory(n):
    """Return the same rows as NumPy arrays."""
    parts = [make_rows(k, size) for k, size in enumerate(sizes_of_chunks(n))]
    return tuple(np.concatenate(column) for column in zip(*parts))


def state_table(y, p, site):
    """Return the numbers of the group table of a state."""
    table = CalibrationState("ece").update(y, p, groups=site).group_table()
    return table[["n", "observed", "predicted"]].to_numpy(float)


def group_table(y, p, site):
    """Return the numbers of `calibration_by_group` that are not drawn."""
    options = {"n_resamples": 99, "random_state": 0}
    table = calibration_by_group(y, p, site, **options).to_frame()
    return table[["n", "observed", "predicted", "gap", "error"]].to_numpy(float)


TASKS = {
    "ece": lambda y, p, site: ece(y, p),
    "kce, RBF kernel": lambda y, p, site: kce(y, p, bandwidth=0.2),
    "skce, Laplacian kernel": lambda y, p, site: skce(y, p),
    "group_table of a state": state_table,
    "calibration_by_group, 99 draws": group_table,
}


def on_cluster(name, n):
    """Return value, seconds and the peak of each worker in MiB."""
    options = {"threads_per_worker": 1, "memory_limit": "2GiB", "dashboard_address": ":0"}
    with (
        LocalCluster(n_workers=2, processes=True, host="127.0.0.1", **options) as cluster,
        Client(cluster) as client,
    ):
        rows = lazy_rows(n)
        start = time.perf_counter()
        value = TASKS[name](*rows)
        seconds = time.perf_counter() - start
        peaks = client.run(peak_memory)
    return value, seconds, sorted(peaks.values())


def measure(name, n, compare):
    """Return one row of the table."""
    value, seconds, peaks = on_cluster(name, n)
    row = {"task": name, "rows": n, "seconds": round(seconds, 1)}
    row |= {"million rows a second": n / seconds / 1e6, "peak MiB of a worker": round(peaks[-1])}
    row["largest relative difference"] = None
    if compare:
        own = TASKS[name](*rows_in_memory(n))
        row["largest relative difference"] = float(np.max(np.abs(value - own) / np.abs(own)))
    return row


def run(quick=False):
    rows = []
    for name in TASKS:
        many = (10**6, 10**7) if name.startswith("calibration_by") else (10**6, 10**7, 10**8)
        for n in (10**5,) if quick else many:
            rows.append(measure(name, n, compare=n <= 10**7))
            print(pd.Series(rows[-1]).to_dict(), flush=True)
    return rows


def _main():
    """Measure one task of one size, for long runs: ``python -m benchmarks.dask_speed ece 8``."""
    parser = argparse.ArgumentParser(description=_main.__doc__)
    parser.add_argument("task", help="the beginning of its name")
    parser.add_argument("power", type=int, help="of ten, the number of rows")
    given = parser.parse_args()
    (name,) = [one for one in TASKS if one.startswith(given.task)]
    print(json.dumps(measure(name, 10**given.power, compare=given.power <= 7)), flush=True)


if __name__ == "__main__":
    _main()
