"""The table of sums of a monitor: one cell per period, segment and event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..._data.sums import Totals
from .monitor_sums import N_SUMS, MonitorSums
from .periods import Period, sort_key
from .segments import Segment, segment_order


class Series(NamedTuple):
    """What is followed from period to period.

    Attributes
    ----------
    segment : str, Missing or None
        The segment; None for all rows, whether they have segments or not.
    event : int or None
        The class whose probability is looked at, as a column number; None if there is one event
        per row.
    """

    segment: Segment | None
    event: int | None


class CellTable:
    """Sums by period and series; it is not changed after it has been made.

    Parameters
    ----------
    totals : dict of tuple to Totals
        The sums of each cell (period, series) that has rows.
    """

    def __init__(self, totals: Mapping[tuple[Period, Series], Totals]):
        self.totals = dict(totals)

    def __add__(self, other: CellTable) -> CellTable:
        """Return the sums of the rows of both."""
        merged = dict(self.totals)
        for key, one in other.totals.items():
            merged[key] = merged[key] + one if key in merged else one
        return CellTable(merged)

    @cached_property
    def periods(self) -> list[Period]:
        """The periods in order."""
        return sorted({period for period, _ in self.totals}, key=sort_key)

    @cached_property
    def series(self) -> list[Series]:
        """The series, sorted by segment and event."""
        found = {series for _, series in self.totals}
        return sorted(found, key=lambda one: (segment_order(one.segment), one.event or 0))

    @property
    def segmented(self) -> bool:
        """Whether rows have segments."""
        return any(one.segment is not None for one in self.series)

    @cached_property
    def followed(self) -> list[Series]:
        """The series in which errors are looked for: all rows, if there are segments, and each."""
        if not self.segmented:
            return self.series
        events = {one.event: None for one in self.series}
        return [*(Series(None, event) for event in events), *self.series]

    @cached_property
    def first_periods(self) -> dict[Segment | None, int]:
        """The number of the period in which each segment has its first rows."""
        rank = {period: number for number, period in enumerate(self.periods)}
        first: dict[Segment | None, int] = {}
        for period, series in self.totals:
            number = min(rank[period], first.get(series.segment, len(rank)))
            first[series.segment] = number
        return dict(sorted(first.items(), key=lambda one: segment_order(one[0])))

    def arrays(self, series: Iterable[Series]) -> tuple[MonitorSums, np.ndarray]:
        """Return the sums of some series by period, and where there are rows."""
        rows = {one: row for row, one in enumerate(series)}
        columns = {period: column for column, period in enumerate(self.periods)}
        values = np.zeros((len(rows), len(columns), N_SUMS))
        for (period, one), totals in self.totals.items():
            for wanted in {one, one._replace(segment=None)} & rows.keys():
                values[rows[wanted], columns[period]] += totals.values
        sums = MonitorSums.of(values)
        return sums, sums.rows > 0
