"""Sorted line: the Laplacian in one dimension, exact after one sort."""

import jax
import jax.numpy as jnp
import numpy as np

from ..gate import call, size_bucket, tile_size
from .way import Way

# Rows of a block, and blocks that go through their rows together.
_N_STEPS, _N_BLOCKS = 64, 128
# More than one column are filled up to a multiple, so that fewer programs are compiled.
_COLUMNS = 8


def line_sums(decay, scale, offset, values):
    """Sum `k_ij v_i v_j` over i != j along a sorted line, for `v = scale * (values - offset)`.

    With `S_i = decay_i (S_{i-1} + v_{i-1})`, the kernel-weighted sum of all columns below point i,
    the form is `2 sum_i v_i S_i`. Every factor is at most one, so nothing grows. The line is cut
    into blocks that start from zero and go through their rows together. What comes from below a
    block, `S`, adds `S` times the sum of `v_i` times the decay from the start of the block.

    Parameters
    ----------
    decay : array of shape (n_chunks, n_steps, n_blocks)
        `exp(-(r_i - r_{i-1}) / h)` of row `step` of block `block`; one row after the other makes
        up a block, and one block after the other a chunk. The very first is of no effect.
    scale, offset : array of shape (n_chunks, n_steps, n_blocks)
        Numbers of the rows; scale is zero for rows of padding.
    values : array of bool or float of shape (n_chunks, n_steps, n_blocks, n_columns)
        What the columns are made of.

    Returns
    -------
    array of shape (n_columns,)
        The forms.
    """
    n_blocks, n_columns = values.shape[2:]

    def add_chunk(carry, rows):
        def step(state, row):
            below, form, factor, from_start = state
            decay, scale, offset, value = row
            v = scale[:, None] * (value - offset[:, None])
            arrived = decay[:, None] * below
            factor = decay * factor
            state = (arrived + v, form + v * arrived, factor, from_start + v * factor[:, None])
            return state, None

        def join(carry, block):
            below, form = carry
            own, own_form, factor, from_start = block
            return (factor * below + own, form + own_form + below * from_start), None

        zero = jnp.zeros((n_blocks, n_columns))
        blocks, _ = jax.lax.scan(step, (zero, zero, jnp.ones(n_blocks), zero), rows)
        return jax.lax.scan(join, carry, blocks, unroll=8)[0], None

    zero = jnp.zeros(n_columns)
    (_, form), _ = jax.lax.scan(add_chunk, (zero, zero), (decay, scale, offset, values))
    return 2.0 * form


class Line(Way):
    """Sorted positions, ready for any number of columns."""

    def __init__(self, points, bandwidth):
        self._n = n = len(points)
        rows = size_bucket(n, coarse_until=512)
        steps = tile_size(rows, largest=_N_STEPS)
        blocks = tile_size(rows // steps, largest=_N_BLOCKS)
        self._shape = (rows // (steps * blocks), steps, blocks)
        # NumPy's sort: JAX's own takes many times longer on a CPU.
        order = np.argsort(points[:, 0])
        ordered = np.take(points[:, 0], order)
        decay = np.zeros(rows)
        np.subtract(ordered[:-1], ordered[1:], out=decay[1:n])
        decay[1:n] /= bandwidth
        np.exp(decay[1:n], out=decay[1:n])
        self._decay = self._arrange(decay)
        padded = np.zeros(rows, dtype=np.intp)
        padded[:n] = order
        self._rows = self._arrange(padded).ravel()
        self._is_row = self._arrange(np.arange(rows) < n)
        self.column_size = rows

    def _arrange(self, numbers):
        """Put numbers in sorted order, padded, where `line_sums` reads them."""
        chunks, steps, blocks = self._shape
        return np.ascontiguousarray(numbers.reshape(chunks, blocks, steps).swapaxes(1, 2))

    def __call__(self, columns):
        """Return the form of each column; see `PairForm`."""
        return self._sums(columns, np.ones(self._n), np.zeros(self._n))

    def of_events(self, happened, proba, weight):
        """Return the form of the residuals of each set of labels; see `Way`.

        What is sorted is a byte a row, not a number.
        """
        return self._sums(happened, weight, proba)

    def _sums(self, values, scale, offset):
        n_columns = 1
        if values.shape[1] > 1:
            n_columns = size_bucket(-(-values.shape[1] // _COLUMNS) * _COLUMNS, smallest=1)
        if n_columns > values.shape[1]:
            rest = np.zeros((self._n, n_columns - values.shape[1]), values.dtype)
            values = np.hstack([values, rest])
        values = np.take(np.ascontiguousarray(values), self._rows, axis=0)
        return call(
            line_sums,
            self._decay,
            np.where(self._is_row, scale[self._rows].reshape(self._shape), 0.0),
            offset[self._rows].reshape(self._shape),
            values.reshape(*self._shape, n_columns),
        )
