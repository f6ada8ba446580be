"""What the tests compare the results with: the number of tests of each kind."""

import contextlib
import io
from collections import Counter
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

PROJECT = Path(__file__).parents[1]
ORACLES = ("tests._oracles", "tests.inference._formulas", "tests.inference._score_oracles")
REFERENCES = ("tests._reference",)
# The first that fits is the kind of a test. Folders come first, then what its code reads.
FOLDERS = {
    "tests/properties/": "properties, such as the order of rows, for every function",
    "tests/interface/_bad_input": "malformed arguments, for every function",
    "tests/interface/test_bad_input": "malformed arguments, for every function",
    "tests/calibrators/test_sklearn_checks": "scikit-learn's checks of estimators",
    "tests/recorded/": "numbers of the package itself, recorded so that a change is noticed",
    "tests/interop/": "work together with other packages",
    "tests/display/": "pictures: what is drawn is what was computed",
    "tests/interface/": "names, imports, types and documentation",
}


class Collector:
    """A plugin of pytest that keeps what is collected, with the slow tests."""

    def __init__(self):
        self.items = []

    def pytest_itemcollected(self, item):
        """Keep a test."""
        self.items.append(item)


def collect(paths=()):
    """Return all tests, of which none is run."""
    collector = Collector()
    said = io.StringIO()
    options = ["--collect-only", "-qq", f"--rootdir={PROJECT}", "-p", "no:cacheprovider"]
    with contextlib.chdir(PROJECT), contextlib.redirect_stdout(said):
        code = pytest.main([*options, *paths], plugins=[collector])
    if code:
        raise RuntimeError(f"The tests cannot be collected:\n{said.getvalue()[-2000:]}")
    return collector.items


def reads(function, modules, seen=None):
    """Return whether a function of the tests, or one that it calls, reads something of modules."""
    seen = set() if seen is None else seen
    if function in seen:
        return False
    seen.add(function)
    for name in _names(function.__code__):
        value = function.__globals__.get(name)
        home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
        if home in modules:
            return True
        own = isinstance(value, FunctionType) and str(home).startswith("tests.")
        if own and reads(value, modules, seen):
            return True
    return False


def _names(code):
    """Return the names that code reads, with that of functions within."""
    inner = [one for one in code.co_consts if hasattr(one, "co_names")]
    return {*code.co_names, *(name for one in inner for name in _names(one))}


def kind_of(item):
    """Return the kind of a test."""
    for start, kind in FOLDERS.items():
        if item.nodeid.startswith(start):
            return kind
    function = getattr(item, "function", None)
    if function is None:
        return "examples in docstrings and on the pages of the documentation"
    case = item.callspec.params.get("case") if hasattr(item, "callspec") else None
    if (isinstance(case, dict) and "expected" in case) or reads(function, REFERENCES):
        return "numbers that other software has computed"
    if reads(function, ORACLES):
        return "slow and obvious loops"
    if item.get_closest_marker("slow"):
        return "level, power and coverage in simulations, and other slow checks"
    return "values by hand, properties, errors and pictures"


def run(quick=False):
    kinds = Counter(map(kind_of, collect(["tests/metrics"] if quick else ())))
    rows = [{"what results are compared with": kind, "tests": n} for kind, n in kinds.most_common()]
    return [*rows, {"what results are compared with": "all", "tests": kinds.total()}]
