"""The predictions that rows of a planned study will have, and the probabilities that are true."""

from typing import Any

import numpy as np
from scipy.stats import rv_continuous, rv_discrete

from ..._data.predictions import all_columns, check_probabilities
from ..._data.targets import reduce_target
from ..._utils.arguments.named_errors import naming

# Quantiles that stand for a distribution where means over it are needed.
_N_QUANTILES = 20_000


class Pilot:
    """Predictions like those of the planned rows.

    Parameters
    ----------
    y_proba : array-like or distribution
        As documented in `required_sample_size`.
    """

    def __init__(self, y_proba):
        self.quantile = getattr(y_proba, "ppf", None)
        if self.quantile is None:
            proba = all_columns(check_probabilities(y_proba))
            self.proba = proba[proba[:, 1].argsort()]
            if proba.shape[1] > 2:
                self.proba = proba[proba.max(axis=1).argsort(kind="stable")]
            return
        if isinstance(y_proba, rv_continuous | rv_discrete):
            raise TypeError(
                "y_proba must be a distribution with its parameters, such as "
                f"scipy.stats.beta(2, 8), got {y_proba.name} without them."
            )
        ends = np.array(y_proba.support(), dtype=float)
        if not (ends[0] >= 0.0 and ends[1] <= 1.0):
            raise ValueError(
                "y_proba must be probabilities or a distribution on [0, 1], such as "
                f"scipy.stats.beta(2, 8); the one given has values from {ends[0]:g} to "
                f"{ends[1]:g}. Pass an array of simulated probabilities for other distributions, "
                "such as scipy.special.expit of normal log-odds."
            )
        self.proba = self.rows(_N_QUANTILES)

    @property
    def n_classes(self):
        """Number of columns."""
        return self.proba.shape[1]

    def rows(self, n_samples):
        """Return predictions of this number of rows, spread evenly over those of the pilot.

        Probabilities of one event are quantiles, interpolated between those of the pilot. Rows of
        several classes are rows of the pilot, in the order of their largest probability.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
        """
        level = (np.arange(n_samples) + 0.5) / n_samples
        if self.quantile is not None:
            positive = np.clip(self.quantile(level), 0.0, 1.0)
        elif self.n_classes == 2:
            positive = np.quantile(self.proba[:, 1], level)
        else:
            return self.proba[(level * len(self.proba)).astype(int)]
        return np.column_stack([1.0 - positive, positive])


class Truth:
    """The true probabilities of rows with given predictions.

    `function` is the argument `truth` of `required_sample_size`, which documents the others as
    well; without any of the three the predictions are true.
    """

    def __init__(self, shift=None, slope=None, function=None):
        given = {"shift": shift, "slope": slope, "truth": function}
        given = {name: value for name, value in given.items() if value is not None}
        if len(given) > 1:
            raise ValueError(
                f"Only one of shift, slope and truth may be set, got {sorted(given)}. Write a "
                "function of the predictions and pass it as truth to put several errors together."
            )
        if function is not None and not callable(function):
            raise ValueError(
                "truth must be a function of the predictions that returns the true probabilities, "
                f"such as lambda p: 0.8 * p, got {function!r}."
            )
        self.kind: str | None = next(iter(given), None)
        self.value: Any = given[self.kind] if self.kind else None

    def __call__(self, proba):
        """Return the true probabilities, shape (n_samples, n_classes)."""
        if self.kind is None:
            return proba
        if self.kind == "slope":
            power = proba**self.value
            return power / power.sum(axis=1, keepdims=True)
        if self.kind == "shift":
            return _shifted(proba, self.value)
        binary = proba.shape[1] == 2
        given = proba[:, 1] if binary else proba
        with naming("truth"):
            returned = self.value(given.copy())
        true = check_probabilities(returned, "The value of truth")
        expected = (len(proba), 1) if binary else proba.shape
        if true.shape != expected:
            raise ValueError(
                f"truth must return an array of the shape of its argument, {given.shape}, got "
                f"{np.shape(returned)}."
            )
        return all_columns(true)

    def in_words(self):
        """Return what is wrong with the predictions, as the object of a sentence."""
        if self.kind == "shift":
            return f"a shift of {self.value:g}"
        if self.kind == "slope":
            return f"a calibration slope of {self.value:g}"
        return "the stated error"


def _shifted(proba, size):
    """Return probabilities whose event is more probable by `size`, within [0, 1].

    The event is the positive class or, for more than two classes, that of the largest
    probability; the other classes share the rest in proportion.
    """
    target = "binary" if proba.shape[1] == 2 else "confidence"
    (events,) = reduce_target(proba, target)
    event = events.event
    moved = np.clip(events.proba + size, 0.0, 1.0)
    if target == "binary":
        return np.hstack([1.0 - moved, moved])
    others = proba.copy()
    np.put_along_axis(others, event, 0.0, axis=1)
    rest = others.sum(axis=1, keepdims=True)
    even = np.full_like(proba, 1.0 / (proba.shape[1] - 1))
    shifted = np.divide(others, rest, out=even, where=rest > 0.0) * (1.0 - moved)
    np.put_along_axis(shifted, event, moved, axis=1)
    return shifted
