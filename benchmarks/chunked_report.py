"""The report command on files that are read in parts: seconds, memory, and the numbers.

The file has a label, a probability and eight columns that the report does not need. The command
runs in a process of its own, whose largest memory is recorded; a fresh process that only imports
the package takes the memory of the first row. The first sizes are also reported in memory, and the
largest relative difference between the numbers is recorded.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

BATCH = 500_000
COMMAND = """
import sys
from pathlib import Path
from sklearn_calib._cli.parser import main
main(sys.argv[1:]) if len(sys.argv) > 1 else None
status = Path("/proc/self/status").read_text().splitlines()
print([line for line in status if line.startswith("VmHWM")][0].split()[1], file=sys.stderr)
"""


def write_file(path, n_samples):
    """Write predictions with columns that nobody asks for."""
    for start in range(0, n_samples, BATCH):
        rng = np.random.default_rng(start)
        size = min(BATCH, n_samples - start)
        p = rng.beta(0.5, 2.0, size)
        frame = pd.DataFrame({"y": (rng.random(size) < p**1.1).astype(int), "p": p})
        for k in range(8):
            frame[f"text {k}"] = rng.choice(["north", "south", "east", "west"], size)
        frame.to_csv(path, mode="a", header=start == 0, index=False)


def run_command(folder, *arguments):
    """Return the content of the report, the seconds and the peak of the memory in MiB."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    seconds = time.perf_counter() - start
    memory = int(done.stderr.split()[-1]) / 1024
    return (json.loads(done.stdout) if done.stdout else None), seconds, memory


def largest_difference(parts, memory):
    """Return the largest difference of a number of the errors, relative where it is above one."""
    theirs = {row["name"]: row for row in memory["metrics"]}
    differences = [0.0]
    for row in parts["metrics"]:
        for key in ("value", "expected", "lower", "upper", "pvalue"):
            expected = theirs[row["name"]][key]
            differences.append(abs(row[key] - expected) / max(1.0, abs(expected)))
    return max(differences)


def run(quick=False):
    """Report files of several sizes in parts of 100,000 rows."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        _, _, base = run_command(folder)
        for n_samples in [20_000] if quick else [100_000, 1_000_000, 10_000_000]:
            path = Path(folder) / "t.csv"
            write_file(path, n_samples)
            command = ["report", "t.csv", "--y-true", "y", "--y-proba", "p", "--json"]
            chunks = ["--chunk-rows", "100000"]
            parts, seconds, memory = run_command(folder, *command, *chunks)
            row = {
                "n": n_samples,
                "file MiB": round(path.stat().st_size / 2**20),
                "seconds": float(f"{seconds:.3g}"),
                "peak MiB": round(memory),
                "peak MiB of the imports": round(base),
                "peak MiB in memory": None,
                "largest difference": None,
            }
            if n_samples <= 100_000:
                whole, _, memory = run_command(folder, *command)
                row["peak MiB in memory"] = round(memory)
                row["largest difference"] = float(f"{largest_difference(parts, whole):.1g}")
            rows.append(row)
            path.unlink()
    return rows
