"""Progress is shown on standard error: a line that is rewritten, or a line per step.

Results must not depend on it, and processes that work for another one must stay silent, because
their lines would be mixed with those of each other.
"""

import io
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest
from joblib import Parallel, delayed
from numpy.testing import assert_array_equal
from sklearn.naive_bayes import GaussianNB

from sklearn_calib import (
    AdaptiveCalibrator,
    KernelRecalibrator,
    calibration_by_group,
    calibration_ci,
    calibration_report,
    calibration_test_score,
    check_calibration,
    check_relevant_miscalibration,
    compare_calibration,
    local_bias_band,
)
from sklearn_calib._core import gate
from sklearn_calib._utils.progress import can_rewrite, reporter

RNG = np.random.default_rng(0)
P = RNG.uniform(0.1, 0.9, size=60)
Y = (RNG.random(60) < P).astype(int)
X = RNG.normal(size=(60, 2))
OTHER = np.clip(P + RNG.normal(0, 0.05, size=60), 0, 1)
S = np.column_stack([1 - P, P, X])


class Terminal(io.StringIO):
    """A stream that shows a line again after a carriage return."""

    def isatty(self):
        return True


class Clock:
    """Seconds that pass by one at each look."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


@pytest.fixture
def terminal(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr("sklearn_calib._utils.progress.sys", SimpleNamespace(stderr=stream))
    monkeypatch.setattr("sklearn_calib._utils.progress.perf_counter", Clock())
    return stream


SLOW = pytest.mark.slow  # a network is compiled


def _recalibrate(verbose=False):
    calibrator = KernelRecalibrator(max_iter=40, n_networks=2, random_state=0, verbose=verbose)
    return calibrator.set_params(early_stopping=False).fit(S, Y).predict_proba(S)


FUNCTIONS = {
    "check_calibration": lambda **o: (
        check_calibration(Y, P, n_resamples=19, random_state=0, **o).null_distribution
    ),
    "calibration_ci": lambda **o: (
        calibration_ci(Y, P, metric="skce", n_resamples=39, random_state=0, **o).low
    ),
    "check_relevant_miscalibration": lambda **o: (
        check_relevant_miscalibration(
            Y, P, delta=0.1, metric="skce", n_resamples=19, random_state=0, **o
        ).pvalue
    ),
    "calibration_by_group": lambda **o: (
        calibration_by_group(Y, P, X[:, 0] > 0, n_resamples=19, random_state=0, **o).pvalue
    ),
    "compare_calibration": lambda **o: (
        compare_calibration(Y, {"a": P, "b": OTHER}, n_resamples=19, random_state=0, **o)
        .to_frame()
        .to_numpy()
    ),
    "local_bias_band": lambda **o: (
        local_bias_band(Y, P, X, n_resamples=19, random_state=0, **o).critical_value
    ),
    "calibration_test_score": lambda **o: (
        calibration_test_score(
            GaussianNB(), X, Y, cv=2, n_resamples=19, random_state=0, **o
        ).fold_pvalues
    ),
    "calibration_report": lambda **o: calibration_report(Y, P, n_resamples=19, **o).to_dict(),
    "AdaptiveCalibrator": lambda **o: AdaptiveCalibrator(**o).fit(P, Y).predict_proba(P),
}


@pytest.mark.filterwarnings("ignore:With n_resamples=19")
@pytest.mark.parametrize("name", [*FUNCTIONS, pytest.param("KernelRecalibrator", marks=SLOW)])
def test_progress_goes_to_standard_error_and_changes_no_result(name, capsys, monkeypatch):
    monkeypatch.setattr(gate, "LONG_COMPILATION", 1e6)  # which of the calls compiles is left open
    function = FUNCTIONS.get(name, _recalibrate)
    silent = function()
    assert capsys.readouterr() == ("", "")
    shown = function(verbose=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"[{name}] ")
    assert all(line.startswith("[") and " s: " in line for line in err.splitlines())
    told = []
    by_callable = function(verbose=told.append)
    assert [line.split(" s: ")[1] for line in err.splitlines()] == told
    assert capsys.readouterr() == ("", "")
    for other in (shown, by_callable):
        assert_array_equal(silent, other)


def test_a_terminal_shows_one_line_with_a_bar_that_is_removed(terminal):
    with reporter("work", True) as say:
        say("preparing")
        for done in range(1, 5):
            say.count(done, 4, "draws")
        shown = terminal.getvalue()
        assert "\n" not in shown
        lines = shown.split("\r")[1:]
        assert [line.split(" s: ")[1].rstrip() for line in lines] == [
            "preparing",
            "[#####---------------] 1 of 4 draws",
            "[##########----------] 2 of 4 draws",
            "[###############-----] 3 of 4 draws",
            "[####################] 4 of 4 draws",
        ]
        assert {len(line) for line in lines} == {79}
    assert terminal.getvalue() == shown + "\r" + 79 * " " + "\r"


def test_the_line_is_removed_before_an_error_is_shown(terminal):
    def fail():
        with reporter("work", True) as say:
            say("preparing")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert terminal.getvalue().endswith("\r" + 79 * " " + "\r")


def test_a_terminal_is_not_flooded(terminal, monkeypatch):
    monkeypatch.setattr("sklearn_calib._utils.progress.perf_counter", lambda: 0.0)
    say = reporter("work", True)
    for done in range(1, 1001):
        say.count(done, 1000, "draws")
    assert terminal.getvalue().count("\r") <= 2
    assert "1000 of 1000 draws" in terminal.getvalue()


def test_a_file_gets_some_lines_not_thousands(capsys):
    say = reporter("work", True)
    for done in range(1, 1001):
        say.count(done, 1000, "draws")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 20
    assert lines[0].endswith("50 of 1000 draws")
    assert lines[-1].endswith("1000 of 1000 draws")


def test_a_notebook_rewrites_the_line():
    """Its stream is no terminal, but the cell below shows a line again after a carriage return."""
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    assert can_rewrite(stream)
    assert can_rewrite(Terminal())
    assert not can_rewrite(io.StringIO())


def test_threads_write_whole_lines(capsys, terminal):
    def work(number):
        say = reporter(f"work {number}", True)
        for done in range(1, 21):
            say.count(done, 20, "draws")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    lines = terminal.getvalue().splitlines()
    assert len(lines) == 80
    assert all(line.startswith("[work ") and line.endswith("of 20 draws") for line in lines)


def _test_in_a_worker(n):
    """Return what a worker process writes to its standard error."""
    stream = io.StringIO()
    before, sys.stderr = sys.stderr, stream
    try:
        check_calibration(Y, P, n_resamples=n, statistic="ece", verbose=True)
    finally:
        sys.stderr = before
    return stream.getvalue()


@pytest.mark.slow
def test_worker_processes_are_silent(capfd):
    assert Parallel(n_jobs=2)(delayed(_test_in_a_worker)(n) for n in (9, 19)) == ["", ""]
    options = {"cv": 3, "n_resamples": 19, "random_state": 0, "verbose": True}
    calibration_test_score(GaussianNB(), X, Y, n_jobs=2, **options)
    out, err = capfd.readouterr()
    assert out == ""
    assert [line.split(" s: ")[1] for line in err.splitlines()] == [
        "1 of 3 folds",
        "2 of 3 folds",
        "3 of 3 folds",
    ]


def test_a_function_inside_another_one_uses_its_line(terminal):
    with reporter("outer", True) as outer:
        with reporter("inner", outer) as inner:
            assert inner is outer
            inner("step")
        assert not terminal.getvalue().endswith(" \r")
    assert "inner" not in terminal.getvalue()


@pytest.mark.parametrize("function", [gate.call, lambda *args: gate.call_each(args[0], [0, 1])])
def test_a_long_compilation_is_told_once_it_is_long(function, monkeypatch):
    told = []
    monkeypatch.setattr(gate, "LONG_COMPILATION", 0.05)

    def slow(number):
        _sleep_while_compiled()
        return jnp.asarray(number) + 1

    with reporter("work", told.append):
        function(slow, 1)
    assert set(told) == {"compiling a kernel, which happens once a size of data"}
    told.clear()
    with reporter("work", told.append):
        function(slow, 1)
    assert told == []
    function(lambda number: slow(number), 2)  # nobody wants to know
    assert told == []


def _sleep_while_compiled():
    """Take a tenth of a second while a function is traced, as compiling takes."""
    from time import perf_counter

    until = perf_counter() + 0.15
    while perf_counter() < until:
        pass


@pytest.mark.parametrize(
    ("verbose", "told"), [(False, False), (0, False), (1, True), (print, True)]
)
def test_who_is_told(verbose, told):
    assert bool(reporter("work", verbose)) is told
