"""The labels that a report draws, for one batch of rows after the other."""

from __future__ import annotations

import numpy as np

from ..._utils.arguments.random_streams import check_generator
from ...inference._nulls.simulation import draw_labels


class DrawnLabels:
    """The draws that one stream makes for all rows in memory, in pieces of rows.

    Draw b takes one number a row, and the draws follow each other in the stream. So each draw gets
    a stream of its own that starts where its numbers start.

    Parameters
    ----------
    random_state : int
        Seed of the stream.
    n_samples : int
        Number of all rows.
    n_draws : int
        Number of draws.
    first : int, default=0
        Number of the row that the next labels belong to.
    """

    def __init__(self, random_state, n_samples, n_draws, first=0):
        self.streams = []
        for number in range(n_draws):
            stream = check_generator(random_state)
            stream.bit_generator.advance(number * int(n_samples) + int(first))
            self.streams.append(stream)
        self._n_rows = self._n_taken = 0

    def random(self, shape):
        """Return the next numbers: all of a batch for the first draw, then for the second, ..."""
        numbers = np.empty(shape)
        for row in numbers:
            self.streams[self._n_taken // self._n_rows].random(row.size, out=row)
            self._n_taken += row.size
        return numbers

    def codes(self, predictions):
        """Return the labels of a batch, which follows the one before, and behind them the draws."""
        self._n_rows, self._n_taken = predictions.n_samples, 0
        drawn = draw_labels(self, predictions.proba, len(self.streams))
        return np.hstack([predictions.codes[:, np.newaxis].astype(drawn.dtype), drawn])
