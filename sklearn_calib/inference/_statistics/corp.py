"""The CORP miscalibration of the Brier score."""

import numpy as np
from scipy.optimize import isotonic_regression

from .one_event import OneEvent
from .statistic import statistic


class Miscalibration(OneEvent):
    r"""How much an isotonic recalibration improves the Brier score on the same rows.

    Rows with equal predictions are one block with the rate r of its events and the recalibrated
    value v, so that the difference of Brier scores is the weighted mean over blocks of
    :math:`(p - r)^2 - (v - r)^2`.
    """

    def __init__(self, predictions, target):
        super().__init__(predictions, target)
        self.order = np.argsort(self.p, kind="stable")
        ordered, weight = self.p[self.order], self.weight[self.order]
        self.start = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        self.share = np.add.reduceat(weight, self.start)
        self.level = ordered[self.start]

    def __call__(self, codes):
        events = self.events(codes)[self.order] * self.weight[self.order, np.newaxis]
        rates = np.add.reduceat(events, self.start, axis=0) / self.share[:, np.newaxis]
        return np.array([self._gain(rate) for rate in np.ascontiguousarray(rates.T)])

    def _gain(self, rate):
        recalibrated = isotonic_regression(rate, weights=self.share).x
        gain = (self.level - rate) ** 2 - (recalibrated - rate) ** 2
        return max(self.share @ gain / self.share.sum(), 0.0)


@statistic(
    "corp",
    label="CORP miscalibration",
    meaning="how much would the best increasing recalibration improve the Brier score?",
    effect="root",
)
def prepare_corp(predictions, *, target="auto"):
    r"""Prepare the miscalibration component of the CORP decomposition.

    The Brier score minus that of the predictions recalibrated by isotonic regression on the same
    rows (pool adjacent violators), MCB in [1]_. It needs no bins and no bandwidth, is never
    negative, and is exactly zero if the predictions equal their isotonic recalibration. It has no
    known limiting distribution that is free of the predictions, so there is no asymptotic form.
    A weight equals that many copies of the row. Each draw takes near-linear time.

    Parameters
    ----------
    predictions : Predictions
        Validated data.
    target : {"auto", "binary", "confidence"}, default="auto"
        The event, as in `OneEvent`.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan, "Stable reliability diagrams for
       probabilistic classifiers", PNAS 118 (2021), doi:10.1073/pnas.2016191118.
    """
    return Miscalibration(predictions, target)
