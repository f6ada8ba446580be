"""Whether public functions became slower than in another version of the package.

The environment variable SPEED_BASE names the other version: a commit, or a folder that holds the
package. The two versions run in processes of their own, which take turns call by call, so that
both meet the same state of the machine. The figures are the shortest processor times of several
turns, and their ratio. Calls that look slower get further turns, in new processes at the end: how
a process lies in memory changes the time of short calls by a few percent.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

HERE = Path(__file__).parents[1]
CALLS = Path(__file__).with_name("_speed_calls.py")
BASE = os.environ.get("SPEED_BASE", "b7713b7")
ALLOWED = 1.05
TURNS, FURTHER_TURNS, FURTHER_PAIRS = 2, 5, 2
LONGEST = 150  # seconds after which nothing is measured again


class Timer:
    """A process that times calls of one version of the package."""

    def __init__(self, tree, cache, wanted):
        settings = {
            "PYTHONPATH": str(tree),
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
            "JAX_COMPILATION_CACHE_DIR": str(cache),
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        }
        self._process = subprocess.Popen(
            [sys.executable, str(CALLS)],
            env=os.environ | settings,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._write(json.dumps(wanted))

    def names(self):
        """Return the names of the calls that work, when all have run once."""
        return json.loads(self._read())

    def seconds(self, name):
        """Return the shortest processor time of one turn."""
        self._write(name)
        return float(self._read())

    def _write(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _read(self):
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("A process that times calls has ended; its error is above.")
        return line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()


def extract(revision, folder):
    """Return a folder that holds the package of a revision: one that there is, or a new one."""
    if (Path(revision) / "sklearn_calib").is_dir():
        return Path(revision).resolve()
    archive = subprocess.run(
        ["git", "archive", revision, "sklearn_calib"], cwd=HERE, check=True, capture_output=True
    )
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    return Path(folder)


def compare(trees, cache, names, turns, best):
    """Time calls in a new pair of processes, one for each tree; `best` keeps the shortest times."""
    with ExitStack() as stack:
        timers = [stack.enter_context(Timer(tree, cache, names)) for tree in trees]
        known = [timer.names() for timer in timers]
        names = [name for name in known[0] if name in known[1]]
        for turn in range(turns):
            for name in names:
                for k in (0, 1) if turn % 2 else (1, 0):
                    seconds = timers[k].seconds(name)
                    best.setdefault(name, [float("inf")] * 2)
                    best[name][k] = min(best[name][k], seconds)
    return best


def slower(best):
    """Return the names of the calls that took longer than is allowed."""
    return [name for name, (base, now) in best.items() if now > ALLOWED * base]


def run(quick=False):
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        trees = (extract(BASE, folder), HERE)
        best = compare(trees, cache, None, 1 if quick else TURNS, {})
        for _ in range(0 if quick else FURTHER_PAIRS):
            if slower(best) and time.perf_counter() - start < LONGEST:
                compare(trees, cache, slower(best), FURTHER_TURNS, best)
    rows = [
        {
            "call": name,
            "ms before": 1000 * base,
            "ms now": 1000 * now,
            "ratio": round(now / base, 3),
            "ok": now <= ALLOWED * base,
        }
        for name, (base, now) in best.items()
    ]
    print(f"{time.perf_counter() - start:.0f} s in all, base {BASE}", flush=True)
    return sorted(rows, key=lambda row: -row["ratio"])
