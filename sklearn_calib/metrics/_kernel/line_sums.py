"""Kernel errors with a Laplacian kernel on one probability from sums over sorted ranges."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..._core import Segments, compose, line_segment
from ..._data.sums import Sums
from .pair_error import check_size


@dataclass(frozen=True, eq=False)
class LineTotals:
    """What is kept of the rows of one range, for several columns of labels.

    Attributes
    ----------
    segment : Segments
        Sums of the residuals and of their products.
    bandwidth : float
        Bandwidth of the kernel.
    n_samples : int
        Number of rows.
    weight : float
        Their weight.
    pairs : float
        The sum of ``w_i w_j`` over the pairs i < j.
    diagonal : ndarray of shape (n_columns,)
        The sums of the squared residuals.
    """

    segment: Segments
    bandwidth: float
    n_samples: int
    weight: float
    pairs: float
    diagonal: np.ndarray

    def __add__(self, other: LineTotals) -> LineTotals:
        """Return the totals of this range and the one above it."""
        return LineTotals(
            compose(self.segment, other.segment, self.bandwidth),
            self.bandwidth,
            self.n_samples + other.n_samples,
            self.weight + other.weight,
            self.pairs + other.pairs + self.weight * other.weight,
            self.diagonal + other.diagonal,
        )

    @classmethod
    def of_rows(cls, points, columns, weight, bandwidth) -> LineTotals:
        """Return the totals of rows at sorted points, with columns of weighted residuals."""
        segment = line_segment(points, columns, bandwidth)
        # With an infinite bandwidth every pair counts by its weights alone.
        pairs = float(line_segment(points, weight[:, np.newaxis], np.inf).inner[0, 0])
        diagonal = np.einsum("ib,ib->b", columns, columns)
        return cls(segment, bandwidth, points.size, float(weight.sum()), pairs, diagonal)

    def unbiased(self) -> np.ndarray:
        """Return the mean over all pairs of different rows, shape (n_columns,)."""
        return self.segment.inner[0] / self.pairs

    def biased(self) -> np.ndarray:
        """Return the mean over all pairs, shape (n_columns,)."""
        return np.maximum((2.0 * self.segment.inner[0] + self.diagonal) / self.weight**2, 0.0)

    def column(self, b: int) -> LineTotals:
        """Return the totals of one of several columns of labels."""
        one = slice(b, b + 1)
        start, end, *sums = self.segment
        segment = Segments(start, end, *(values[:, one] for values in sums))
        return replace(self, segment=segment, diagonal=self.diagonal[one])


@dataclass(frozen=True)
class LineSums(Sums):
    """The `LineTotals` of an event.

    Attributes
    ----------
    bandwidth : float
        Bandwidth of the kernel.
    sorted_by : {"binary", "confidence"}
        The event.
    """

    bandwidth: float
    sorted_by: str

    @property
    def size(self) -> int:
        """Number of sums of a column."""
        return 4

    def of_batch(self, predictions):
        """Return the totals of `EventRows`."""
        return self.of_draws(predictions, predictions.happened[:, np.newaxis])

    def of_draws(self, predictions, codes):
        """Return the totals of `EventRows` for several columns of labels."""
        weight = predictions.weights
        residuals = (codes - predictions.p[:, np.newaxis]) * weight[:, np.newaxis]
        return LineTotals.of_rows(predictions.p, residuals, weight, self.bandwidth)


def line_value(estimator, root, totals):
    """Return a kernel error from its totals."""
    check_size(estimator, totals.n_samples)
    if estimator == "uq":
        return float(totals.unbiased()[0])
    value = float(totals.biased()[0])
    return float(np.sqrt(value)) if root else value
