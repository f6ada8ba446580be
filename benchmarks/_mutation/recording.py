"""Which tests run which line, and how long they take."""

import filecmp
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import coverage

PROJECT = Path(__file__).parents[2]
# Tests that run the package's own numbers: those of commands, of pages and of work with other
# packages take long and would notice little more. What one stage has found is kept.
STAGES = (
    ("tests/_core", "tests/_data", "tests/metrics", "tests/rare_cases", "tests/test_kernels.py"),
    ("tests/inference",),
    ("tests/calibrators",),
    ("sklearn_calib",),
    ("tests/_utils", "tests/properties", "tests/test_extremes.py", "tests/test_named_columns.py"),
    ("tests/interface",),
    ("tests/streaming", "tests/display", "tests/recorded"),
)
# Reads the defaults of arguments, whose lines are run when the module is imported, and by no test.
_OF_DEFAULTS = "tests/interface/docs/test_defaults.py"
_LINES = ".coverage_by_test"
_COMMAND = (
    *(sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"),
    *("-n", "2", "--dist", "worksteal", "--cov=sklearn_calib", "--cov-report=", "--cov-append"),
    *("--cov-context=test", "--durations=0", "--durations-min=0.005", "-r", "fE"),
)
_LEFT_OUT = shutil.ignore_patterns(".git", "build", "*.egg-info", "__pycache__", ".*cache")
_FIRST_SECONDS = 5.0  # of the tests that are run first: nearly every fault is noticed by them


def make_record(folder, stages=STAGES):
    """Copy the project into a folder, run the tests there, and keep which lines each one runs.

    A second call goes on where the first one was broken off, and runs tests that have changed.

    Parameters
    ----------
    folder : Path
        Where the copy and the record are put.
    stages : sequence of sequence of str
        Paths of the tests that are run together.
    """
    copy = folder / "copy"
    if copy.exists():
        _add(folder, _renew(copy))
    else:
        shutil.copytree(PROJECT, copy, ignore=_LEFT_OUT)
    for paths in stages:
        if list(paths) not in _known(folder)["stages"]:
            _add(folder, paths)


def _renew(copy):
    """Bring files of tests that have changed into the copy; return those that hold tests."""
    for path in sorted(PROJECT.glob("sklearn_calib/**/*.py")):
        if not _equal(path, copy / path.relative_to(PROJECT)):
            raise RuntimeError(f"{path} has changed since the record: make a new one.")
    changed = []
    for path in sorted(PROJECT.glob("tests/**/*.*")):
        name = path.relative_to(PROJECT)
        if path.suffix != ".pyc" and not _equal(path, copy / name):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy / name)
            if name.name.startswith("test_"):
                changed.append(str(name))
    return changed


def _add(folder, paths):
    """Run tests with a record of their lines, and add what they did to the record."""
    if not paths:
        return
    root, known = folder / "copy", _known(folder)
    variables = {**environment(root), "COVERAGE_FILE": str(root / _LINES)}
    variables["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [*_COMMAND, *paths]
    run = subprocess.run(command, cwd=root, env=variables, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"The tests do not run:\n{run.stdout[-4000:]}")
    seconds, failing = {}, []
    for line in run.stdout.splitlines():
        words = line.split(maxsplit=2)
        if len(words) == 3 and words[0].endswith("s") and words[1] in ("call", "setup"):
            seconds[words[2]] = seconds.get(words[2], 0.0) + float(words[0][:-1])
        elif words and words[0] in ("FAILED", "ERROR"):
            print(f"left out, since it fails without a fault: {line}", flush=True)
            failing.append(line.split(maxsplit=1)[1].split(" - ")[0])
    known["seconds"] |= seconds
    known["failing"] = [one for one in known["failing"] if one.split("::")[0] not in paths]
    known["failing"] += failing
    known["stages"].append(list(paths))
    _file(folder).write_text(json.dumps(known, indent=0) + "\n", encoding="utf-8")


def _known(folder):
    """Return the seconds of each test, those that fail without a fault, and what was run."""
    if not _file(folder).exists():
        return {"seconds": {}, "failing": [], "stages": []}
    return json.loads(_file(folder).read_text(encoding="utf-8"))


def _file(folder):
    return folder / "tests.json"


class Record:
    """Which tests of a copy of the project run which line.

    Parameters
    ----------
    folder : Path
        What `make_record` has written.
    """

    def __init__(self, folder):
        self.root = folder / "copy"
        known = _known(folder)
        self._seconds, self._failing = known["seconds"], set(known["failing"])
        self._data = coverage.CoverageData(str(self.root / _LINES))
        self._data.read()
        self._tests = {}

    def rounds(self, mutant, limit):
        """Return the tests to run for a mutant, in the order in which they should be tried.

        Parameters
        ----------
        mutant : Mutant
        limit : float
            About how many seconds the tests of the second and the third round may take together.

        Returns
        -------
        rounds : list of list of str
            A few quick tests of the line, the others, and tests that run another line of the
            module: a line of a compiled program is run by the first test that needs it alone, and
            so is a result that is kept, for which there are the files called like the module.
        """
        of_line, of_module = self._tests_of(mutant)
        of_line = of_line or {_OF_DEFAULTS}
        first, rest = self._up_to(self._order(of_line, mutant), _FIRST_SECONDS)
        second, _ = self._up_to(rest, limit)
        third, _ = self._up_to(self._order(of_module - of_line, mutant), limit / 2)
        own = self.root.glob(f"tests/**/test_{Path(mutant.path).stem.strip('_')}.py")
        third += sorted(str(path.relative_to(self.root)) for path in own)
        return [chosen for chosen in (first, second, third) if chosen]

    def _tests_of(self, mutant):
        """Return the names of the tests of the line, and of all tests of its module."""
        if mutant.path not in self._tests:
            lines = self._data.contexts_by_lineno(str(self.root / mutant.path))
            self._tests[mutant.path] = {
                line: {name.rsplit("|", 1)[0] for name in names if name} - self._failing
                for line, names in lines.items()
            }
        lines = self._tests[mutant.path]
        return lines.get(mutant.line, set()), set().union(*lines.values())

    def _order(self, names, mutant):
        """Return tests of the own module first, then of the own folder, quick ones first."""
        own = Path(mutant.path).stem.strip("_")
        folder = "/".join(Path(mutant.path).parent.parts[1:])

        def key(name):
            file = name.split("::")[0]
            return (
                not file.endswith(f"/test_{own}.py") and file != mutant.path,
                not file.startswith(f"tests/{folder}/"),
                self._seconds.get(name, 0.0),
                name,
            )

        return sorted(names, key=key)

    def _up_to(self, names, limit):
        """Split tests into those that take less than so many seconds together and the rest."""
        chosen, rest, total = [], [], 0.0
        for name in names:
            total += self._seconds.get(name, 0.0) + 0.005
            (chosen if total <= limit else rest).append(name)
        return chosen, rest


def environment(root):
    """Return the variables for a run in which the package comes from a copy."""
    return {
        **os.environ,
        "PYTHONPATH": str(root),
        "OMP_NUM_THREADS": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(root / ".hypothesis"),
    }


def _equal(path, other):
    return other.exists() and filecmp.cmp(path, other, shallow=False)
