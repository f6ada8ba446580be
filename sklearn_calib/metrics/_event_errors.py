"""An error that is the mean over the events of its target."""

from .._data.targets import TARGETS, reduce_target, resolve_target
from ._metric import Prepared

_TARGETS = tuple(name for name in TARGETS if name != "canonical")


def resolve_events(target, n_classes, *, multiclass="confidence"):
    """Return the name of a target; "classwise" is "binary" for two classes, which say the same."""
    target = resolve_target(target, n_classes, multiclass=multiclass, allowed=_TARGETS)
    return "binary" if target == "classwise" and n_classes == 2 else target


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
            target, predictions.n_classes, multiclass=multiclass, allowed=_TARGETS
        )
        self.reductions = reduce_target(predictions.proba, self.target)
        self.n_columns = len(self.reductions)
        self.weight = predictions.share
