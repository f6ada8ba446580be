"""Fourier: the RBF in one dimension as a short sum of cosines."""

import numpy as np

from ..planner import fourier_series
from ..residual_blocks import ResidualBlocks
from .waves import WaveSums
from .way import Way


class Fourier(Way):
    """Positions as places on the circle of the period, ready for any number of columns.

    `fourier_series` says what takes the place of the kernel. Its form is the sum of
    `coefficient_m |sum_i v_i exp(1j m angle_i)|^2` over the frequencies m, the diagonal included.
    """

    def __init__(self, points, bandwidth):
        low, high = points.min(), points.max()
        period, self._coefficients = fourier_series((high - low) / bandwidth[0])
        n_waves = len(self._coefficients)
        position = 2 * n_waves / period * ((points[:, 0] - low) / bandwidth[0])
        self._waves = WaveSums(position, n_waves)
        self.column_size = len(points)

    def __call__(self, columns):
        """Return the form of each column; see `PairForm`."""
        diagonal = np.einsum("ic,ic->c", columns, columns)
        return self._form(self._waves(columns)) - diagonal

    def of_events(self, happened, proba, weight):
        """Return the form of the residuals of each set of labels; see `Way`."""
        diagonal = ResidualBlocks(proba).square_sums(weight**2, happened)
        return self._form(self._waves(happened, proba, weight)) - diagonal

    def _form(self, sums):
        return self._coefficients @ (sums.real**2 + sums.imag**2)
