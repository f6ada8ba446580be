"""The reliability diagram of rows that Dask holds in partitions."""

from __future__ import annotations

import numpy as np

from ..._data.bins import automatic_count
from ..._data.partitions import read_partitions
from ..._data.targets import resolve_event
from ..._utils.arguments.random_streams import check_generator
from ...inference._partitioned.drawing import sum_draws
from ...metrics._binned.bin_table import bin_table
from ...metrics._metric import METRICS
from ...metrics._partitioned import merge_description
from .event_counts import EventCounts, diagram

_ALLOWED = {"strategy": ("auto", "uniform"), "classes": (None,), "interval": ("consistency", None)}


def diagram_of_partitions(rows, **options):
    """Return the `ReliabilityDisplay` of Dask collections.

    `rows` are those of one curve, as `ReliabilityDisplay.from_predictions` hands them over. Options
    that need all rows at once raise.
    """
    from .._reliability import ReliabilityDisplay

    for option, allowed in _ALLOWED.items():
        if options[option] not in allowed:
            raise ValueError(
                f"{option}={options[option]!r} needs all rows at once. For Dask collections it is "
                f"one of {list(allowed)}."
            )
    ((y_true, y_proba, sample_weight, labels),) = rows
    data = {"sample_weight": sample_weight, "pos_label": options["pos_label"], "labels": labels}
    partitions = read_partitions(y_true, y_proba, **data)
    n_classes = partitions.n_classes
    target = resolve_event(options["target"], n_classes)
    n_bins, bins, interval = options["n_bins"], options["bins"], options["interval"]
    if n_bins == "auto" and bins is None:
        weight, square = partitions.total(_sizes)
        n_bins = automatic_count(weight**2 / square)
    binning = {"n_bins": n_bins, "bins": bins, "closed": options["closed"], "target": target}
    table = bin_table(n_classes, **binning)
    weighted = sample_weight is not None
    n_draws = options["n_resamples"] if weighted and interval is not None else 0
    totals = sum_draws(partitions, table, n_draws, check_generator(options["random_state"]))
    counts = None
    if interval is not None and not weighted:
        counts = partitions.total(EventCounts.of, np.array(table.edges), target)
    ece = METRICS["ece"]
    merged = merge_description(ece, n_classes, {**ece.options, **binning})
    error = merged.value(totals.column(0))
    arguments = diagram(table, totals, counts, options["alpha"], partitions.classes, error)
    return ReliabilityDisplay(**{**arguments, "name": options["name"]})


def _sizes(predictions):
    """Return the sum of the weights and of their squares."""
    w = np.ones(predictions.n_samples) if predictions.weight is None else predictions.weight
    return np.array([w.sum(), w @ w])
