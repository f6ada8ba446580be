"""Metrics and tables of bins of rows that Dask holds in partitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._data.partitions import Partitions, read_partitions, sort_by_event
from .._data.sums import Mergeable, NotMergeableError, Sums


def merge_description(description: Any, n_classes: int, options: Mapping[str, Any]) -> Mergeable:
    """Return a metric or statistic as a function of sums over rows, or raise."""
    if description.mergeable is None:
        raise NotMergeableError(
            f"{description.name} is no function of sums over rows, and cannot be computed from "
            "Dask partitions. Compute it from a sample of the rows as arrays, or use a metric such "
            "as ece, kce or skce."
        )
    return description.mergeable(n_classes, **options)


def prepare_rows(partitions: Partitions, sums: Sums) -> Partitions:
    """Return the partitions in the order that sums need."""
    return partitions if sums.sorted_by is None else sort_by_event(partitions, sums.sorted_by)


def evaluate_partitions(
    description: Any, data: Mapping[str, Any], options: Mapping[str, Any]
) -> float:
    """Evaluate a metric of Dask collections with the arguments of its public function."""
    if description.mergeable is None:
        merge_description(description, 2, options)
    partitions = read_partitions(**data)
    merged = merge_description(description, partitions.n_classes, options)
    rows = prepare_rows(partitions, merged.sums)
    return float(merged.value(rows.total(merged.sums.of_batch)))
