"""Rows that Dask holds in partitions: validate each where it lies, add up, and sort by events.

No row comes to the caller's process. Partitions are read by delayed tasks, which return sums, so
the scheduler may run a task again, on another worker, without counting anything twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .._utils.dask_collections import import_dask_array, is_partitioned
from .._utils.fitting_context import from_predict_proba
from .arrays import check_scale
from .labels import check_labels, sorted_pair
from .named_columns import arrange_table, table_names
from .predictions import Predictions, check_predictions
from .targets import reduce_target

# How many partial results one task adds up.
_FAN_IN = 16
# More different labels than this are no classes.
_MOST_LABELS = 10_000
# Probabilities that tell how the rows of a partition are spread, and rows of a sorted range.
_N_MARKS = 1000
_RANGE_ROWS = 1_000_000


@dataclass(frozen=True, eq=False)
class Partitions:
    """Validated rows in partitions.

    Attributes
    ----------
    parts : list of Delayed
        Each becomes `Predictions`, or None if it has no row of positive weight.
    classes : ndarray of shape (n_classes,)
        The class of each column, for two classes (negative, positive).
    """

    parts: list[Any]
    classes: np.ndarray

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.classes.size

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """Return the delayed results of ``function(predictions, *arguments)`` for all partitions.

        For partitions without rows the result is None.
        """
        from dask import delayed

        task = delayed(_if_any, pure=True)
        return [task(function, part, *arguments) for part in self.parts]

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the sum of ``function(predictions, *arguments)`` over all partitions."""
        return compute_sum(self.each(function, *arguments))


def compute_sum(parts: Iterable[Any]) -> Any:
    """Return the sum of delayed values in their order, added up on the workers.

    Raises
    ------
    ValueError
        If all of them are None.
    """
    from dask import compute, delayed

    add = delayed(_add_up, pure=True)
    parts = list(parts)
    while len(parts) > 1:
        parts = [add(parts[k : k + _FAN_IN]) for k in range(0, len(parts), _FAN_IN)]
    return take_known(compute(parts[0]))[0]


def take_known(values: Iterable[Any]) -> list[Any]:
    """Return what was found in partitions with rows of positive weight, or raise without any."""
    known = [one for one in values if one is not None]
    if not known:
        raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    return known


def _if_any(function, predictions, *arguments):
    return None if predictions is None else function(predictions, *arguments)


def _add_up(parts):
    """Return the sum of the parts that are not None; None if there are none."""
    total = None
    for part in parts:
        if part is not None:
            total = part if total is None else total + part
    return total


def read_partitions(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
) -> Partitions:
    """Validate Dask collections that are the arguments of a metric, with the same partitions.

    Malformed arguments raise, and so does a lack of rows.
    """
    from dask import delayed

    blocks = split_alike(y_true=y_true, y_proba=y_proba, sample_weight=sample_weight)
    classes = classes_of_blocks(blocks, pos_label=pos_label, labels=labels)
    read = delayed(read_part, pure=True)
    rows = zip(blocks["y_true"], blocks["y_proba"], blocks["sample_weight"])
    parts = [read(k, *one, classes, labels is None) for k, one in enumerate(rows)]
    return Partitions(parts, classes)


def classes_of_blocks(blocks: dict[str, list[Any]], *, pos_label: Any, labels: Any) -> np.ndarray:
    """Return the class of each column, as for all rows in one array.

    `blocks` are the partitions of `y_true` and `y_proba`, as `split_alike` returns them.
    """
    from dask import compute, delayed

    look = delayed(_look, pure=True)
    seen = compute(
        *(look(k, *one) for k, one in enumerate(zip(blocks["y_true"], blocks["y_proba"])))
    )
    found = [one for one in seen if one is not None]
    if not found:
        raise ValueError("y_true has no rows in any partition. Pass at least one row.")
    sizes = {one[0] for one in found}
    if len(sizes) > 1:
        raise ValueError(
            f"The partitions of y_proba have {sorted(sizes)} columns. Pass one column, or one per "
            "class, in every partition."
        )
    n_columns, names, _ = found[0]
    values = np.unique(np.concatenate([one[2] for one in found]))
    return find_classes(values, n_columns, names, pos_label, labels)


