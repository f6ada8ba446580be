"""The same for several things on all cores."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

from joblib import cpu_count


def map_on_cores(function, items):
    """Return what a function gives for each item, in order; threads share the items.

    Use it for work that releases the lock of the interpreter, as large operations of NumPy do, and
    for functions that change nothing that others read.

    Parameters
    ----------
    function : callable
        ``function(item)``.
    items : sequence
        The items, the ones that take longest at the front if possible.

    Returns
    -------
    list
        The results. If some calls fail, the error of the first one of them is raised.
    """
    n_threads = min(len(items), cpu_count())  # of this process, not of the machine
    if n_threads < 2:
        return [function(item) for item in items]
    contexts = [copy_context() for _ in items]  # settings and progress are those of the caller
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(lambda context, item: context.run(function, item), contexts, items))
