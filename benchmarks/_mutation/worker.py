"""A process that has the libraries imported and runs tests in forks of itself.

It reads a job a line, as JSON: the names of tests, and the seconds of the processor after
which they are stopped.
It prints an answer a line: how they ended, and the first test that failed. Neither the package
nor a test is imported here, so that each fork sees the files as they are at its start.
"""

import importlib
import json
import os
import resource
import select
import signal
import sys
import traceback
from contextlib import suppress
from doctest import DocTestFailure
from pathlib import Path

import pytest

_LIBRARIES = (
    *("numpy", "scipy.stats", "scipy.optimize", "scipy.special", "scipy.sparse", "pandas"),
    *("sklearn.ensemble", "sklearn.linear_model", "sklearn.calibration", "sklearn.pipeline"),
    *("sklearn.model_selection", "sklearn.utils.estimator_checks", "jax"),
    *("jax.numpy", "matplotlib.pyplot"),
)
_MEMORY = 12 * 2**30  # a fault may ask for any size
_MOST_ERRORS = 12
_PATIENCE = 10  # of the clock, for each second of the processor: the machine may be busy
_OPTIONS = ("-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist")


class Ends:
    """Stops the tests at the first failed assertion; an error alone does not stop them."""

    def __init__(self):
        self.assertion = self.error = None
        self.n_errors = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.failed:
            self._note(item.nodeid, call.excinfo)
        return report

    def pytest_collectreport(self, report):
        if report.failed and not self.error:
            self.error = report.nodeid or "collection"

    def pytest_runtest_logfinish(self):
        if self.assertion:
            pytest.exit("a fault was noticed", 1)
        if self.n_errors >= _MOST_ERRORS:
            pytest.exit("many errors", 1)

    def _note(self, name, info):
        if info is None or _is_assertion(info.value):
            self.assertion = self.assertion or name
        else:
            self.error = self.error or name
            self.n_errors += 1


def _is_assertion(error):
    """Return whether a test failed because a value, a refusal or an output was not right."""
    if isinstance(error, BaseExceptionGroup):
        return any(_is_assertion(one) for one in error.exceptions)
    failures = getattr(error, "failures", None)  # of several examples of a doctest
    if failures:
        return any(isinstance(one, DocTestFailure) for one in failures)
    return isinstance(error, AssertionError | pytest.fail.Exception | DocTestFailure)


def _test(names, pipe, log):
    """Run tests in this fork, and write their end into a pipe."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.dont_write_bytecode = True
    ends = Ends()
    code = 4
    try:
        code = int(pytest.main([*_OPTIONS, *names], plugins=[ends]))
    except BaseException:  # a fork must not go on with the work of its parent
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        answer = {"code": code, "assertion": ends.assertion, "error": ends.error}
        os.write(pipe, json.dumps(answer).encode())
        os._exit(0)


def _answer(job, log):
    """Run a job in a fork, and return how it ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (job["seconds"], job["seconds"] + 5))
        _test(job["tests"], writing, log)
    os.close(writing)
    ready, _, _ = select.select([reading], [], [], _PATIENCE * job["seconds"])
    text = os.read(reading, 65536) if ready else b""
    os.close(reading)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if text:
        return json.loads(text)
    late = not ready or os.WTERMSIG(status) == signal.SIGXCPU
    return {"code": None if late else 3, "assertion": None, "error": "the process ended"}


def main():
    """Answer jobs until the input ends."""
    root = Path(sys.argv[1])
    os.chdir(root)
    sys.path.insert(0, str(root))
    for name in _LIBRARIES:
        importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line), root / "worker.log")), flush=True)


if __name__ == "__main__":
    main()
