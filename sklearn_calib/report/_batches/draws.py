"""The labels that a report draws, for one batch of rows after the other."""

from __future__ import annotations

import numpy as np

from ..._utils.random_streams import check_generator
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
    """

    def __init__(self, random_state, n_samples, n_draws):
        self.streams = []
        for number in range(n_draws):
            stream = check_generator(random_state)
            stream.bit_generator.advance(number * int(n_samples))
            self.streams.append(stream)

    def random(self, shape):
        """Return the next numbers of each draw, shape (n_draws, n_rows)."""
        n_draws, n_rows = shape
        numbers = np.empty((n_draws, n_rows))
        for stream, row in zip(self.streams, numbers, strict=True):
            stream.random(n_rows, out=row)
        return numbers

    def codes(self, predictions):
        """Return the labels of a batch, which follows the one before, and behind them the draws."""
        drawn = draw_labels(self, predictions.proba, len(self.streams))
        return np.hstack([predictions.codes[:, np.newaxis].astype(drawn.dtype), drawn])
