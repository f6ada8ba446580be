"""A statistic of the logistic line through one event's log-odds, prepared."""

from ..._data.targets import reduce_target, resolve_event
from .._metric import Prepared
from .logistic_line import LogisticLine, finite_logit


class EventStatistic(Prepared):
    """What depends on one event alone: that of the positive class or of the largest probability.

    Attributes
    ----------
    proba : ndarray of shape (n_samples,)
        Probability of the event.
    weight : ndarray of shape (n_samples,) or None
        Weights of the rows.
    """

    def __init__(self, predictions, target):
        self.target = resolve_event(target, predictions.n_classes)
        (self.reduction,) = reduce_target(predictions.proba, self.target)
        self.proba = self.reduction.proba[:, 0]
        self.weight = predictions.weight

    def events(self, codes):
        """Return whether the event happened, shape (n_samples, n_draws)."""
        return self.reduction.happened(codes)[:, 0]


class EventLine(EventStatistic):
    """The logistic line through the log-odds of one event.

    Attributes
    ----------
    line : LogisticLine
        Fits intercepts and slopes.
    """

    def __init__(self, predictions, target):
        super().__init__(predictions, target)
        x, self.floor = finite_logit(self.proba)
        self.line = LogisticLine(x, self.weight)
