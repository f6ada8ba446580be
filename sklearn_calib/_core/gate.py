"""The only door to JAX: NumPy in, NumPy out, always float64, no global setting touched."""

import os
import sys
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from threading import Lock, Timer
from typing import Any

import numpy as np
from joblib import cpu_count

MOST_PROGRAMS = 96  # about 2.5 MiB each; one of a function that is `large` counts as several
_SIZE_OF_LARGE = 4
LONG_COMPILATION = 3.0  # seconds
# What JAX calls its guards of transfers, which can be read one by one only.
_TRANSFERS = tuple(
    f"jax_transfer_guard_{way}" for way in ("host_to_device", "device_to_host", "device_to_device")
)


def size_bucket(n, *, smallest=64, coarse_until=0):
    """Round a size up, so that nearby sizes share one compiled program.

    Parameters
    ----------
    n : int
        Number of rows, columns or frequencies.
    smallest : int, default=64
        The smallest bucket.
    coarse_until : int, default=0
        Where what is computed costs less than its call, up to this size, buckets are powers of two:
        few programs instead of little padding.

    Returns
    -------
    int
        The smallest bucket that holds `n`. There are 8 buckets to a doubling, so that padding adds
        at most an eighth; each is a multiple of a power of two that is at least a sixteenth of it.
    """
    if n <= smallest:
        return smallest
    n_bits = (n - 1).bit_length()
    step = 1 << (n_bits if n <= coarse_until else max(0, n_bits - 4))
    return -(-n // step) * step


def tile_size(bucket, *, largest):
    """Return a tile length that divides a size bucket: all of it, or a power of two."""
    return bucket if bucket <= largest else min(largest, bucket & -bucket)


def pad(array, rows, *, order=None, columns=None):
    """Copy an array into zeros of a bucket's size, as contiguous float64.

    Parameters
    ----------
    array : ndarray of shape (n,) or (n, n_columns)
        What to copy.
    rows : int
        Rows of the result, at least n.
    order : ndarray of shape (n,), default=None
        Row order of the copy; as it is by default.
    columns : int, default=None
        Columns of the result; as many as there are by default.

    Returns
    -------
    ndarray of shape (rows,) or (rows, columns)
        The copy; everything beyond the data is zero.
    """
    n = len(array)
    shape = array.shape[1:] if columns is None else (columns,)
    padded = np.zeros((rows, *shape))
    target = (slice(n), *map(slice, array.shape[1:]))
    padded[target] = array if order is None else np.take(array, order, axis=0)
    return padded


def load_jax():
    """Import JAX, whose first import draws from the global random stream of NumPy."""
    if "jax" not in sys.modules:
        state = np.random.get_state()  # noqa: NPY002
        import jax  # noqa: F401

        np.random.set_state(state)  # noqa: NPY002


def _backends_are_there():
    """Return whether JAX has started its threads in this process."""
    module = sys.modules.get("jax._src.xla_bridge")
    return module is not None and getattr(module, "backends_are_initialized", lambda: True)()


class Forks:
    """Whether this process was forked from one in which JAX had run, for whomever."""

    def __init__(self):
        self.threads_lost = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.look)

    def look(self):
        """Note in a new process that the threads of JAX are not there."""
        self.threads_lost = self.threads_lost or _backends_are_there()


forks = Forks()


@contextmanager
def own_settings():
    """Give JAX the settings that the core is written for, in this thread, whatever the user's are.

    Float64 and the usual promotion of dtypes and ranks; transfers between NumPy and JAX allowed;
    no debugging of NaN and infinity, which rows of padding may hold; no ban on compiling and
    running. Where the user's own function is being traced, what the core is given are numbers all
    the same, and it computes with them at once.

    Raises
    ------
    RuntimeError
        If this process was forked from one in which JAX had run: its threads do not survive a
        fork, and a call would wait for ever.
    """
    if forks.threads_lost:
        raise RuntimeError(
            "This process was forked from one that has used JAX, whose threads do not survive a "
            "fork, and this needs a kernel. Start worker processes by the methods 'spawn' or "
            "'forkserver' of multiprocessing, or by joblib's default backend 'loky'; or compute "
            "what needs a kernel before the fork."
        )
    import jax

    own: list[tuple[str, Callable, Any]] = [
        ("jax_enable_x64", jax.enable_x64, True),
        ("jax_numpy_dtype_promotion", jax.numpy_dtype_promotion, "standard"),
        ("jax_numpy_rank_promotion", jax.numpy_rank_promotion, "allow"),
        ("jax_default_matmul_precision", jax.default_matmul_precision, None),
        ("jax_debug_nans", jax.debug_nans, False),
        ("jax_debug_infs", jax.debug_infs, False),
        ("jax_disable_jit", jax.disable_jit, False),
        ("jax_no_tracing", jax.no_tracing, False),
        ("jax_no_execution", jax.no_execution, False),
    ]
    with ExitStack() as settings:
        settings.enter_context(jax.ensure_compile_time_eval())
        for name, setting, value in own:
            # To enter a setting takes ten times as long as to see that it is as it should be.
            if getattr(jax.config, name, setting) != value:
                settings.enter_context(setting(value))
        if {getattr(jax.config, name, name) for name in _TRANSFERS} - {None, "allow"}:
            settings.enter_context(jax.transfer_guard("allow"))
        yield


