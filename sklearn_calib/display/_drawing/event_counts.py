"""The reliability diagram of rows that are never in memory at once, from sums over batches."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.signal import fftconvolve

from ..._core.poisson_binomial import event_count_distribution
from ..._data.bins import bin_index
from ..._data.targets import reduce_target
from .._curves import FEW

# Mass at each end of a distribution of counts that is left out, far below every level.
_NEGLIGIBLE = 1e-14


@dataclass(frozen=True, eq=False)
class EventCounts:
    """The distribution of the number of events in each bin if every probability is right.

    Without weights the band of the diagram consists of quantiles of these distributions.

    Attributes
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Edges of the bins.
    target : str
        The event.
    parts : dict of int to (int, ndarray)
        For each bin with rows, the smallest count and the probabilities of the counts from it on.
    """

    edges: np.ndarray
    target: str
    parts: dict = field(default_factory=dict)

    @classmethod
    def of(cls, predictions, edges, target):
        """Return the distributions of a batch of rows."""
        (reduction,) = reduce_target(predictions.proba, target)
        p = reduction.proba[:, 0]
        index = bin_index(p, edges)
        parts = {
            number: _cut(*event_count_distribution(p[index == number]))
            for number in np.unique(index).tolist()
        }
        return cls(edges, target, parts)

    def __add__(self, other):
        """Return the distributions of the rows of both."""
        parts = {**self.parts, **other.parts}
        for number in self.parts.keys() & other.parts.keys():
            start, mass = self.parts[number]
            more, masses = other.parts[number]
            parts[number] = _cut(start + more, np.maximum(fftconvolve(mass, masses), 0.0))
        return EventCounts(self.edges, self.target, parts)

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


def diagram(table, totals, counts, alpha, classes, ece):
    """Return the arguments of a `ReliabilityDisplay`.

    Column 0 of `totals` is that of the observed labels; those of draws come behind it, if there are
    any. `counts` are the distributions of the counts, None for rows with weights, which have no
    interval without draws.
    """
    each = [table.columns(totals.column(b)) for b in range(totals.high.shape[1])]
    columns = each[0]
    count = columns.weight[0]
    filled = count > 0
    rates = np.stack([one.events[0] / np.where(filled, count, 1.0) for one in each], axis=1)
    if counts is not None:
        lower, upper = counts.limits(alpha / 2) / count[filled]
    elif len(each) == 1:
        lower = upper = None
    else:
        drawn = rates[filled, 1:]
        lower = np.quantile(drawn, alpha / 2, axis=1, method="lower")
        upper = np.quantile(drawn, 1 - alpha / 2, axis=1, method="higher")
    edges = np.array(table.edges)
    plain = (columns.squares[0] == count).all()  # every weight is one
    size = count[filled] ** 2 / columns.squares[0][filled]
    return {
        "prob_true": rates[filled, 0],
        "prob_pred": columns.proba[0][filled] / count[filled],
        "count": count[filled].astype(np.int64) if plain else count[filled],
        "bin_edges": np.column_stack([edges[:-1], edges[1:]])[filled],
        "lower": lower,
        "upper": upper,
        "ece": ece,
        "few": size < FEW,
        "isotonic": None,
        "interval": None if lower is None else "consistency",
        "alpha": alpha,
        "strategy": "uniform",
        "target": table.target,
        "pos_label": classes[1].item() if table.target == "binary" else None,
        "panels": None,
        "name": None,
    }
