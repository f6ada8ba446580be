"""The reliability diagram of rows that come in batches."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.signal import fftconvolve

from ..._core.poisson_binomial import event_count_distribution
from ..._data.bins import bin_index
from ..._data.targets import reduce_target
from ...display import ReliabilityDisplay
from ...display._curves import FEW

# Mass at each end of a distribution of counts that is left out, far below every level.
_NEGLIGIBLE = 1e-14


@dataclass
class EventCounts:
    """The distribution of the number of events in each bin if every probability is right.

    Without weights the band of the diagram consists of quantiles of these distributions.

    Attributes
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Edges of the bins.
    target : str
        The event.
    """

    edges: np.ndarray
    target: str
    parts: dict = field(default_factory=dict)

    def add(self, predictions):
        """Add the rows of a batch."""
        (reduction,) = reduce_target(predictions.proba, self.target)
        p = reduction.proba[:, 0]
        index = bin_index(p, self.edges)
        for number in np.unique(index).tolist():
            start, mass = event_count_distribution(p[index == number])
            if number in self.parts:
                before, other = self.parts[number]
                start, mass = start + before, np.maximum(fftconvolve(mass, other), 0.0)
            self.parts[number] = _cut(start, mass)

    def limits(self, level):
        """Return the counts that are not in the tails, as `event_count_limits`, bin by bin."""
        limits = []
        for number in sorted(self.parts):
            start, mass = self.parts[number]
            below, above = np.cumsum(mass), np.cumsum(mass[::-1])
            lower, upper = np.argmax(below > level), mass.size - 1 - np.argmax(above > level)
            limits.append((start + lower, start + upper))
        return np.transpose(limits)


def _cut(start, mass):
    """Leave out the counts at both ends that hardly ever occur."""
    first = int(np.argmax(np.cumsum(mass) > _NEGLIGIBLE))
    last = mass.size - int(np.argmax(np.cumsum(mass[::-1]) > _NEGLIGIBLE))
    return start + first, mass[first:last]


def draw_diagram(table, totals, counts, alpha, classes, ece):
    """Return the `ReliabilityDisplay` of the observed labels and of drawn ones.

    Parameters
    ----------
    table : BinTable
        The bins.
    totals : Totals
        Of the observed labels in column 0 and of the draws.
    counts : EventCounts or None
        The distributions of the counts; None for rows with weights.
    alpha : float
        Level of the band.
    classes : ndarray
        The classes.
    ece : float
        The expected calibration error.
    """
    each = [table.columns(totals.column(b)) for b in range(totals.high.shape[1])]
    columns = each[0]
    count = columns.weight[0]
    filled = count > 0
    rates = np.stack([one.events[0] / np.where(filled, count, 1.0) for one in each], axis=1)
    if counts is not None:
        lower, upper = counts.limits(alpha / 2) / count[filled]
    else:
        drawn = rates[filled, 1:]
        lower = np.quantile(drawn, alpha / 2, axis=1, method="lower")
        upper = np.quantile(drawn, 1 - alpha / 2, axis=1, method="higher")
    edges = np.array(table.edges)
    size = count[filled] ** 2 / columns.squares[0][filled]
    return ReliabilityDisplay(
        prob_true=rates[filled, 0],
        prob_pred=columns.proba[0][filled] / count[filled],
        count=count[filled].astype(np.int64) if counts is not None else count[filled],
        bin_edges=np.column_stack([edges[:-1], edges[1:]])[filled],
        lower=lower,
        upper=upper,
        ece=ece,
        few=size < FEW,
        isotonic=None,
        interval="consistency",
        alpha=alpha,
        strategy="uniform",
        target=table.target,
        pos_label=classes[1].item() if table.target == "binary" else None,
        panels=None,
        name=None,
    )
