"""Which metrics a state computes, and which sums they need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..._data.sums import Mergeable, NotMergeableError, Sums, Totals
from ...inference._statistics.statistic import STATISTICS, Statistic
from ...metrics._binned.bin_table import BinTable, bin_table
from ...metrics._metric import METRICS, Metric
from .row_sums import RowSums
from .scores import SCORES

# Rows at a time, so that what is computed on the way stays in the cache of the processor; more
# where there are so many sums that adding them up would take longer than making them.
_ROWS, _ROWS_PER_SUM = 1 << 15, 32

Table = dict[Sums, Totals]


def _described() -> dict[str, Metric | Statistic]:
    return {**METRICS, **STATISTICS}


def mergeable_names() -> list[str]:
    """Return the names of all metrics, statistics and scores of rows in any order."""
    names = [name for name, one in _described().items() if _takes_any_order(one)]
    return [*sorted(names), *SCORES]


def _takes_any_order(described):
    """Return whether a metric can be merged, with some options, without sorting the rows."""
    if described.mergeable is None or "kernel" in described.options:
        return described.mergeable is not None
    try:
        return described.mergeable(2, **described.options).sums.sorted_by is None
    except NotMergeableError:  # the defaults depend on all rows, and other options do not
        return True


@dataclass(frozen=True)
class StateMeasure:
    """A metric with its options.

    Attributes
    ----------
    name : str
        The name of the metric, statistic or score.
    given : mapping
        The options that the user gave to this metric.
    options : mapping
        All options by name.
    """

    name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def merge(self, n_classes: int) -> Mergeable:
        """Return the metric as a function of sums, or raise."""
        if self.name in SCORES:
            return SCORES[self.name](n_classes)
        mergeable = _described()[self.name].mergeable
        assert mergeable is not None  # as `read_measures` has found
        try:
            merged = mergeable(n_classes, **self.options)
        except ValueError as error:
            raise type(error)(f"{self.name}: {error}") from None
        if merged.sums.sorted_by is not None:
            raise NotMergeableError(
                f"{self.name}: kernel='laplacian' is not smooth, so that sums over pairs of rows "
                "are no short function of sums over rows in any order. Use kernel='rbf' where "
                "there is a choice, or sort the rows and take SortedSkceState, which is exact for "
                "this kernel."
            )
        return merged


def read_measures(metrics: Any, common: Mapping[str, Any]) -> dict[str, StateMeasure]:
    """Return the measures that a user asks for, under the names of their results.

    `metrics` are names, functions of this package, or a mapping to the options of each, in which
    "metric" gives the name where that of the result is another one. `common` holds options for all
    metrics that have them.
    """
    if isinstance(metrics, str) or callable(metrics):
        metrics = (metrics,)
    if not isinstance(metrics, Iterable):
        raise TypeError(f"metrics must be names of metrics, got {metrics!r}.")
    if not isinstance(metrics, Mapping):  # a function stands for its name
        metrics = {getattr(one, "__name__", one): {} for one in metrics}
    if not metrics:
        raise ValueError("metrics must name at least one metric, got none.")
    return {str(key): _measure(key, given, common) for key, given in metrics.items()}


def _measure(key, given, common):
    """Return one measure from the options that were given and the common ones."""
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(
            f"metrics: the options of {key!r} must be a mapping of their names to values, such as "
            f"{{'target': 'confidence'}}, got {given!r}."
        )
    given = dict(given or {})
    name = given.pop("metric", key)
    described = _described()
    if name not in SCORES and (name not in described or described[name].mergeable is None):
        reason = (
            f"{name!r} is no function of sums over rows"
            if name in described
            else f"there is no metric {name!r}"
        )
        known = ", ".join(map(repr, mergeable_names()))
        raise NotMergeableError(f"metrics: {reason}. Use some of {known}.")
    if name in SCORES:
        allowed: dict[str, Any] = {}
    else:
        allowed = dict(described[name].options)
    unknown = sorted(given.keys() - allowed.keys())
    if unknown:
        raise ValueError(
            f"metrics: {name!r} has no option {unknown[0]!r}; it has {sorted(allowed)}."
        )
    shared = {option: value for option, value in common.items() if option in allowed}
    return StateMeasure(name, given, {**allowed, **shared, **given})


class Plan:
    """The measures for a number of classes, and the sums that they need, each once.

    Parameters
    ----------
    measures : mapping of str to StateMeasure
        The measures by the names of their results.
    n_classes : int
        Number of classes.
    target : str
        The target of the table of groups, as documented in `ece`.

    Attributes
    ----------
    n_classes : int
        Number of classes.
    merged : dict of str to Mergeable
        The measures as functions of sums.
    events : BinTable
        One bin for each event of the target, for observed and predicted rates.
    sums : tuple of Sums
        All sums to keep.
    """

    def __init__(self, measures: Mapping[str, StateMeasure], n_classes: int, target: str):
        self.n_classes = n_classes
        self.merged = {key: one.merge(n_classes) for key, one in measures.items()}
        self.events: BinTable = bin_table(n_classes, n_bins=1, target=target)
        self.sums = (RowSums(), self.events, *(one.sums for one in self.merged.values()))
        self.sums = tuple(dict.fromkeys(self.sums))

    def collect(self, predictions: Any) -> Table:
        """Return the totals of a batch of `Predictions` with at least one row."""
        return {one: _in_parts(one, predictions) for one in self.sums}

    def values(self, table: Table) -> dict[str, float]:
        """Return the measures."""
        return {key: one.value(table[one.sums]) for key, one in self.merged.items()}

    def bounds(self, table: Table) -> dict[str, float]:
        """Return how far each value may be from that of the rows; zero for exact ones."""
        return {
            key: 0.0 if one.bound is None else one.bound(table[one.sums])
            for key, one in self.merged.items()
        }


def _in_parts(sums, predictions):
    """Return the totals of a batch, which is looked at in parts."""
    total, rows = sums.zero(), max(_ROWS, _ROWS_PER_SUM * sums.size)
    for start in range(0, predictions.n_samples, rows):
        total = total + sums.of_batch(predictions.take(slice(start, start + rows)))
    return total


def add_tables(first: Table, second: Table) -> Table:
    """Return the totals of the rows of both tables, which have the same sums."""
    return {one: first[one] + second[one] for one in first}


def add_groups(parts: Iterable[dict[Any, Table]]) -> dict[Any, Table]:
    """Return the totals of each group that occurs in any part."""
    total: dict[Any, Table] = {}
    for part in parts:
        for key, table in part.items():
            total[key] = add_tables(total[key], table) if key in total else table
    return total
