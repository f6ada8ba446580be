"""Fourier: the RBF in one dimension as a short sum of cosines."""

import jax
import jax.numpy as jnp
import numpy as np

from ..gate import call, pad, size_bucket, tile_size
from ..planner import fourier_series
from .way import Way

_WAVES = 1 << 21


def fourier_sums(angles, coefficients, columns, *, chunk):
    """Sum `coefficient_m |sum_i v_i exp(1j m angle_i)|^2` over m = 0, 1, ..., diagonal included.

    Parameters
    ----------
    angles : array of shape (n,)
        Positions as angles of the period.
    coefficients : array of shape (n_frequencies,)
        One a frequency, from 0 on.
    columns : array of shape (n, n_columns)
        Residual columns.
    chunk : int
        Rows at a time, a divisor of n; sets the memory, with the number of frequencies.

    Returns
    -------
    array of shape (n_columns,)
        The sums.
    """
    m = coefficients.shape[0]

    def add_chunk(sums, rows):
        angle, v = rows
        cosine, sine = jnp.cos(angle), jnp.sin(angle)

        def turn(wave, _):
            c, s = wave
            return (c * cosine - s * sine, s * cosine + c * sine), wave

        start = (jnp.ones_like(angle), jnp.zeros_like(angle))
        _, (c, s) = jax.lax.scan(turn, start, None, length=m)
        return (sums[0] + c @ v, sums[1] + s @ v), None

    rows = (angles.reshape(-1, chunk), columns.reshape(-1, chunk, columns.shape[1]))
    zero = jnp.zeros((m, columns.shape[1]))
    (c, s), _ = jax.lax.scan(add_chunk, (zero, zero), rows)
    return coefficients @ (c * c + s * s)


class Fourier(Way):
    """Positions as angles, ready for any number of columns.

    `fourier_series` says what takes the place of the kernel.
    """

    def __init__(self, points, bandwidth):
        low, high = points.min(), points.max()
        positions = (points[:, 0] - 0.5 * (low + high)) / bandwidth
        span = (high - low) / bandwidth[0]
        period, series = fourier_series(span)
        self._coefficients = pad(series, size_bucket(len(series), smallest=16))
        self._angles = pad(2.0 * np.pi / period * positions, size_bucket(len(points)))
        self.column_size = len(self._angles)

    def __call__(self, columns):
        """Return the form of each column; see `PairForm`."""
        n_rows, n_columns = len(self._angles), columns.shape[1]
        v = pad(columns, n_rows, columns=size_bucket(n_columns, smallest=1))
        # Waves of a chunk are held at once: fewer rows where there are very many frequencies.
        rows = min(1024, max(1, _WAVES // len(self._coefficients)))
        chunk = tile_size(n_rows, largest=1 << (rows.bit_length() - 1))
        total = call(fourier_sums, self._angles, self._coefficients, v, chunk=chunk)
        return total[:n_columns] - np.einsum("ic,ic->c", columns, columns)
