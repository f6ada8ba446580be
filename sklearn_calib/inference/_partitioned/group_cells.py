"""Groups of rows that Dask holds in partitions: sums over cells, which all groups are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from ..._data.bins import bin_index, uniform_edges
from ..._data.features import name_missing
from ..._data.group_columns import GroupColumn, natural_key, plain_categories, read_groups
from ..._data.groups import Groups
from ..._data.partitions import classes_of_blocks, compute_sum, read_part, split_alike
from ..._data.predictions import Predictions
from ..._data.sums import Totals
from ..._data.targets import reduce_target
from ...metrics._metric import METRICS
from ...metrics._partitioned import merge_description
from .._groups.deviations import Deviations
from .._groups.evidence import LEAST_VARIANCE, N_BINS
from .._nulls.simulation import draw_labels

# Categories of a column whose first one is the absence of something.
_YES_OR_NO = (["0", "1"], ["False", "True"])
# Numbers that one step takes, rows times draws.
_CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class CellSums:
    """Sums over the rows of each cell, which are the rows that agree in all columns.

    Attributes
    ----------
    keys : ndarray of shape (n_cells, n_columns)
        The category of each column.
    sums : dict of str to ndarray of shape (n_cells, ...)
        The sums by name.
    """

    keys: np.ndarray
    sums: dict[str, np.ndarray]

    def __add__(self, other: CellSums) -> CellSums:
        """Return the sums of the rows of both."""
        keys, place = np.unique(
            np.concatenate([self.keys, other.keys]), axis=0, return_inverse=True
        )
        total = {}
        for name, mine in self.sums.items():
            total[name] = np.zeros((len(keys), *mine.shape[1:]))
            np.add.at(total[name], place.ravel(), np.concatenate([mine, other.sums[name]]))
        return CellSums(keys, total)


class CellEvidence:
    """What is known of groups, from sums over cells; see `RowEvidence`.

    Behind the sums of the observed labels come those of the drawn ones. Columns have a name and the
    names of their categories, and `merged` is the error within groups, if there is one.
    """

    scale = 1.0
    n_entries = 1

    def __init__(self, cells, columns, classes, merged, **combining):
        self.sums, self.classes, self._merged = cells.sums, classes, merged
        own = [
            GroupColumn(name, codes, name_missing(labels), labels in _YES_OR_NO)
            for (name, labels), codes in zip(columns, cells.keys.T)
        ]
        self.groups = Groups(own, None, counts=self.sums["rows"], **combining)
        self.measure = Deviations(*(self._by_group(one) for one in ("weight", "proba", "variance")))

    def _by_group(self, name):
        values = self.sums[name]
        sums = self.groups.sums(values.reshape(len(values), -1))
        return sums.reshape(-1, *values.shape[1:])

    @cached_property
    def _hits(self):
        return self._by_group("hits")

    def hits(self):
        """Return the sums of the observed indicators, shape (n_groups, n_events, 1)."""
        return self._hits[:, :, :1]

    def drawing(self, rng):
        """Return a function that gives the sums for some of the draws."""
        return lambda start, stop: self._hits[:, :, 1 + start : 1 + stop]

    def residual_sums(self):
        """Return the sums of ``w**2``, ``w**2 e`` and ``w**2 e**2`` for residuals e."""
        return tuple(map(self._by_group, ("squares", "square_residual", "residual_squares")))

    def scores(self, event):
        """Return residuals, information and covariance of each cell."""
        names = ("residual", "information", "covariance")
        return tuple(self.sums[name][:, event] for name in names)

    def log_loss(self):
        """Return the mean log loss of each group."""
        return self._by_group("log_loss") / self.measure.total

    def errors(self, tested, metric):
        """Return a calibration error of each event within each group that is tested."""
        n_events = self.measure.rate.shape[1]
        errors = np.full((len(self.groups), n_events), np.nan)
        if self._merged is None:
            return errors
        totals = self._by_group("error")
        for k in np.flatnonzero(tested & (self.groups.n_rows >= 2)):
            for event in range(n_events):
                high = totals[k, event]
                one = Totals(high, np.zeros_like(high), np.empty(0))
                errors[k, event] = self._merged.value(one)
        return errors

    def histograms(self):
        """Return weights, weights of the events, sums of ``w p``, and rows in bins."""
        return list(np.moveaxis(self._by_group("bins"), 2, 0))


class GroupedPartitions:
    """Rows in partitions with columns that define groups.

    Parameters
    ----------
    y_true, y_proba, groups, sample_weight : Dask collection
        As documented in `calibration_by_group`.
    pos_label, labels : object
        As in the metrics.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The classes.
    """

    def __init__(self, y_true, y_proba, groups, *, sample_weight, pos_label, labels):
        from dask import compute, delayed

        self._blocks = split_alike(
            y_true=y_true, y_proba=y_proba, sample_weight=sample_weight, groups=groups
        )
        self._own_order = labels is None
        self.classes = classes_of_blocks(self._blocks, pos_label=pos_label, labels=labels)
        look = delayed(_categories, pure=True)
        seen = compute(*(look(k, one) for k, one in enumerate(self._blocks["groups"])))
        self._columns = _put_together([one for one in seen if one is not None])

    def evidence(self, target, metric, n_draws, rng, **combining):
        """Return the `CellEvidence` of the rows, with draws."""
        from dask import delayed

        merged = None
        if metric is not None:
            description = METRICS[metric]
            merged = merge_description(description, 2, description.options)
            if merged.sums.sorted_by is not None or merged.sums.n_least:
                raise ValueError(
                    f"metric={metric!r} needs the rows of each group in an order. For Dask "
                    "collections use metric='ece' or None."
                )
        entropy = rng.integers(2**32, size=4).tolist()
        task = delayed(_of_partition, pure=True)
        sums = None if merged is None else merged.sums
        settings = (self.classes, self._own_order, self._columns, target, sums, n_draws, entropy)
        cells = compute_sum(
            task(number, *rows, *settings)
            for number, rows in enumerate(zip(*self._blocks.values()))
        )
        return CellEvidence(cells, self._columns, self.classes, merged, **combining)


def _categories(number, groups):
    """Return the names of the columns of a partition and, in order, the categories that occur."""
    if len(groups) == 0:
        return None
    try:
        table = read_groups(groups)
        each = [plain_categories(*one) for one in zip(table.names, table.columns)]
    except (TypeError, ValueError) as error:
        raise type(error)(f"Partition {number}: {error}") from None
    return [
        (name, [labels[code] for code in np.unique(codes).tolist()])
        for name, (codes, labels) in zip(table.names, each)
    ]


def _put_together(seen):
    """Return names and ordered categories of the columns; missing values are the last one."""
    names = [name for name, _ in seen[0]]
    columns = []
    for k, name in enumerate(names):
        orders = [one[k][1] for one in seen]
        missing = any(None in order for order in orders)
        known = [[label for label in order if label is not None] for order in orders]
        columns.append((name, _merge_orders(known) + [None] * missing))
    return columns


def _merge_orders(orders):
    """Return all labels in an order that agrees with those of the partitions.

    A categorical column declares an order, of which each partition has a part. What it leaves open
    follows numbers and letters, and so does everything if partitions contradict each other.
    """
    graph = TopologicalSorter({label: () for order in orders for label in order})
    for before, after in {pair for order in orders for pair in pairwise(order)}:
        graph.add(after, before)
    try:
        graph.prepare()
    except CycleError:
        return sorted({label for order in orders for label in order}, key=natural_key)
    merged, ready = [], [(natural_key(label), label) for label in graph.get_ready()]
    heapify(ready)
    while ready:
        _, label = heappop(ready)
        merged.append(label)
        graph.done(label)
        for new in graph.get_ready():
            heappush(ready, (natural_key(new), new))
    return merged


def _of_partition(
    number, y, proba, weight, groups, classes, own_order, columns, target, sums, n_draws, entropy
):
    """Return the `CellSums` of a partition, None if it has no row of positive weight."""
    predictions = read_part(number, y, proba, weight, classes, own_order)
    if predictions is None:
        return None
    table = read_groups(groups)
    kept = slice(None) if weight is None else np.asarray(weight) > 0
    codes = np.column_stack(
        [
            _known_codes(plain_categories(name, column), known)[kept]
            for name, column, (_, known) in zip(table.names, table.columns, columns)
        ]
    )
    keys, cell = np.unique(codes, axis=0, return_inverse=True)
    cell = cell.ravel()
    seed = np.random.SeedSequence(entropy, spawn_key=(number,))
    return CellSums(keys, _sums(predictions, cell, len(keys), target, sums, n_draws, seed))


def _known_codes(categories, known):
    """Return the number of each category among those of all partitions."""
    codes, labels = categories
    place = {label: k for k, label in enumerate(known)}
    return np.array([place.get(label, -1) for label in labels])[codes]


def _sums(predictions, cell, n_cells, target, sums, n_draws, seed):
    """Return the sums over each cell by name."""
    n = predictions.n_samples
    w = np.ones(n) if predictions.weight is None else predictions.weight
    reductions = reduce_target(predictions.proba, target)
    p = np.hstack([one.proba for one in reductions])
    event = np.hstack([one.event for one in reductions])
    event = np.broadcast_to(event, p.shape)
    add = csr_array((np.ones(n), (cell, np.arange(n))), shape=(n_cells, n))
    happened = predictions.codes[:, np.newaxis] == event
    residual, spread = happened - p, np.maximum(p * (1.0 - p), LEAST_VARIANCE)
    column = w[:, np.newaxis]
    own = predictions.proba[np.arange(n), predictions.codes]
    values = {
        "rows": np.ones(n),
        "weight": w,
        "squares": w**2,
        "log_loss": -w * np.log(np.maximum(own, np.finfo(np.float64).eps)),
        "proba": column * p,
        "variance": column**2 * p * (1.0 - p),
        "residual": column * residual,
        "square_residual": column**2 * residual,
        "residual_squares": column**2 * residual**2,
        "information": column * spread,
        "covariance": column**2 * spread,
    }
    found = {name: add @ one for name, one in values.items()}
    found["hits"] = _hits(predictions, event, (add * w).tocsr(), n_draws, seed)
    found["bins"] = _bins(p, happened, w, cell, n_cells)
    if sums is not None:
        found["error"] = _error_sums(p, happened, predictions.weight, cell, n_cells, sums)
    return found


def _hits(predictions, event, add, n_draws, seed):
    """Return weighted sums of the indicators, shape (n_cells, n_events, 1 + n_draws)."""
    total = np.zeros((add.shape[0], event.shape[1], 1 + n_draws))
    size = max(1, _CELLS // (n_draws + 1))
    starts = range(0, predictions.n_samples, size)
    for start, own in zip(starts, seed.spawn(len(starts))):
        rows = slice(start, start + size)
        drawn = draw_labels(np.random.default_rng(own), predictions.proba[rows], n_draws)
        codes = np.hstack([predictions.codes[rows, np.newaxis].astype(drawn.dtype), drawn])
        for k, one in enumerate(event[rows].T):
            total[:, k] += add[:, rows] @ (codes == one[:, np.newaxis]).astype(np.float64)
    return total


def _bins(p, happened, w, cell, n_cells):
    """Return the sums of `CellEvidence.histograms`, shape (n_cells, n_events, 4, n_bins)."""
    events = []
    for k in range(p.shape[1]):
        place = cell * N_BINS + bin_index(p[:, k], uniform_edges(N_BINS))
        each = (w, w * happened[:, k], w * p[:, k], None)
        counts = [np.bincount(place, one, minlength=n_cells * N_BINS) for one in each]
        events.append(np.stack([one.reshape(n_cells, N_BINS) for one in counts], axis=1))
    return np.stack(events, axis=1)


def _error_sums(p, happened, weight, cell, n_cells, sums):
    """Return the totals of an error within each cell, shape (n_cells, n_events, size)."""
    found = np.zeros((n_cells, p.shape[1], sums.size))
    order = np.argsort(cell, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(cell[order])) + 1):
        for k in range(p.shape[1]):
            proba = np.column_stack([1.0 - p[rows, k], p[rows, k]])
            own = None if weight is None else weight[rows]
            one = Predictions(happened[rows, k].astype(np.int64), proba, np.array([0, 1]), own)
            found[cell[rows[0]], k] = sums.of_batch(one).values
    return found
