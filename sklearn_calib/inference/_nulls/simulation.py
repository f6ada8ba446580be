"""Labels drawn from the predictions."""

import numpy as np

from ..._utils.cores import map_on_cores

# Random numbers that are made at a time: few enough to stay in the cache of the processor.
_CHUNK = 1 << 13
# Labels of a batch from which on several errors share the cores.
_MANY_LABELS = 1 << 20


def draw_labels(rng, proba, n_draws):
    """Draw labels from rows of probabilities.

    Parameters
    ----------
    rng : numpy.random.Generator
        Every draw takes one uniform number per row, in order, so a stream gives the same draws
        however they are split into calls.
    proba : ndarray of shape (n_samples, n_classes)
        Rows that sum to one, up to rounding.
    n_draws : int
        Number of draws.

    Returns
    -------
    codes : ndarray of shape (n_samples, n_draws)
        Column numbers of `proba`. For two columns the second one alone decides.
    """
    n_classes = proba.shape[1]
    tail = proba[:, ::-1].cumsum(axis=1)[:, ::-1]
    if n_classes > 2:
        tail = tail / tail[:, :1]
    n_samples, limits = len(tail), np.ascontiguousarray(tail.T)[1:]
    codes = np.zeros((n_draws, n_samples), dtype=np.int8 if n_classes < 128 else np.int32)
    # Many short draws at a time, or a long one in pieces.
    n_rows, size = max(1, _CHUNK // max(1, n_samples)), min(n_samples, _CHUNK)
    for first in range(0, n_draws, n_rows):
        for start in range(0, n_samples, size):
            part = codes[first : first + n_rows, start : start + size]
            uniform = rng.random(part.shape)
            for limit in limits:
                part += uniform < limit[start : start + size]
    return np.ascontiguousarray(codes.T)


class SimulatedLabels:
    """Labels drawn afresh from the predictions; features, predictions and weights stay.

    Parameters
    ----------
    errors : list of callable
        Each gives values, draws on the last axis, for columns of label codes.
    predictions : Predictions
        The data.
    """

    def __init__(self, errors, predictions):
        self.errors = errors
        self.proba = predictions.proba
        self.observed = predictions.codes[:, np.newaxis]

    def draw(self, rng, n_draws):
        """Return columns of label codes."""
        return draw_labels(rng, self.proba, n_draws)

    def evaluate(self, draws):
        """Return, for each error, its value on the observed labels and then on each draw."""
        codes = np.hstack([self.observed.astype(draws.dtype), draws])
        if codes.size < _MANY_LABELS:
            return [error(codes) for error in self.errors]
        return map_on_cores(lambda error: error(codes), self.errors)
