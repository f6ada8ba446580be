"""Progress on standard error: one facility for functions, estimators and the command line."""

import sys
from multiprocessing import current_process
from threading import Lock, current_thread, main_thread
from time import perf_counter

from .._core.gate import compilation_told
from .options import check_progress

_WIDTH = 79
_BAR = 20
# Lines for the counts of one task where no line can be rewritten, and seconds between rewritings.
_MOST_LINES = 20
_PAUSE = 0.1
_LOCK = Lock()


def reporter(name, verbose):
    """Return what is told about the progress of a function.

    Parameters
    ----------
    name : str
        The function that reports.
    verbose : bool, int or callable
        Whether to show progress; or a function that is called with each line of text. The reporter
        of a function that calls this one is used as it is.
    """
    return verbose if isinstance(verbose, Reporter) else Reporter(name, check_progress(verbose))


class Reporter:
    """Shows what a function does, where it is asked to; use it in a ``with`` statement.

    In a terminal and in a notebook one line is rewritten, with a bar where steps are counted, and
    removed in the end. Elsewhere, and in threads, each step has a line of its own. Processes that
    work for another one show nothing.

    Parameters
    ----------
    name : str
        The function that reports; may be empty.
    verbose : bool, int or callable
        As documented for all functions.
    """

    def __init__(self, name, verbose):
        self.name = name
        self.tell = verbose if callable(verbose) else None
        self.shown = bool(verbose) and current_process().name == "MainProcess"
        self.started = perf_counter()
        self.stream = sys.stderr
        self.rewrites = current_thread() is main_thread() and can_rewrite(self.stream)
        self._written = -_PAUSE
        self._tokens = []
        self._open = False

    def __enter__(self):
        self._tokens.append(compilation_told.set(self if self else None))
        return self

    def __exit__(self, *exception):
        compilation_told.reset(self._tokens.pop())
        if not self._tokens:
            self.close()

    def __bool__(self):
        """Return whether anybody is told."""
        return bool(self.tell or self.shown)

    def __call__(self, text):
        """Tell the next step."""
        if self.tell:
            self.tell(text)
        elif self.shown:
            self._show(text)

    def count(self, done, total, what):
        """Tell that some of the steps of a task are done, from the first to the last one."""
        text = f"{done} of {total} {what}"
        if self.tell or not self.shown:
            self(text)
        elif self.rewrites:
            late = perf_counter() - self.started - self._written >= _PAUSE
            if done == total or late:
                full = _BAR * done // total
                self._show(f"[{'#' * full}{'-' * (_BAR - full)}] {text}")
        elif done == total or done * _MOST_LINES // total > (done - 1) * _MOST_LINES // total:
            self._show(text)

    def close(self):
        """Remove the line that is rewritten, so that something else can be printed."""
        if self._open:
            self._open = False
            self._write(f"\r{'':<{_WIDTH}}\r")

    def _show(self, text):
        self._written = perf_counter() - self.started
        label = f"[{self.name}] {self._written:.1f} s:" if self.name else f"[{self._written:.0f} s]"
        line = f"{label} {text}"
        if self.rewrites:
            self._open = True
            self._write(f"\r{line[:_WIDTH]:<{_WIDTH}}")
        else:
            self._write(f"{line}\n")

    def _write(self, text):
        with _LOCK:
            self.stream.write(text)
            self.stream.flush()


def can_rewrite(stream):
    """Return whether a stream shows a line again after a carriage return.

    Terminals do, and the cells of notebooks, whose kernel has put a stream of its own in place.
    """
    return stream.isatty() or type(stream).__module__.split(".")[0] == "ipykernel"
