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
_LINES = ".coverage_by_test"
_COMMAND = (
    *(sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"),
    *("-n", "2", "--dist", "worksteal", "--cov=sklearn_calib", "--cov-report="),
    *("--cov-context=test", "--durations=0", "--durations-min=0.005"),
)
_LEFT_OUT = shutil.ignore_patterns(".git", "build", "*.egg-info", "__pycache__", ".*cache")
_FIRST_SECONDS = 5.0  # of the tests that are run first: nearly every fault is noticed by them


def make_record(folder, paths=()):
    """Copy the project into a folder, run the tests there, and keep which lines each one runs.

    Parameters
    ----------
    folder : Path
        Where the copy and the record are put.
    paths : sequence of str
        Tests to run; all fast ones by default.
    """
    shutil.copytree(PROJECT, folder / "copy", ignore=_LEFT_OUT)
    _save(folder, _run(folder / "copy", paths))


def refresh_record(folder):
    """Bring test files that have changed since the record into it, and run those again."""
    copy = folder / "copy"
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
    if changed:
        seconds = json.loads((folder / "seconds.json").read_text(encoding="utf-8"))
        _save(folder, {**seconds, **_run(copy, ["--cov-append", *changed])})


class Record:
    """Which tests of a copy of the project run which line.

    Parameters
    ----------
    folder : Path
        What `make_record` has written.
    """

    def __init__(self, folder):
        self.root = folder / "copy"
        self._seconds = json.loads((folder / "seconds.json").read_text(encoding="utf-8"))
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
            module: a line of a compiled program is run by the first test that needs it alone.
        """
        of_line, of_module = self._tests_of(mutant)
        first, rest = self._up_to(self._order(of_line, mutant), _FIRST_SECONDS)
        second, _ = self._up_to(rest, limit)
        third, _ = self._up_to(self._order(of_module - of_line, mutant), limit / 2)
        return [chosen for chosen in (first, second, third) if chosen]

    def _tests_of(self, mutant):
        """Return the names of the tests of the line, and of all tests of its module."""
        if mutant.path not in self._tests:
            lines = self._data.contexts_by_lineno(str(self.root / mutant.path))
            self._tests[mutant.path] = {
                line: {name.rsplit("|", 1)[0] for name in names if name}
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


def _run(root, options):
    """Run tests with a record of their lines; return the seconds of each."""
    variables = {**environment(root), "COVERAGE_FILE": str(root / _LINES)}
    variables["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [*_COMMAND, *options]
    run = subprocess.run(command, cwd=root, env=variables, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"The tests fail without any fault:\n{run.stdout[-4000:]}")
    seconds = {}
    for line in run.stdout.splitlines():
        words = line.split(maxsplit=2)
        if len(words) == 3 and words[0].endswith("s") and words[1] in ("call", "setup"):
            seconds[words[2]] = seconds.get(words[2], 0.0) + float(words[0][:-1])
    return seconds


def _save(folder, seconds):
    text = json.dumps(seconds, indent=0)
    (folder / "seconds.json").write_text(text + "\n", encoding="utf-8")


def _equal(path, other):
    return other.exists() and filecmp.cmp(path, other, shallow=False)
