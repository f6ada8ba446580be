"""Labels drawn from the predictions."""

import numpy as np


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
    uniform = rng.random((n_draws, proba.shape[0]))
    codes = np.zeros((n_draws, proba.shape[0]), dtype=np.int8 if n_classes < 128 else np.int32)
    for k in range(1, n_classes):
        codes += uniform < tail[:, k]
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
        return [error(codes) for error in self.errors]