def split_alike(**collections: Any) -> dict[str, list[Any]]:
    """Return the partitions of each collection as delayed objects; None stands for as many None.

    Raises
    ------
    TypeError, ValueError
        If some of them are Dask collections and others are not, or partitions do not match.
    """
    blocks: dict[str, list[Any]] = {}
    sizes: dict[str, tuple[Any, ...]] = {}
    for name, value in collections.items():
        if value is None:
            continue
        if not is_partitioned(value) or not hasattr(type(value), "to_delayed"):
            raise TypeError(
                f"{name} must be a Dask Array, Series or DataFrame, as other arguments are, got "
                f"{type(value).__name__}. Make it one with the same partitions, for example by "
                "dask.array.from_array(..., chunks=...)."
            )
        if hasattr(value, "chunks") and hasattr(value, "rechunk"):
            if value.ndim == 2:
                value = value.rechunk({1: -1})
            sizes[name] = value.chunks[0]
        blocks[name] = np.ravel(np.array(value.to_delayed(), dtype=object)).tolist()
    counts = {name: len(one) for name, one in blocks.items()}
    known = {name: size for name, size in sizes.items() if not np.isnan(size).any()}
    if len(set(counts.values())) > 1 or len(set(known.values())) > 1:
        shown = {name: list(known.get(name, [])) or f"{counts[name]} partitions" for name in counts}
        raise ValueError(
            f"The arguments must have the same partitions, got {shown}. Use rechunk for arrays or "
            "repartition for tables so that they agree."
        )
    (count,) = set(counts.values())
    return {name: blocks.get(name, [None] * count) for name in collections}


def map_rows(function: Callable[..., Any], X: Any, *, n_columns: int | None, dtype: Any) -> Any:
    """Return the Dask array of ``function(partition)`` for all partitions of a collection.

    The function gives an array with one row per row of a partition, and `n_columns` columns; None
    stands for a vector.
    """
    da = import_dask_array()
    from dask import delayed

    (blocks,) = split_alike(X=X).values()
    shape = () if n_columns is None else (n_columns,)
    lengths = X.chunks[0] if hasattr(X, "chunks") else (np.nan,) * len(blocks)
    task = delayed(_of_rows, pure=True)
    return da.concatenate(
        [
            da.from_delayed(task(function, block, shape, dtype), (length, *shape), dtype=dtype)
            for block, length in zip(blocks, lengths)
        ]
    )


def _of_rows(function, rows, shape, dtype):
    return function(rows) if len(rows) else np.empty((0, *shape), dtype=dtype)


def _look(number, y, proba):
    """Return number of columns, their names and the labels of a partition; None without rows."""
    if len(y) == 0:
        return None
    labels = np.unique(_named(number, check_labels, y))
    if labels.size > _MOST_LABELS:
        raise ValueError(
            f"y_true has more than {_MOST_LABELS} different values in partition {number}. Pass "
            "class labels."
        )
    n_columns = 1 if np.ndim(proba) == 1 else np.shape(proba)[1]
    return n_columns, table_names(proba), labels


def find_classes(values, n_columns, names, pos_label, labels):
    """Return the classes as one array of all rows would give them, or raise as it would."""
    import pandas as pd

    # Rows without information find what is wrong with the labels.
    proba: Any = np.full((values.size, n_columns), 1.0 / max(n_columns, 2))
    if names is not None:
        proba = pd.DataFrame(proba, columns=names)
    with from_predict_proba():
        made = check_predictions(values, proba, pos_label=pos_label, labels=labels)
    return made.classes


def read_part(number, y, proba, weight, classes, own_order):
    """Return the `Predictions` of a partition, None if it has no row of positive weight."""
    if len(y) == 0:
        if len(proba):
            raise ValueError(f"Partition {number} has no labels, but {len(proba)} predictions.")
        return None
    return _named(number, read_batch, y, proba, weight, classes, own_order)


def read_batch(y, proba, weight, classes, own_order):
    """Return the `Predictions` of some rows, None if all have the weight zero.

    For two classes, `classes` are (negative, positive). `own_order` says whether nobody but names
    of columns has said in which order they come.
    """
    weightless = weight is not None and not np.any(np.asarray(weight))
    weight = None if weightless else weight
    binary = classes.size == 2
    ordered = sorted_pair(classes) if binary else classes
    if own_order:
        proba = arrange_table(proba, ordered)
    options = {"pos_label": classes[1] if binary else None, "labels": ordered}
    with from_predict_proba():
        predictions = check_predictions(y, proba, sample_weight=weight, **options)
    check_scale(predictions.weight)
    return None if weightless else predictions


