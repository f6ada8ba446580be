"""`check_calibration` of Dask collections."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._data.partitions import Partitions, read_partitions, sort_by_event
from ..._data.predictions import Predictions
from ..._data.targets import ONE_EVENT, resolve_target
from ..._utils.options import check_real
from ...metrics._partitioned import merge_description, prepare_rows
from .._statistics.omnibus.min_p import smallest_pvalues
from .._statistics.omnibus.omnibus import make_omnibus
from .._statistics.omnibus.outcome import OmnibusPart, impossible_events
from .._statistics.omnibus.parts import NAME
from .._statistics.statistic import Statistic, find_statistic
from .drawing import sum_draws
from .event_scores import STATISTICS, EventForm, rank_rows

# Rows from which the words of the omnibus test are taken.
_SAMPLE = 100_000
# The statistic that needs the ranks of all rows.
_RANKS = "rank_skce"


class Outcome(NamedTuple):
    """What a test of partitions finds.

    Attributes
    ----------
    observed : float
        The statistic of the data.
    values : ndarray of shape (n_draws,)
        The statistic of the draws.
    n_samples : int
        Number of rows of positive weight.
    target : str
        Which calibration is measured.
    parts : tuple of OmnibusPart or None
        The parts of the omnibus test.
    details : dict
        What was used, as fields of the result.
    """

    observed: float
    values: np.ndarray
    n_samples: int
    target: str | None
    parts: tuple[OmnibusPart, ...] | None
    details: dict[str, Any]


def check_partitions(
    description: Statistic,
    options: dict[str, Any],
    data: dict[str, Any],
    n_resamples: int,
    rng: np.random.Generator,
) -> Outcome:
    """Evaluate a statistic on rows in partitions and on draws.

    `data` are `y_true`, `y_proba`, `sample_weight`, `pos_label` and `labels`. The generator gives
    the seeds of the partitions.
    """
    by_ranks = description.name in (NAME, _RANKS)
    if not by_ranks and description.mergeable is None:
        merge_description(description, 2, options)
    partitions = read_partitions(**data)
    if by_ranks:
        return _of_events(description, options, partitions, n_resamples, rng)
    merged = merge_description(description, partitions.n_classes, options)
    rows = prepare_rows(partitions, merged.sums)
    totals = sum_draws(rows, merged.sums, n_resamples, rng)
    values = np.array([merged.value(totals.column(b)) for b in range(n_resamples + 1)])
    target = getattr(merged.sums, "target", merged.sums.sorted_by)
    width = getattr(merged.sums, "bandwidth", None)
    algorithm = None if width is None else "fourier" if merged.sums.sorted_by is None else "line"
    details = {"prob_bandwidth": width, "algorithm": algorithm}
    n_samples = sum(count for count in _counts(partitions) if count)
    return Outcome(float(values[0]), values[1:], n_samples, target, None, details)


def _of_events(description, options, partitions, n_resamples, rng):
    """Test one event by scores and by the kernel on ranks."""
    name, n_classes = description.name, partitions.n_classes
    if options.get("parts") is not None:
        raise ValueError(
            "parts are those of the omnibus test of one event for Dask collections; leave parts "
            "out, or test each statistic by its name."
        )
    multiclass = "canonical" if name == NAME else "confidence"
    target = resolve_target(
        options["target"], n_classes, multiclass=multiclass, allowed=(*ONE_EVENT, "canonical")
    )
    if target == "canonical":
        raise ValueError(
            f"statistic={name!r} of {n_classes} classes tests whole vectors of probabilities, "
            "which have no order. For Dask collections use target='confidence', the largest "
            "probability, or one class at a time: its column and y_true == class."
        )
    ranges = sort_by_event(partitions, target)
    ranges = Partitions(list(_persist(ranges.parts)), ranges.classes)
    bandwidth = options.get("bandwidth", find_statistic(_RANKS).options["bandwidth"])
    form, ranked = rank_rows(ranges, check_real(bandwidth, "bandwidth"))
    totals = sum_draws(ranked, form, n_resamples, rng)
    columns = [totals.column(b) for b in range(n_resamples + 1)]
    every = np.array([[value(one) for one in columns] for value in STATISTICS.values()])
    if name != NAME:
        values = every[[*STATISTICS].index(name)]
        return Outcome(float(values[0]), values[1:], form.n_samples, target, None, {})
    told = _tell(partitions, target, form)
    found = smallest_pvalues(
        every[:, 0],
        every[:, 1:],
        [part.alternative for part in told],
        [part.importance for part in told],
    )
    numbers = zip(told, every[:, 0].tolist(), found.pvalues.tolist(), found.adjusted.tolist())
    certain = impossible_events(form.n_impossible, n_resamples)
    parts = [
        OmnibusPart(*one[:4], value, pvalue, adjusted, one.finding)
        for one, value, pvalue, adjusted in numbers
    ]
    statistic = np.inf if certain else found.statistic
    return Outcome(statistic, found.values, form.n_samples, target, (*certain, *parts), {})


def _persist(parts):
    """Return delayed ranges that are computed once, where Dask keeps results."""
    from dask import persist

    return persist(*parts)


class _Told(NamedTuple):
    """What a part of the omnibus test is, and what it finds in a sample of the rows."""

    name: str
    label: str
    aspect: str
    local: bool
    alternative: str
    importance: float
    finding: str


def _tell(partitions: Partitions, target: str, form: EventForm) -> list[_Told]:
    """Return the parts of the omnibus test with their words, from a sample on a worker."""
    from dask import compute, delayed

    share = min(1.0, _SAMPLE / form.n_samples)
    sample = delayed(_sample, pure=True)
    pieces = [sample(part, share, number) for number, part in enumerate(partitions.parts)]
    return compute(delayed(_tell_sample, pure=True)(pieces, target))[0]


def _sample(predictions, share, number):
    """Return rows at random, each with the same probability."""
    if predictions is None or share >= 1.0:
        return predictions
    rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(number,)))
    rows = np.flatnonzero(rng.random(predictions.n_samples) < share)
    return predictions.take(rows) if rows.size else None


def _tell_sample(pieces, target):
    """Return the parts of the omnibus test of a sample."""
    pieces = [one for one in pieces if one is not None]
    weights = [np.ones(one.n_samples) if one.weight is None else one.weight for one in pieces]
    weighted = any(one.weight is not None for one in pieces)
    sample = Predictions(
        np.concatenate([one.codes for one in pieces]),
        np.concatenate([one.proba for one in pieces]),
        pieces[0].classes,
        np.concatenate(weights) if weighted else None,
    )
    parts = make_omnibus(sample, None, target, n_draws=1, algorithm="auto").parts
    return [
        _Told(p.name, p.label, p.aspect, p.local, p.alternative, p.importance, p.tell())
        for p in parts
    ]


def _counts(partitions):
    from dask import compute

    return compute(*partitions.each(_n_rows))


def _n_rows(predictions):
    return predictions.n_samples