def large(function):
    """Mark a function whose compiled program takes as much memory as several others."""
    function.program_size = _SIZE_OF_LARGE
    return function


class Programs:
    """Compiled programs, one a function, shapes and static arguments; the latest are kept.

    JAX keeps every program that it has ever compiled. Data of ever new sizes would fill the memory.

    Parameters
    ----------
    most : int
        Number of programs to keep; the one whose last use is longest ago goes first. Those that
        are `large` count as several.
    """

    def __init__(self, most):
        self.most = most
        self.kept = OrderedDict()
        self._lock = Lock()

    def find(self, function, arrays, static):
        """Return the program for arrays of these shapes, compiled at its first call."""
        import jax

        leaves, structure = jax.tree.flatten(arrays)
        shapes = tuple((np.shape(leaf), getattr(leaf, "dtype", type(leaf))) for leaf in leaves)
        key = function, structure, shapes, tuple(static.items())
        with self._lock:
            if key in self.kept:
                self.kept.move_to_end(key)
                return self.kept[key]
            self.kept[key] = jax.jit(partial(function, **static))
            while len(self.kept) > 1 and self._size() > self.most:
                _, oldest = self.kept.popitem(last=False)
                oldest.clear_cache()
            return self.kept[key]

    def _size(self):
        return sum(getattr(function, "program_size", 1) for function, *_ in self.kept)


programs = Programs(MOST_PROGRAMS)


# Whom to tell, in this context, that a program takes long to compile: a function of text, or None.
compilation_told: ContextVar[Callable[[str], object] | None] = ContextVar("told", default=None)


@contextmanager
def announced_if_long():
    """Tell after some seconds that a program is being compiled, if somebody wants to know."""
    told = compilation_told.get()
    if told is None:
        yield
        return
    timer = Timer(LONG_COMPILATION, told, ["compiling a kernel, which happens once a size of data"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def call(function, *arrays, **static):
    """Compile a function of JAX once a shape, call it in float64 and return NumPy arrays.

    The settings are entered here, in the thread that computes, because they are local to the
    thread. Results leave JAX inside the context, since a float64 JAX array that outlives it can
    silently become float32.

    Parameters
    ----------
    function : callable
        A function at module level of a core module.
    *arrays : ndarray or scalar
        Traced arguments.
    **static : hashable
        Static arguments.

    Returns
    -------
    ndarray or tuple of ndarray
        The results, in NumPy.
    """
    import jax

    with own_settings():
        program = programs.find(function, arrays, static)
        # A program returns before it has computed, so what takes long here is its compilation.
        with announced_if_long():
            results = program(*arrays)
        return jax.tree.map(np.asarray, results)


def finish_callbacks():
    """Wait until compiled code has called everything in Python that it calls."""
    import jax

    jax.effects_barrier()


def call_each(function, firsts, *arrays, **static):
    """Call a function of JAX once for each first argument, on all cores; see `call`.

    Parameters
    ----------
    function : callable
        A function at module level of a core module.
    firsts : sequence of int
        First arguments, one a call.
    *arrays : ndarray or scalar
        Arguments that all calls share.
    **static : hashable
        Static arguments.

    Returns
    -------
    list
        The results, in the order of `firsts`.
    """
    import jax

    if len(firsts) == 1:
        return [call(function, firsts[0], *arrays, **static)]
    with own_settings():
        shared = jax.device_put(arrays)
    with ThreadPoolExecutor(min(len(firsts), cpu_count())) as pool:
        return list(
            pool.map(
                lambda first, context: context.run(call, function, first, *shared, **static),
                firsts,
                [copy_context() for _ in firsts],
            )
        )
