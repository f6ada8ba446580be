"""What calibration is measured: reductions of a probability matrix to events and residuals."""

from typing import NamedTuple

import numpy as np

from .._utils.docs import fill_doc
from .._utils.options import check_option

# What a target may be, for what looks at one event, at one event or at each class, and at vectors.
ONE_EVENT = ("auto", "binary", "confidence")
EVENTS = (*ONE_EVENT, "classwise")
TARGETS = (*EVENTS, "canonical")


@fill_doc()
class Reduction(NamedTuple):
    """Probabilities of events, and which label makes each event happen.

    Attributes
    ----------
    proba : ndarray of shape (n_samples, n_events)
        The probability given to each event.
    event : ndarray of shape (n_samples, n_events) or (1, n_events)
        The class whose occurrence is the event.
    is_code : bool
        Whether label codes say themselves, as 0 and 1, that the one event happens.
    """

    proba: np.ndarray
    event: np.ndarray
    is_code: bool = False

    def take(self, rows):
        """Return the same of some rows."""
        event = self.event if len(self.event) == 1 else self.event[rows]
        return Reduction(self.proba[rows], event, self.is_code)

    def happened(self, codes):
        """Return whether the events happen.

        <<parameters_codes>>

        Returns
        -------
        happened : ndarray of bool of shape (n_samples, n_events, n_draws)
        """
        n_draws = 1 if codes.ndim == 1 else codes.shape[1]
        codes = codes.reshape(codes.shape[0], 1, n_draws)
        if self.is_code and codes.dtype == np.int8:  # as they are drawn: nothing to compute
            return codes.view(bool)
        return codes == self.event[:, :, np.newaxis]

    def residuals(self, codes):
        """Return the indicators of the events minus their probabilities.

        <<parameters_codes>>

        Returns
        -------
        residuals : ndarray of shape (n_samples, n_events, n_draws)
        """
        return self.happened(codes) - self.proba[:, :, np.newaxis]


def resolve_target(target, n_classes, *, multiclass, allowed=TARGETS):
    """Return the name of the target; "auto" is "binary" or the given multiclass one."""
    check_option(target, "target", allowed)
    if target == "auto":
        return "binary" if n_classes == 2 else multiclass
    if target == "binary" and n_classes > 2:
        others = ", ".join(repr(name) for name in allowed if name not in ("auto", "binary"))
        raise ValueError(
            f"target='binary' needs binary data, but y_proba has {n_classes} columns. Use one of "
            f"{others}, or pass the column of one class and y_true == class."
        )
    return target


def resolve_event(target, n_classes):
    """Return the name of the target of what looks at one event."""
    return resolve_target(target, n_classes, multiclass="confidence", allowed=ONE_EVENT)


def reduce_target(proba, target):
    """Return the reductions whose errors are averaged for a target.

    "binary" and "confidence" give one reduction to one event; "canonical" one reduction to all
    classes jointly; "classwise" one reduction per class (for two classes the binary one, since
    both columns say the same).
    """
    n_classes = proba.shape[1]
    if target == "canonical":
        return [Reduction(proba, np.arange(n_classes)[np.newaxis, :])]
    if target == "confidence":
        top = proba.argmax(axis=1)[:, np.newaxis]
        return [Reduction(np.take_along_axis(proba, top, axis=1), top)]
    columns, two = ([1], True) if n_classes == 2 else (range(n_classes), False)
    return [Reduction(proba[:, k].copy()[:, np.newaxis], np.array([[k]]), two) for k in columns]
