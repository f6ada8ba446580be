"""Proper scores as means over rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..._data.sums import Mergeable, Sums, Totals, add_up, joined

_EPS = np.finfo(float).eps


@dataclass(frozen=True)
class ScoreSums(Sums):
    """The sums of the weights, of the log loss and of the Brier score."""

    @property
    def size(self) -> int:
        """Number of sums."""
        return 3

    def of_batch(self, predictions):
        """Return the totals of a batch of `Predictions`."""
        p, codes = predictions.proba, predictions.codes
        own = np.take_along_axis(p, codes[:, np.newaxis], axis=1)[:, 0]
        loss = -np.log(np.clip(own, _EPS, 1.0 - _EPS))
        if p.shape[1] == 2:
            brier = (1.0 - own) ** 2
        else:
            brier = (1.0 - own) ** 2 + (np.einsum("ik,ik->i", p, p) - own**2)
        weight = np.ones(own.size) if predictions.weight is None else predictions.weight
        columns = weight, weight * loss, weight * brier
        return joined([add_up(column) for column in columns])


def _mean(position: int, totals: Totals) -> float:
    return float(totals.values[position] / totals.values[0])


def _merge_score(position: int, n_classes: int) -> Mergeable:
    return Mergeable(ScoreSums(), partial(_mean, position))


# The log loss clips probabilities as that of scikit-learn does in float64. The Brier score is the
# mean of (y - p) ** 2 for two classes and the sum of the squares over the classes for more.
SCORES = {"log_loss": partial(_merge_score, 1), "brier": partial(_merge_score, 2)}
