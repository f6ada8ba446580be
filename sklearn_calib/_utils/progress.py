"""Progress on standard error."""

import sys
from time import perf_counter


def reporter(name, verbose):
    """Return a function that is told what has been done.

    Parameters
    ----------
    name : str
        The function that reports.
    verbose : int or callable
        Whether to print a line with the time so far; or a function that is called with the text.
    """
    if callable(verbose):
        return verbose
    started = perf_counter()

    def say(text):
        if verbose:
            elapsed = perf_counter() - started
            print(f"[{name}] {elapsed:.1f} s: {text}", file=sys.stderr, flush=True)

    return say
