"""Standardised distances of groups, with everything that depends on predictions prepared."""

import numpy as np

from ..._data.group_columns import group_columns, read_groups
from ..._data.groups import Groups
from ..._data.targets import EVENTS, reduce_target, resolve_target
from ..._utils.options import check_integer, check_option
from .._metric import Prepared

_ROUNDING = 1e-9


class GroupError(Prepared):
    """The largest standardised distance over groups, which the features define, prepared."""

    def __init__(
        self, predictions, *, distance, max_interaction, n_quantiles, min_rows, scale, target
    ):
        check_option(distance, "distance", ("gap", "kuiper"))
        check_option(scale, "scale", ("sigma", "absolute"))
        max_interaction = check_integer(max_interaction, "max_interaction", 1)
        min_rows = check_integer(min_rows, "min_rows", 1)
        self.target = resolve_target(
            target, predictions.n_classes, multiclass="confidence", allowed=EVENTS
        )
        self.distance = distance
        n_quantiles = check_integer(n_quantiles, "n_quantiles", 2)
        columns = group_columns(read_groups(predictions.features, "X"), n_quantiles)
        self.groups = Groups(
            columns, predictions.weight, max_interaction=max_interaction, min_rows=min_rows
        )
        self.tested = self.groups.n_rows >= min_rows
        self.tested[0] = True
        self.reductions = reduce_target(predictions.proba, self.target)
        self.n_columns = len(self.reductions)
        self.scale = scale
        self.total = self.groups.sums(np.ones(predictions.n_samples))

    def __call__(self, codes):
        values = [self._largest(one, codes) for one in self.reductions]
        return np.max(values, axis=0)

    def _largest(self, reduction, codes):
        """Return the largest distance for one event and each set of labels."""
        weight, p = self.groups.weight, reduction.proba[:, 0]
        spread = np.sqrt(self.groups.sums(weight * p * (1.0 - p)))[:, np.newaxis]
        residual = reduction.residuals(codes)[:, 0]
        if self.distance == "gap":
            distance = np.abs(self.groups.sums(residual))
        else:
            distance = self._ranges(weight[:, np.newaxis] * residual, p)
        distance, spread = distance[self.tested], spread[self.tested]
        total = self.total[self.tested, np.newaxis]
        unit = spread[0, 0] / total[0, 0] if self.scale == "absolute" else 1.0
        if unit == 0.0:
            return (distance / total).max(axis=0)
        certain = np.where(distance > _ROUNDING * total, np.inf, 0.0)
        positive = np.broadcast_to(spread > 0.0, distance.shape)
        return unit * np.divide(distance, spread, out=certain, where=positive).max(axis=0)

    def _ranges(self, weighted, p):
        """Return the range of the cumulative residuals of each group, in the order of `p`."""
        ranges = np.zeros((len(self.groups), weighted.shape[1]))
        for part in self.groups.partitions:
            group = part.group_of_cell[self.groups.cell]
            order = np.lexsort((p, group))
            order = order[np.searchsorted(group[order], 0) :]
            if not order.size:
                continue
            group, ordered = group[order], p[order]
            sums = np.cumsum(weighted[order], axis=0)
            last = np.append((group[1:] != group[:-1]) | (ordered[1:] != ordered[:-1]), True)
            first = np.flatnonzero(np.diff(group, prepend=-1))
            before = np.vstack([np.zeros((1, sums.shape[1])), sums[first[1:] - 1]])
            ends = np.flatnonzero(last)
            start = np.searchsorted(ends, first)
            highest = np.maximum.reduceat(sums[ends], start, axis=0) - before
            lowest = np.minimum.reduceat(sums[ends], start, axis=0) - before
            found = part.start + group[first]
            ranges[found] = np.maximum(highest, 0.0) - np.minimum(lowest, 0.0)
        return ranges
