"""An error that is the mean over the events of its target."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from .._data.sums import Sums, Totals, add_up, joined
from .._data.targets import EVENTS, reduce_target, resolve_target
from ._metric import Prepared


def resolve_events(target, n_classes):
    """Return the name of a target; "classwise" is "binary" for two classes, which say the same."""
    target = resolve_target(target, n_classes, multiclass="confidence", allowed=EVENTS)
    return "binary" if target == "classwise" and n_classes == 2 else target


@dataclass(frozen=True)
class Events:
    """The events of a target whose errors are averaged.

    Attributes
    ----------
    target : str
        "binary", "confidence" or "classwise".
    n_classes : int
        Number of classes.
    """

    target: str
    n_classes: int

    @property
    def n_events(self) -> int:
        """Number of events whose errors are averaged."""
        return self.n_classes if self.target == "classwise" else 1


@dataclass(frozen=True)
class EventSums(Events, Sums):
    """The number of rows, their weight, and sums over the weighted residuals of each event."""

    @property
    @abstractmethod
    def size_of_event(self) -> int:
        """Number of sums of each event."""

    @property
    def size(self) -> int:
        """Number of sums: the rows, the weight, and those of each event."""
        return 2 + self.n_events * self.size_of_event

    @abstractmethod
    def of_event(self, p: np.ndarray, residuals: np.ndarray) -> Totals:
        """Return the totals of an event, of its probabilities and its weighted residuals."""

    def of_batch(self, predictions):
        """Return the totals of a batch of `Predictions`."""
        n = predictions.n_samples
        weight = np.ones(n) if predictions.weight is None else predictions.weight
        parts = [add_up(np.ones(n)), add_up(weight)]
        for reduction in reduce_target(predictions.proba, self.target):
            residuals = weight * reduction.residuals(predictions.codes)[:, 0, 0]
            parts.append(self.of_event(reduction.proba[:, 0], residuals))
        return joined(parts)

    def n_samples(self, totals: Totals) -> int:
        """Return the number of rows."""
        return int(totals.values[0])

    def shares(self, totals: Totals) -> np.ndarray:
        """Return the sums of each event over the weight, shape (n_events, size_of_event)."""
        return totals.values[2:].reshape(self.n_events, -1) / totals.values[1]


class EventErrors(Prepared):
    """The events of a target and the weights of the rows.

    Attributes
    ----------
    reductions : list of Reduction
        One per event.
    weight : ndarray of shape (n_samples,)
        Positive weights that sum to one.
    """

    def __init__(self, predictions, target, *, multiclass="confidence"):
        self.target = resolve_target(
            target, predictions.n_classes, multiclass=multiclass, allowed=EVENTS
        )
        self.reductions = reduce_target(predictions.proba, self.target)
        self.n_columns = len(self.reductions)
        self.weight = predictions.share
