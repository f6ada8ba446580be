"""What a report of batches adds up, and the numbers that follow from it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core import median_distance
from ..._data.bins import automatic_count
from ..._data.sums import Mergeable, NotMergeableError, add_up, joined
from ..._data.targets import reduce_target
from ...inference._pvalues import mean_of_draws, monte_carlo_pvalue, range_of_draws
from ...inference._statistics.omnibus.min_p import smallest_pvalues
from ...metrics._binned.bin_table import bin_table
from ...metrics._metric import Metric, metrics_shown_in
from .._errors import MetricRow, score_row, score_terms
from .diagram import EventCounts, draw_diagram
from .draws import DrawnLabels

# Numbers that one step takes, rows times draws.
_CELLS = 4_000_000
# Rows from which the median distance is computed, as `median_distance` does.
_MEDIAN_ROWS = 2000


class Extent(NamedTuple):
    """What has to be known of all rows before their sums are added up.

    Attributes
    ----------
    n_samples : int
        Rows of positive weight.
    classes : ndarray of shape (n_classes,)
        The classes.
    weight, square : float
        Sum of the weights and of their squares.
    weighted : bool
        Whether there are weights that are not all one.
    """

    n_samples: int
    classes: np.ndarray
    weight: float
    square: float
    weighted: bool


class Measured(NamedTuple):
    """A metric as a function of sums.

    Attributes
    ----------
    metric : Metric
        Its description.
    merged : Mergeable
        Its sums and its value.
    target : str
        Which calibration is measured.
    """

    metric: Metric
    merged: Mergeable
    target: str


class Numbers(NamedTuple):
    """The numbers of a report.

    Attributes
    ----------
    metrics : list of MetricRow
    scores : list of ScoreRow
    pvalue : float
        Of the smallest p-value of the metrics, compared with that of the draws.
    adjusted : list of float
        The p-value of each metric, corrected for their number.
    display : ReliabilityDisplay
    left_out : list of str
        Labels of the metrics of a report that do not follow from sums over rows in any order.
    """

    metrics: list
    scores: list
    pvalue: float
    adjusted: list
    display: Any
    left_out: list


def collect_numbers(batches, extent, *, n_bins, bandwidth, alpha, n_resamples, random_state, say):
    """Read the batches and return the `Numbers`.

    Parameters
    ----------
    batches : callable
        ``batches()`` gives the batches of `Predictions`, the same ones in each call.
    extent : Extent
        What is known of all rows.
    n_bins, bandwidth, alpha, n_resamples, random_state : object
        As in `calibration_report`.
    say : callable
        Told about progress.
    """
    n_classes = extent.classes.size
    target = "binary" if n_classes == 2 else "confidence"
    if n_bins == "auto":
        size = extent.weight**2 / extent.square if extent.weighted else extent.n_samples
        n_bins = automatic_count(size)
    options = {"n_bins": n_bins, "strategy": "uniform"}
    if bandwidth != "auto":
        options["bandwidth"] = bandwidth
    measured, left_out = _measure(batches, extent, target, options, say)
    table = bin_table(n_classes, n_bins=n_bins, target=target)
    sums = list(dict.fromkeys([table, *(one.merged.sums for one in measured)]))
    counts = None if extent.weighted else EventCounts(np.array(table.edges), target)
    drawn = DrawnLabels(random_state, extent.n_samples, n_resamples)
    totals: dict = {}
    scores, done = None, 0
    for batch in batches():
        step = max(1, _CELLS // (n_resamples + 1))
        for start in range(0, batch.n_samples, step):
            part = batch.take(slice(start, start + step))
            codes = drawn.codes(part)
            for one in sums:
                new = one.of_draws(part, codes)
                totals[one] = totals[one] + new if one in totals else new
            new = _score_sums(part)
            scores = new if scores is None else scores + new
        if counts is not None:
            counts.add(batch)
        done += batch.n_samples
        say(f"{done:,} of {extent.n_samples:,} rows")
    rows, values = [], []
    for one in measured:
        own = totals[one.merged.sums]
        each = np.array([one.merged.value(own.column(b)) for b in range(n_resamples + 1)])
        values.append(each)
        rows.append(_metric_row(one, each, alpha, extent.n_samples))
    every = np.array(values)
    together = smallest_pvalues(
        every[:, 0], every[:, 1:], [one.metric.alternative for one in measured]
    )
    ece = next(row.value for row in rows if row.name == "ece")
    return Numbers(
        rows,
        _score_rows(scores, alpha),
        float(together.adjusted.min()),
        together.adjusted.tolist(),
        draw_diagram(table, totals[table], counts, alpha, extent.classes, ece),
        left_out,
    )


def _measure(batches, extent, target, options, say):
    """Return the metrics that follow from sums, and the labels of those that do not."""
    measured, left_out = [], []
    for metric in metrics_shown_in("report"):
        if metric.needs_features:
            continue
        own = {name: options.get(name, default) for name, default in metric.options.items()}
        try:
            if metric.mergeable is None:
                raise NotMergeableError
            if own.get("bandwidth") == "median" and own.get("kernel") == "rbf":
                own["bandwidth"] = _median_bandwidth(batches, extent, target, say)
            merged = metric.mergeable(extent.classes.size, **own)
            if merged.sums.sorted_by is not None or not _is_exact(metric):
                raise NotMergeableError
        except NotMergeableError:
            left_out.append(metric.label)
            continue
        measured.append(Measured(metric, merged, target))
    return measured, left_out


def _is_exact(metric):
    """Return whether sums give a metric up to rounding, and not only within a bound."""
    return metric.name not in ("smooth_ece", "kuiper_calibration_error")


def _median_bandwidth(batches, extent, target, say):
    """Return the median distance of the rows that `median_distance` would choose."""
    if extent.weighted or extent.classes.size > 2:
        raise NotMergeableError("The rows that it chooses depend on all weights.")
    n = extent.n_samples
    chosen = np.arange(n)
    if n > _MEDIAN_ROWS:
        chosen = np.sort(np.random.default_rng(0).choice(n, size=_MEDIAN_ROWS, replace=False))
    say("looking for the bandwidth")
    parts, start = [], 0
    for batch in batches():
        stop = start + batch.n_samples
        (reduction,) = reduce_target(batch.proba, target)
        parts.append(reduction.proba[chosen[(chosen >= start) & (chosen < stop)] - start, 0])
        start = stop
    return median_distance(np.concatenate(parts))


def _metric_row(one, values, alpha, n_samples):
    value, draws = float(values[0]), values[1:]
    pvalue = monte_carlo_pvalue(value, draws, alternative=one.metric.alternative)
    lower, upper = range_of_draws(draws, alpha)
    return MetricRow(
        name=one.metric.name,
        target=one.target,
        value=value,
        expected=mean_of_draws(draws),
        lower=lower,
        upper=upper,
        pvalue=np.nan if np.isnan(value) else pvalue,
        n_samples=n_samples,
    )


def _score_sums(predictions):
    """Return the sums of w, w**2 and, for each score t, of w t, w**2 t and w**2 t**2."""
    n = predictions.n_samples
    w = np.ones(n) if predictions.weight is None else predictions.weight
    columns = [w, w**2]
    for t in score_terms(predictions).values():
        columns += [w * t, w**2 * t, (w * t) ** 2]
    return joined([add_up(column) for column in columns])


def _score_rows(totals, alpha):
    weight, square, *sums = totals.values
    rows = []
    for name, part in zip(("log loss", "Brier score"), np.reshape(sums, (2, 3)), strict=True):
        value = float(part[0] / weight)
        variance = max(part[2] - 2.0 * value * part[1] + value**2 * square, 0.0) / weight**2
        rows.append(score_row(name, value, float(np.sqrt(variance)), alpha))
    return rows
