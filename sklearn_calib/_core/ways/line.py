"""Sorted line: the Laplacian in one dimension, exact after one sort."""

import jax
import jax.numpy as jnp
import numpy as np

from ..gate import call, pad, size_bucket
from .way import Way


def line_sums(decay, columns):
    """Sum `k_ij v_i v_j` over i != j along a sorted line.

    With `S_i = decay_i (S_{i-1} + v_{i-1})`, the kernel-weighted sum of all columns below point i,
    the form is `2 sum_i v_i S_i`. Every factor is at most one, so nothing grows.

    Parameters
    ----------
    decay : array of shape (n,)
        `exp(-(r_i - r_{i-1}) / h)`; the first entry is of no effect.
    columns : array of shape (n, n_columns)
        Residual columns in sorted order.

    Returns
    -------
    array of shape (n_columns,)
        The forms.
    """

    def step(carry, row):
        below, form = carry
        factor, v = row
        arrived = factor * below
        return (arrived + v, form + v * arrived), None

    zero = jnp.zeros(columns.shape[1])
    (_, form), _ = jax.lax.scan(step, (zero, zero), (decay, columns), unroll=8)
    return 2.0 * form


class Line(Way):
    """Sorted positions, ready for any number of columns."""

    def __init__(self, points, bandwidth):
        n = len(points)
        # NumPy's sort: JAX's own takes many times longer on a CPU.
        self._order = np.argsort(points[:, 0])
        ordered = np.take(points[:, 0], self._order)
        decay = np.zeros(size_bucket(n))
        np.subtract(ordered[:-1], ordered[1:], out=decay[1:n])
        decay /= bandwidth
        self._decay = np.exp(decay, out=decay)
        self.column_size = len(decay)

    def __call__(self, columns):
        """Return the form of each column; see `PairForm`."""
        n_columns = size_bucket(columns.shape[1], smallest=1)
        v = pad(columns, len(self._decay), order=self._order, columns=n_columns)
        return call(line_sums, self._decay, v)
