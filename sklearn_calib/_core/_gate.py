"""The only door to JAX: NumPy in, NumPy out, always float64, no global setting touched."""

import numpy as np


def size_bucket(n, *, smallest=64):
    """Round a size up so that nearby sizes share one compiled program.

    Buckets are 8 steps per doubling, so padding costs at most 1/8 of extra work.

    Parameters
    ----------
    n : int
        Number of rows (or columns).
    smallest : int, default=64
        The smallest bucket.

    Returns
    -------
    int
        The smallest bucket that is at least `n`.
    """
    if n <= smallest:
        return smallest
    step = max(1, 1 << ((n - 1).bit_length() - 4))
    return -(-n // step) * step


def pad_rows(array, size):
    """Append rows of zeros until there are `size` rows, as contiguous float64."""
    array = np.ascontiguousarray(array, dtype=np.float64)
    missing = size - array.shape[0]
    if missing == 0:
        return array
    return np.concatenate([array, np.zeros((missing, *array.shape[1:]))])


def call(function, *arrays, **static):
    """Call a jitted function in float64 and return NumPy arrays.

    The x64 setting is entered here, in the thread that computes, because it is local to the
    thread; results leave JAX inside the context, since a float64 JAX array that outlives it may be
    turned into float32.

    Parameters
    ----------
    function : callable
        A jitted function at module level of a private core module.
    *arrays : array-like
        Traced arguments. Floats become float64, integers stay what they are.
    **static : hashable
        Static arguments.

    Returns
    -------
    ndarray or tuple of ndarray
        The results, in NumPy.
    """
    import jax

    with jax.enable_x64(True):
        return jax.tree.map(np.asarray, function(*arrays, **static))