def _named(number, function, *arguments, **options):
    """Call a function and say in which partition something is wrong."""
    try:
        return function(*arguments, **options)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Partition {number}: {error}") from None


@dataclass(frozen=True, eq=False)
class EventRows:
    """Rows of one event, sorted by its probability.

    Attributes
    ----------
    p : ndarray of shape (n,)
        The probability of the event.
    happened : ndarray of bool of shape (n,)
        Whether it happened.
    weight : ndarray of shape (n,) or None
        Positive weights.
    rank : ndarray of shape (n,) or None
        The share of the weight of all rows below each probability, plus half of that at it.
    """

    p: np.ndarray
    happened: np.ndarray
    weight: np.ndarray | None = None
    rank: np.ndarray | None = None

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.p.size

    @property
    def weights(self) -> np.ndarray:
        """The weights, or ones."""
        return np.ones(self.p.size) if self.weight is None else self.weight

    @property
    def n_impossible(self) -> int:
        """Number of rows that gave probability zero to what happened."""
        return int(np.count_nonzero(self.p == np.where(self.happened, 0.0, 1.0)))

    def take(self, rows: Any) -> EventRows:
        """Return some of the rows."""
        weight, rank = (None if one is None else one[rows] for one in (self.weight, self.rank))
        return EventRows(self.p[rows], self.happened[rows], weight, rank)

    @classmethod
    def of(cls, predictions: Predictions, target: str) -> EventRows:
        """Return the rows of predictions, in their order."""
        (reduction,) = reduce_target(predictions.proba, target)
        happened = predictions.codes == reduction.event[:, 0]
        return cls(reduction.proba[:, 0], happened, predictions.weight)


def sort_by_event(partitions: Partitions, target: str) -> Partitions:
    """Return partitions of `EventRows` that are consecutive ranges of the probability of an event.

    The event is the positive class ("binary"), or that the class of the largest probability occurs
    ("confidence"). Equal probabilities may lie on both sides of a border, so that ranges have about
    the same size whatever the probabilities are.
    """
    from dask import compute, delayed

    marks = compute(*partitions.each(_marks, target))
    borders = _borders(take_known(marks))
    n_ranges = borders.size + 1
    split = delayed(_split, pure=True, nout=n_ranges)
    pieces = [split(part, target, borders) for part in partitions.parts]
    collect = delayed(_collect, pure=True)
    ranges = [collect([piece[r] for piece in pieces]) for r in range(n_ranges)]
    return Partitions(ranges, np.array([0, 1]))


def _marks(predictions, target):
    """Return the number of rows and probabilities that split them evenly."""
    p = np.sort(EventRows.of(predictions, target).p)
    at = np.linspace(0, p.size - 1, min(_N_MARKS, p.size)).round().astype(int)
    return p.size, p[at]


def _borders(marks):
    """Return the borders of ranges that hold about the same number of rows."""
    values = np.concatenate([p for _, p in marks])
    weight = np.concatenate([np.full(p.size, n / p.size) for n, p in marks])
    order = np.argsort(values, kind="stable")
    values, below = values[order], np.cumsum(weight[order])
    n_ranges = int(np.ceil(below[-1] / _RANGE_ROWS))
    at = np.searchsorted(below, below[-1] * np.arange(1, n_ranges) / n_ranges)
    return values[np.minimum(at, values.size - 1)]


def _split(predictions, target, borders):
    """Return the rows of each range; those that equal several borders take turns."""
    if predictions is None:
        return [None] * (borders.size + 1)
    rows = EventRows.of(predictions, target)
    low = np.searchsorted(borders, rows.p, side="left")
    spare = np.searchsorted(borders, rows.p, side="right") - low
    index = low + np.arange(rows.n_samples) % (spare + 1)
    order = np.argsort(index, kind="stable")
    edges = np.searchsorted(index[order], np.arange(borders.size + 2))
    return [rows.take(order[a:b]) if b > a else None for a, b in pairwise(edges)]


def _collect(pieces):
    """Return the sorted rows of a range."""
    pieces = [piece for piece in pieces if piece is not None]
    if not pieces:
        return None
    weight = None
    if any(piece.weight is not None for piece in pieces):
        weight = np.concatenate([piece.weights for piece in pieces])
    p = np.concatenate([piece.p for piece in pieces])
    happened = np.concatenate([piece.happened for piece in pieces])
    return EventRows(p, happened, weight).take(np.argsort(p, kind="stable"))
