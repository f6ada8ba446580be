"""The alarm of a monitor as a result: where, since when, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._utils.results import Result, to_plain
from ..._utils.types import Label
from .cells import CellTable
from .e_values import EValues, running_pvalue
from .findings import find_error, name_period
from .history import exp
from .monitor_sums import MonitorSums
from .segments import Segment


@dataclass(frozen=True, repr=False, eq=False)
class CalibrationAlarm(Result):
    """One alarm of a :class:`CalibrationMonitor`.

    Attributes
    ----------
    segment : str or None
        The name of the segment; None for all rows together.
    event : label or None
        The class whose probability is wrong, for ``target="classwise"`` with several classes.
    raised : int, float or str
        The period in which the alarm was raised.
    since : int, float or str
        The period in which the error most probably began.
    problem : str
        What is wrong, such as "predicts too high" or "predicts too extreme values". It is read off
        the rows since then: the larger of two standardised deviations, that of the mean and that of
        the slope.
    n : int
        Rows of the segment since then.
    observed, predicted : float
        Rate of the event and mean prediction since then.
    slope : float
        Slope of the log-odds since then, estimated in one step from the calibrated line: near the
        recalibration slope if that is near one. Below one the predictions are too extreme. NaN if
        they do not vary.
    e_value : float
        The present e-value of the segment times its share, to be compared with ``1 / alpha``.
    pvalue : float
        One over the largest e-value so far, at most one. It holds for all looks and all segments.
    named : bool
        Whether this evidence is enough on its own. Otherwise only the sum over all segments is, and
        this one has the largest part in it.
    sentence : str
        All this in words.

    See Also
    --------
    CalibrationMonitor : Raises it.

    Examples
    --------
    >>> from sklearn_calib.streaming import CalibrationMonitor
    >>> monitor = CalibrationMonitor()
    >>> monitor = monitor.update([0] * 30 + [1] * 10, [0.6] * 40, period="2026-03-04")
    >>> alarm = monitor.alarms[0]
    >>> alarm.problem, alarm.observed, round(alarm.predicted, 2)
    ('predicts too high', 0.25, 0.6)
    """

    _summary = ("sentence", "segment", "event", "raised", "since", "n", "e_value", "pvalue")

    segment: str | None
    event: Label | None
    raised: int | float | str
    since: int | float | str
    problem: str
    n: int
    observed: float
    predicted: float
    slope: float
    e_value: float
    pvalue: float
    named: bool
    sentence: str


def list_alarms(
    cells: CellTable,
    e_values: EValues,
    classes: Any,
    *,
    names: Mapping[Segment | None, str | None],
    target: str,
    alpha: float,
) -> list[CalibrationAlarm]:
    """Return the alarms in the order in which they were raised.

    `e_values` are those of `cells`; the overall one has reached ``1 / alpha`` at least once.
    `classes` are the labels of the events, and `names` the names of the segments.
    """
    reached = running_pvalue(e_values.log_series) <= alpha
    named = np.flatnonzero(reached.any(axis=1))
    common = {"cells": cells, "classes": classes, "names": names, "target": target, "alpha": alpha}
    if not named.size:
        raised = int(np.argmax(running_pvalue(e_values.log_overall) <= alpha))
        largest = int(np.argmax(e_values.log_series[:, raised]))
        return [_alarm_of(largest, raised, e_values.log_overall, **common, named=False)]
    raised_in = reached.argmax(axis=1)
    order = named[np.argsort(raised_in[named], kind="stable")]
    return [
        _alarm_of(k, int(raised_in[k]), e_values.log_series[k], **common, named=True) for k in order
    ]


def _alarm_of(number, raised, log_e, *, cells, classes, names, target, alpha, named):
    """Return the alarm of a series, or of all together with this one as the largest part."""
    series, periods = cells.followed[number], cells.periods
    sums, present = cells.arrays([series])
    found = find_error(MonitorSums(*(one[0] for one in sums)), present[0], target)
    event = None if series.event is None else to_plain(classes[series.event])
    where = "" if series.segment is None else f" in segment {names[series.segment]!r}"
    if cells.segmented and series.segment is None:
        where = " for all segments together"
    where += "" if event is None else f" for class {event!r}"
    e_value = float(exp(log_e[-1]))
    sentence = (
        f"since {name_period(periods[found.since])} the model {found.problem}{where} "
        f"({found.detail}); e = {short(e_value)} (alarm at {1.0 / alpha:g})"
    )
    if not named:
        sentence = f"the predictions are not calibrated; the strongest evidence: {sentence}"
    return CalibrationAlarm(
        segment=names[series.segment],
        event=event,
        raised=periods[raised],
        since=periods[found.since],
        problem=found.problem,
        n=found.n,
        observed=found.observed,
        predicted=found.predicted,
        slope=found.slope,
        e_value=e_value,
        pvalue=float(running_pvalue(log_e)[-1]),
        named=named,
        sentence=sentence[0].upper() + sentence[1:],
    )


def short(e_value: float) -> str:
    """Return an e-value with the digits that matter."""
    return f"{e_value:,.0f}" if 10.0 <= e_value < 1e5 else f"{e_value:.3g}"
