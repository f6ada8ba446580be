"""Which tests run a line, and whether they notice a fault in it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import coverage

_PYTEST = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"]
_RECORD = ".coverage_by_test"


def record_tests(root, paths=()):
    """Run the tests once and keep which of them runs which line; return the seconds of each.

    Parameters
    ----------
    root : Path
        A copy of the project; the record is written into it.
    paths : sequence of str
        Tests to run; all fast ones by default.
    """
    command = [*_PYTEST, "-n", "2", "--dist", "worksteal", "--cov=sklearn_calib", "--cov-report="]
    report = [*command, "--cov-context=test", "--durations=0", "--durations-min=0.005", *paths]
    environment = {**_environment(root), "COVERAGE_FILE": str(root / _RECORD)}
    output = subprocess.run(report, cwd=root, env=environment, capture_output=True, text=True)
    if output.returncode:
        raise RuntimeError(f"The tests fail without any fault:\n{output.stdout[-4000:]}")
    seconds = {}
    for line in output.stdout.splitlines():
        words = line.split(maxsplit=2)
        if len(words) == 3 and words[0].endswith("s") and words[1] in ("call", "setup"):
            seconds[words[2]] = seconds.get(words[2], 0.0) + float(words[0][:-1])
    return seconds


class Tests:
    """The recorded tests of a copy of the project.

    Parameters
    ----------
    root : Path
        Copy of the project in which `record_tests` has run.
    seconds : dict of str to float
        What `record_tests` returned.
    limit : float
        Tests of one mutant are chosen so that they take about this many seconds without a fault.
    """

    def __init__(self, root, seconds, limit=60.0):
        self.root = root
        self.seconds = seconds
        self.limit = limit
        self.data = coverage.CoverageData(str(root / _RECORD))
        self.data.read()

    def choose(self, mutant):
        """Return the tests to run for a mutant: those of its own module first."""
        contexts = self.data.contexts_by_lineno(str(self.root / mutant.path))
        of_line = {name.split("|")[0] for name in contexts.get(mutant.line, ()) if name}
        if not of_line:  # run while the module is imported, or in a compiled program
            of_line = {n.split("|")[0] for names in contexts.values() for n in names if n}
        own = Path(mutant.path).stem.strip("_")
        folder = "/".join(part for part in Path(mutant.path).parent.parts[1:])
        chosen, total = [], 0.0

        def order(name):
            file = name.split("::")[0]
            return (
                f"test_{own}.py" not in file and file != mutant.path,
                not file.startswith(f"tests/{folder}/"),
                self.seconds.get(name, 0.0),
            )

        for name in sorted(of_line, key=order):
            total += self.seconds.get(name, 0.005)
            if total > self.limit:
                break
            chosen.append(name)
        return chosen

    def notice(self, mutant):
        """Return "killed", "timeout", "survived" or "not run", and the test that noticed."""
        chosen = self.choose(mutant)
        if not chosen:
            return "not run", ""
        path = self.root / mutant.path
        source = path.read_bytes()
        names = self.root / "chosen_tests.txt"
        names.write_text("\n".join(chosen), encoding="utf-8")
        start = time.perf_counter()
        try:
            path.write_bytes(mutant.apply(source))
            run = subprocess.run(
                [*_PYTEST, "-x", f"@{names}"],
                cwd=self.root,
                env=_environment(self.root),
                capture_output=True,
                text=True,
                timeout=120 + 10 * self.limit,
            )
        except subprocess.TimeoutExpired:
            return "timeout", f"after {time.perf_counter() - start:.0f} s"
        finally:
            path.write_bytes(source)
        if run.returncode == 0:
            return "survived", f"{len(chosen)} tests"
        lines = run.stdout.splitlines()
        found = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
        return "killed", (found or lines[-1:] or [""])[0][:160]


def _environment(root):
    """Return the variables for a run in which the package comes from the copy."""
    return {
        **os.environ,
        "PYTHONPATH": str(root),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(root / ".hypothesis"),
    }
