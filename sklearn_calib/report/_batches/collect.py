"""What a report of batches adds up, and the numbers that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..._core import median_distance
from ..._data.bins import automatic_count
from ..._data.predictions import Predictions
from ..._data.sums import Mergeable, NotMergeableError, Totals, add_up, joined
from ..._data.targets import reduce_target
from ...display import ReliabilityDisplay
from ...display._drawing.event_counts import EventCounts, diagram
from ...display._scores import PROPER_SCORES, score_terms
from ...inference._pvalues import mean_of_draws, monte_carlo_pvalue, range_of_draws
from ...inference._statistics.omnibus.min_p import smallest_pvalues
from ...inference._statistics.omnibus.outcome import impossible_events
from ...metrics._binned.bin_table import bin_table
from ...metrics._metric import Metric, metrics_shown_in
from .._errors import MetricRow, score_row
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
        Of the smallest p-value of the metrics, compared with that of the draws. It is the smallest
        possible one if a row gave probability zero to what happened.
    adjusted : list of float
        The p-value of each metric, corrected for their number.
    finding : str
        What is said about rows that gave probability zero to what happened; empty without any.
    display : ReliabilityDisplay
    left_out : list of str
        Labels of the metrics of a report that do not follow from sums over rows in any order.
    """

    metrics: list
    scores: list
    pvalue: float
    adjusted: list
    finding: str
    display: Any
    left_out: list


@dataclass(frozen=True, eq=False)
class Collected:
    """What is added up over batches of rows.

    Attributes
    ----------
    totals : dict of Sums to Totals
        Of the observed labels in column 0, and of the draws.
    scores : Totals
        The sums behind the proper scores.
    n_impossible : int
        Rows that gave probability zero to what happened.
    counts : EventCounts or None
        The distributions of the number of events in each bin; None for rows with weights.
    """

    totals: dict
    scores: Totals
    n_impossible: int
    counts: EventCounts | None

    def __add__(self, other: Collected) -> Collected:
        """Return the sums of the rows of both."""
        totals = {one: mine + other.totals[one] for one, mine in self.totals.items()}
        counts = None
        if self.counts is not None and other.counts is not None:
            counts = self.counts + other.counts
        n_impossible = self.n_impossible + other.n_impossible
        return Collected(totals, self.scores + other.scores, n_impossible, counts)


@dataclass(frozen=True, eq=False)
class Collection:
    """Which sums to collect of a batch, and with which draws.

    Attributes
    ----------
    sums : list of Sums
        The sums; the first one is the table of bins.
    extent : Extent
        What is known of all rows.
    random_state, n_resamples : int
        Of the draws.
    """

    sums: list
    extent: Extent
    random_state: int
    n_resamples: int

    def __call__(self, batch: Predictions, first: int) -> Collected:
        """Return the sums of a batch whose first row has a number among all rows."""
        drawn = DrawnLabels(self.random_state, self.extent.n_samples, self.n_resamples, first)
        totals: dict = {}
        step = max(1, _CELLS // (self.n_resamples + 1))
        for start in range(0, batch.n_samples, step):
            part = batch.take(slice(start, start + step))
            codes = drawn.codes(part)
            for one in self.sums:
                new = one.of_draws(part, codes)
                totals[one] = totals[one] + new if one in totals else new
        table, counts = self.sums[0], None
        if not self.extent.weighted:
            counts = EventCounts.of(batch, np.array(table.edges), table.target)
        return Collected(totals, _score_sums(batch), batch.n_impossible, counts)


def collect_numbers(rows, *, n_bins, bandwidth, alpha, n_resamples, random_state):
    """Add up what the report needs from batches or partitions and return the `Numbers`."""
    extent = rows.extent
    n_classes = extent.classes.size
    target = "binary" if n_classes == 2 else "confidence"
    if n_bins == "auto":
        size = extent.weight**2 / extent.square if extent.weighted else extent.n_samples
        n_bins = automatic_count(size)
    options = {"n_bins": n_bins, "strategy": "uniform"}
    if bandwidth != "auto":
        options["bandwidth"] = bandwidth
    measured, left_out = _measure(rows, target, options)
    table = bin_table(n_classes, n_bins=n_bins, target=target)
    sums = list(dict.fromkeys([table, *(one.merged.sums for one in measured)]))
    found = rows.total(Collection(sums, extent, random_state, n_resamples))
    lines, values = [], []
    for one in measured:
        own = found.totals[one.merged.sums]
        each = np.array([one.merged.value(own.column(b)) for b in range(n_resamples + 1)])
        values.append(each)
        lines.append(_metric_row(one, each, alpha, extent.n_samples))
    every = np.array(values)
    together = smallest_pvalues(
        every[:, 0], every[:, 1:], [one.metric.alternative for one in measured]
    )
    ece = next(row.value for row in lines if row.name == "ece")
    arguments = diagram(table, found.totals[table], found.counts, alpha, extent.classes, ece)
    certain = impossible_events(found.n_impossible, n_resamples)
    return Numbers(
        lines,
        _score_rows(found, alpha),
        min([*together.adjusted.tolist(), *(part.pvalue for part in certain)]),
        together.adjusted.tolist(),
        "".join(part.finding for part in certain),
        ReliabilityDisplay(**arguments),
        left_out,
    )


def _measure(rows, target, options):
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
                own["bandwidth"] = _median_bandwidth(rows, target)
            merged = metric.mergeable(rows.extent.classes.size, **own)
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


def _median_bandwidth(rows, target):
    """Return the median distance of the rows that `median_distance` would choose."""
    extent = rows.extent
    if extent.weighted or extent.classes.size > 2:
        raise NotMergeableError("The rows that it chooses depend on all weights.")
    n = extent.n_samples
    chosen = np.arange(n)
    if n > _MEDIAN_ROWS:
        chosen = np.sort(np.random.default_rng(0).choice(n, size=_MEDIAN_ROWS, replace=False))
    return median_distance(np.concatenate(rows.total(partial(_chosen_rows, chosen, target))))


def _chosen_rows(chosen, target, batch, first):
    """Return the probabilities of the chosen rows of a batch, as a tuple of one array."""
    own = chosen[(chosen >= first) & (chosen < first + batch.n_samples)] - first
    (reduction,) = reduce_target(batch.proba, target)
    return (reduction.proba[own, 0],)


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
    """Return the sums of w, w**2 and, for each finite score t, of w t, w**2 t and w**2 t**2."""
    n = predictions.n_samples
    w = np.ones(n) if predictions.weight is None else predictions.weight
    columns = [w, w**2]
    for terms in score_terms(predictions).values():
        t = np.where(np.isfinite(terms), terms, 0.0)
        columns += [w * t, w**2 * t, (w * t) ** 2]
    return joined([add_up(column) for column in columns])


def _score_rows(found, alpha):
    weight, square, *sums = found.scores.values
    rows = []
    for name, part in zip(PROPER_SCORES, np.reshape(sums, (2, 3)), strict=True):
        if name == "log loss" and found.n_impossible:
            rows.append(score_row(name, np.inf, np.nan, alpha))
            continue
        value = float(part[0] / weight)
        variance = max(part[2] - 2.0 * value * part[1] + value**2 * square, 0.0) / weight**2
        rows.append(score_row(name, value, float(np.sqrt(variance)), alpha))
    return rows
