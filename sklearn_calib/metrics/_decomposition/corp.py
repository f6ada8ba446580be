"""Scores of predictions, of their isotonic recalibration and of the base rate."""

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import xlogy

from ..._data.targets import reduce_target, resolve_target
from ..._utils.options import check_option
from .._metric import Prepared

SCORES = ("brier", "log_loss")
_TARGETS = ("auto", "binary", "confidence", "classwise")


class EventScores:
    """The scores of one event's probabilities, with everything but the labels.

    Sums run over groups of equal probabilities, which are recalibrated alike.
    """

    def __init__(self, reduction, weight, score):
        p = reduction.proba[:, 0]
        self.reduction, self.score = reduction, score
        weight = np.ones(p.size) if weight is None else weight / weight.max()
        self.order = np.argsort(p, kind="stable")
        self.share = (weight / weight.sum())[self.order]
        ordered = p[self.order]
        self.start = np.flatnonzero(np.r_[True, np.diff(ordered) > 0.0])
        self.proba = ordered[self.start]

    def sums(self, codes):
        """Return the shares of events and of non-events, shape (n_draws, n_groups)."""
        events = codes.reshape(codes.shape[0], -1) == self.reduction.event
        events = np.ascontiguousarray(events[self.order].T)
        both = [self.share * events, self.share * ~events]
        if self.start.size == self.order.size:
            return both
        return [np.add.reduceat(part, self.start, axis=1) for part in both]

    def of_predictions(self, events, others):
        """Return the score of the probabilities, one per set of labels."""
        p = self.proba
        if self.score == "brier":
            return events @ (1.0 - p) ** 2 + others @ p**2
        with np.errstate(divide="ignore"):
            return -(xlogy(events, p) + xlogy(others, 1.0 - p)).sum(axis=1)

    def of_rates(self, events, others):
        """Return the score of the rates of blocks with given shares: the least possible one."""
        total = events + others
        if self.score == "brier":
            return (events * others / total).sum(axis=-1)
        return -(xlogy(events, events / total) + xlogy(others, others / total)).sum(axis=-1)

    def components(self, codes):
        """Return the scores of the predictions, of their recalibration and of the base rate.

        Returns
        -------
        scores : ndarray of shape (3, n_draws)
        """
        events, others = self.sums(codes)
        recalibrated = [
            self.of_rates(*_pooled(one, other)[1]) for one, other in zip(events, others)
        ]
        base = self.of_rates(events.sum(axis=1, keepdims=True), others.sum(axis=1, keepdims=True))
        return np.stack([self.of_predictions(events, others), recalibrated, base])

    def recalibrated(self, codes):
        """Return the recalibrated probability of each row, for one set of labels."""
        (events,), (others,) = self.sums(codes)
        start, (hits, misses) = _pooled(events, others)
        rate = hits / (hits + misses)
        per_group = np.repeat(rate, np.diff(np.r_[start, events.size]))
        per_row = np.empty(self.order.size)
        per_row[self.order] = np.repeat(per_group, np.diff(np.r_[self.start, self.order.size]))
        return per_row


def _pooled(events, others):
    """Return the starts of the blocks of the isotonic fit, and their events and non-events."""
    total = events + others
    start = isotonic_regression(events / total, weights=total).blocks[:-1]
    return start, [np.add.reduceat(part, start) for part in (events, others)]


class Miscalibration(Prepared):
    """What isotonic recalibration gains, prepared.

    Attributes
    ----------
    parts : list of EventScores
        One per event.
    """

    def __init__(self, predictions, *, score, target):
        check_option(score, "score", SCORES)
        self.target = resolve_target(
            target, predictions.n_classes, multiclass="classwise", allowed=_TARGETS
        )
        self.parts = [
            EventScores(reduction, predictions.weight, score)
            for reduction in reduce_target(predictions.proba, self.target)
        ]
        self.n_columns = len(self.parts)

    def components(self, codes):
        """Return the mean over the events of `EventScores.components`."""
        return np.mean([part.components(codes) for part in self.parts], axis=0)

    def __call__(self, codes):
        score, recalibrated, _ = self.components(codes)
        return np.maximum(score - recalibrated, 0.0)
