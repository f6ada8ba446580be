"""Watch calibration over time with one false-alarm rate over all looks and segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .._data.sums import Totals
from .._data.targets import EVENTS, reduce_target, resolve_target
from .._utils.arguments.named_errors import renaming
from .._utils.docs import fill_doc
from .._utils.options import check_option, check_real, refuse_arguments
from .._utils.types import Label
from ._monitoring.alarm import CalibrationAlarm, list_alarms, short
from ._monitoring.cells import CellTable, Series
from ._monitoring.e_values import EValues, running_pvalue, series_shares
from ._monitoring.history import exp, history_table
from ._monitoring.monitor_sums import add_cells
from ._monitoring.periods import check_one_kind, read_periods, sort_key
from ._monitoring.segments import (
    name_segments,
    plain_segments,
    read_segment,
    read_segments,
    segment_key,
    write_segment,
)
from ._sums.classes import Classes
from ._sums.documents import plain_array, read_array
from ._sums.merging import Merging

if TYPE_CHECKING:
    import pandas as pd

_NO_WEIGHTS = (
    "the evidence of a weighted row has no fixed expectation under calibration, so the false-alarm "
    "rate would not hold. Repeat a row that stands for several independent cases, once for each"
)


@fill_doc()
class CalibrationMonitor(Merging):
    """Watch the calibration of a model in use, period by period and segment by segment.

    The monitor adds up the evidence against calibration as an e-value, which has the mean one if
    the model is calibrated, and raises an alarm when it reaches ``1 / alpha``. The probability that
    a calibrated model ever causes an alarm is at most `alpha`, however often and however long one
    looks, and for all segments together [1]_ [2]_. Nothing has to be planned: neither the number of
    looks nor that of rows.

    Parameters
    ----------
    alpha : float, default=0.05
        Probability of an alarm, at any time and in any segment, if the model is calibrated.
    target : {"auto", "binary", "confidence", "classwise"}, default="auto"
        Which calibration is watched: of the positive class ("binary"), of the largest probability
        ("confidence"; ties take the first column), or of every class on its own ("classwise").
        "auto" is "binary" for two classes and "confidence" for more.
    segments : sequence of str or None, default=None
        The names of all segments, with None for missing values, which then have equal shares in the
        evidence; others are refused.
        By default segments are taken as they come: those of the first period share four fifths of
        what belongs to segments, and the rest is kept for those that come later.
    <<pos_label>>
    <<labels>>

    Attributes
    ----------
    target : str
        Which calibration is watched; "auto" is resolved with the first rows.
    alarm : bool
        Whether there has been an alarm; the present period counts as far as it is known.
    alarms : list of CalibrationAlarm
        What was found, in the order in which it was raised: one for all rows together, and one
        for each segment (and class), as far as they have enough evidence of their own.
    e_value : float
        The present overall e-value.
    pvalue : float
        One over the largest overall e-value at the ends of the periods so far, at most one: a
        p-value that holds at all times.
    threshold : float
        The e-value at which there is an alarm, ``1 / alpha``.
    n_samples : int
        Number of rows.
    periods : list
        The periods so far, in order.
    segments : list of str
        The names of the segments, declared or seen so far.

    See Also
    --------
    sklearn_calib.CalibrationMonitorDisplay : The picture over time.
    sklearn_calib.check_calibration : A test of one set of rows, once.
    CalibrationState : Metrics of a stream, without a test.

    Notes
    -----
    The hypothesis is that each prediction is the probability of its event given all predictions
    and outcomes of the rows before it. It asks for nothing else: rows need not have the same
    distribution, and the model may change or be refitted on the way. It needs that each prediction
    is made before its outcome is known, and without a common cause behind outcomes of rows that
    were predicted at the same time: a shock that lifts all outcomes of a day is an error of all
    predictions of this day, and is found as such.

    For each row, the probability of what happened under an alternative is divided by that under the
    prediction. Alternatives shift the log-odds by a constant (0.05 to 1.6, both signs) or change
    their slope (by a factor of 1.1 to 2.2, both ways, about five pivots, or above or below one half
    only), 60 in all. The products of these ratios over the rows since some period are averaged over
    alternatives and over the period k in which the error began, with fixed weights: one half falls
    as ``1 / (k + 1)`` over the first thousand periods, the other as ``1 / ((k + 1) log(k + 1)^2)``
    for ever, so that an error that begins late is found as well. With segments, all rows together
    have half of the evidence, since an error of the whole model is found much sooner in them, and
    the segments share the other half. Each segment counts its own periods. The overall e-value is
    the sum of these e-values times their shares.

    What is kept is one sum per alternative, period and segment (68 numbers), so rows may come in
    any number of batches and from several machines, whose periods may come before, between and
    after each other, and the order of rows within a period is irrelevant. The guarantee covers
    looks at which all earlier periods are complete; a look in the middle of the present period is
    one of them, and the rest of the period may take back what it shows. What a complete period has
    shown stays. If labels come late, take as period the day on which they come. Without `segments`,
    look after all segments of a period are in.

    A probability of exactly 0 or 1 whose outcome is the other one is infinite evidence, since this
    never happens to a calibrated model. Clip the probabilities first if they are rounded or come
    from counts, such as those of a forest.

    An update takes time O(n), about a second for a million rows. What is kept does not grow with n;
    as JSON it is about 1.4 kB for each period and segment.

    References
    ----------
    .. [1] S. Arnold, A. Henzi, J. F. Ziegel, "Sequentially valid tests for forecast calibration",
       Annals of Applied Statistics 17(3), 2023, arXiv:2109.11761.
    .. [2] A. Ramdas, P. Grünwald, V. Vovk, G. Shafer, "Game-theoretic statistics and safe
       anytime-valid inference", Statistical Science 38(4), 2023, arXiv:2210.01948.
    .. [3] J. Shin, A. Ramdas, A. Rinaldo, "E-detectors: a nonparametric framework for sequential
       change detection", New England Journal of Statistics in Data Science, 2023,
       arXiv:2203.03532.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib.streaming import CalibrationMonitor
    >>> rng = np.random.default_rng(0)
    >>> monitor = CalibrationMonitor(segments=["A", "B"])
    >>> for day in range(1, 31):
    ...     y_proba = rng.uniform(0.1, 0.9, size=200)
    ...     segment = rng.choice(["A", "B"], size=200)
    ...     drift = 0.15 * ((segment == "B") & (day > 20))
    ...     y_true = rng.random(200) < y_proba - drift
    ...     monitor = monitor.update(
    ...         y_true, y_proba, period=f"2026-03-{day:02}", segment=segment
    ...     )
    >>> print(monitor.describe())
    Since 2026-03-21 the model predicts too high in segment 'B' ...
    >>> CalibrationMonitor.from_json(monitor.to_json()).alarm
    True
    """

    _VERSION = 2

    def __init__(
        self,
        *,
        alpha: float = 0.05,
        target: str = "auto",
        segments: Sequence[str | None] | None = None,
        pos_label: Label | None = None,
        labels: ArrayLike | None = None,
    ) -> None:
        self.alpha = check_real(alpha, "alpha", below=1.0)
        self._target = check_option(target, "target", EVENTS)
        self._declared = None if segments is None else _read_declared(segments)
        self._classes = Classes.of_options(labels, pos_label)
        if self._classes.found is not None:
            self._resolve(self._classes.found.size)
        self._cells = CellTable({})
        self._e_values: EValues | None = None

    @refuse_arguments(sample_weight=_NO_WEIGHTS)
    def update(
        self, y_true: ArrayLike, y_proba: ArrayLike, *, period: Any, segment: Any = None
    ) -> CalibrationMonitor:
        """Add rows.

        Parameters
        ----------
        <<y_true>>
        <<y_proba>>
        period : date, number, str, or array-like of these of shape (n_samples,)
            When the outcomes became known, for all rows or for each. Dates and numbers are ordered
            by value; text by letters, and by value where there are digits in it ("week 9" comes
            before "week 10"). Categories are ordered as their values are; an ordered categorical
            type that has another order is refused, and so are times with a time zone. A period may
            come in several batches. A new one must be later than all before.
        segment : str, number, or array-like of these of shape (n_samples,), default=None
            To which part of the data the rows belong, for all rows or for each. Either all rows of
            a monitor have a segment or none. Missing values are a segment of their own, called
            "missing", or "missing value" if some rows have the text "missing".

        <<returns_updated>>
        """
        predictions, classes = self._classes.read(y_true, y_proba, None)
        if predictions is None:
            return self
        n = predictions.n_samples
        periods, period_codes = read_periods(period, n)
        segments, segment_codes = read_segments(segment, n)
        self._check_keys(periods, segments)
        cell, key = np.unique(period_codes * len(segments) + segment_codes, return_inverse=True)
        places = [divmod(one, len(segments)) for one in cell.tolist()]
        target = self._resolve(predictions.n_classes)
        reductions = reduce_target(predictions.proba, target)
        totals = {}
        for event, one in enumerate(reductions):
            happened = predictions.codes == one.event[:, 0]
            added = add_cells(one.proba[:, 0], happened, key, cell.size)
            for (number, name), each in zip(places, added):
                series = Series(segments[name], event if len(reductions) > 1 else None)
                totals[periods[number], series] = each
        self._classes = classes
        self._cells = self._cells + CellTable(totals)
        self._e_values = None
        return self

    def _resolve(self, n_classes):
        return resolve_target(self._target, n_classes, multiclass="confidence", allowed=EVENTS)

    def _check_keys(self, periods, segments):
        """Raise unless new periods and segments fit the others."""
        known = self._cells.periods
        check_one_kind([*known[:1], *periods])
        new = [one for one in periods if one not in known]
        if known and new and sort_key(new[0]) < sort_key(known[-1]):
            raise ValueError(
                f"period {new[0]!r} is new and comes before {known[-1]!r}, which is known already: "
                "the past would change after one has looked at it. Pass periods in increasing "
                "order, or take as period the time when the outcomes became known."
            )
        self._check_segments(segments)

    def _check_segments(self, segments):
        """Raise unless either all rows have a segment, one of the declared ones, or none."""
        if self._declared is not None:
            unknown = [one for one in segments if one not in self._declared]
            if unknown:
                raise ValueError(
                    f"segment {plain_segments(unknown)[0]!r} is not one of "
                    f"segments={plain_segments(self._declared)!r}. Name all segments when the "
                    "monitor is made, with None for missing values, or none."
                )
            return
        known = {one.segment for one in self._cells.series}
        if len({one is None for one in known.union(segments)}) > 1:
            raise ValueError(
                "segment must be given for all rows of a monitor or for none. Give the rows "
                "without one a name, such as 'other'."
            )

    def _merged(self, other):
        check_one_kind([*self._cells.periods[:1], *other._cells.periods[:1]])
        self._check_segments([one.segment for one in other._cells.series])
        merged = object.__new__(CalibrationMonitor)
        merged.alpha, merged._target, merged._declared = self.alpha, self._target, self._declared
        merged._classes = self._classes.merge(other._classes)
        merged._cells, merged._e_values = self._cells + other._cells, None
        return merged

    @property
    def target(self) -> str:
        """Which calibration is watched; "auto" is resolved with the first rows."""
        found = self._classes.found
        return self._target if found is None else self._resolve(found.size)

    @property
    def threshold(self) -> float:
        """The e-value at which there is an alarm."""
        return 1.0 / self.alpha

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        totals = self._cells.totals.items()
        return int(sum(one.values[0] for (_, series), one in totals if not series.event))

    @property
    def periods(self) -> list[int | float | str]:
        """The periods so far, in order; dates are text."""
        return list(self._cells.periods)

    @property
    def segments(self) -> list[str]:
        """The names of the segments that were declared, or else of those seen so far."""
        return [one for one in self._names().values() if one is not None]

    def _names(self):
        """Return the name of each segment, and None for all rows together."""
        known = self._cells.first_periods if self._declared is None else self._declared
        return name_segments([None, *known])

    def _current(self):
        """Return the e-values of the present rows."""
        if self._e_values is None:
            self._e_values = EValues.of(self._cells, series_shares(self._cells, self._declared))
        return self._e_values

    @property
    def e_value(self) -> float:
        """The present overall e-value."""
        return float(exp(self._current().log_overall[-1])) if self._cells.totals else 1.0

    @property
    def pvalue(self) -> float:
        """One over the largest overall e-value at the ends of the periods so far, at most one."""
        return float(running_pvalue(self._current().log_overall)[-1]) if self._cells.totals else 1.0

    @property
    def alarm(self) -> bool:
        """Whether there has been an alarm; the present period counts as far as it is known."""
        return self.pvalue <= self.alpha

    @property
    def alarms(self) -> list[CalibrationAlarm]:
        """What was found, in the order in which it was raised."""
        classes = self._classes.found
        if classes is None or not self.alarm:
            return []
        return list_alarms(
            self._cells,
            self._current(),
            classes,
            names=self._names(),
            target=self.target,
            alpha=self.alpha,
        )

    def describe(self) -> str:
        """Say in words what was found, one line for each alarm.

        Returns
        -------
        text : str
        """
        if self.alarm:
            return "\n".join(f"{one.sentence}." for one in self.alarms)
        n_periods = len(self._cells.periods)
        return (
            f"No alarm after {n_periods:,} period{'' if n_periods == 1 else 's'} and "
            f"{self.n_samples:,} row{'' if self.n_samples == 1 else 's'}; "
            f"e = {short(self.e_value)} (alarm at {self.threshold:g})."
        )

    def __repr__(self) -> str:
        """Show the settings and what was found."""
        shown = f"alpha={self.alpha:g}, target={self.target!r}"
        if self._declared is not None:
            shown += f", segments={plain_segments(self._declared)!r}"
        return f"<CalibrationMonitor({shown}): {self.describe()}>"

    def to_frame(self, by: str = "segment") -> pd.DataFrame:
        """Return the history as a table.

        Parameters
        ----------
        by : {"segment", "period"}, default="segment"
            "segment": a row for each period and segment (and class) with rows. "period": a row for
            each period, all segments together.

        Returns
        -------
        frame : DataFrame
            `period`; `segment` and `event` (the class, for several of them) as far as there are
            any; `n` rows; `observed` rate, mean `predicted` probability and their difference `gap`
            in this period; `slope`, a hint at the slope of the log-odds in this period, below one
            if predictions are too extreme; and after this period the `e_value` (of the segment
            times its share, to be compared with `threshold`), the `pvalue`, and `alarm`, whether
            there has been one.

        Raises
        ------
        ValueError
            If `by` is something else.
        """
        check_option(by, "by", ("segment", "period"))
        if not self._cells.totals:
            raise ValueError("The monitor holds no rows yet. Call update with at least one row.")
        return history_table(
            self._cells,
            self._current(),
            self._classes.found,
            self.alpha,
            names=self._names(),
            pooled=by == "period",
        )

    def _settings(self):
        return {
            "alpha": self.alpha,
            "target": self._target,
            "segments": None if self._declared is None else plain_segments(self._declared),
            **self._classes.settings,
        }

    def _content(self):
        return {
            "settings": self._settings(),
            "labels": plain_array(self._classes.labels),
            "classes": plain_array(self._classes.found),
            "certain": self._classes.certain,
            "cells": [
                [period, write_segment(series.segment), series.event, one.values.tolist()]
                for (period, series), one in self._cells.totals.items()
            ],
        }

    @classmethod
    def _of_content(cls, content):
        settings = {**content["settings"], "labels": read_array(content["labels"])}
        monitor = cls(**settings)
        found = read_array(content["classes"])
        monitor._classes = Classes(
            monitor._classes.labels, settings["pos_label"], found, content["certain"]
        )
        monitor._cells = CellTable(
            {
                (period, Series(read_segment(segment), event)): Totals.of(np.array(sums))
                for period, segment, event, sums in content["cells"]
            }
        )
        return monitor


def _read_declared(segments):
    """Return declared segments as a tuple of distinct ones."""
    if isinstance(segments, str) or np.ndim(segments) != 1 or not len(segments):
        raise ValueError(
            f"segments must be a list of at least one name, or None, got {segments!r}."
        )
    with renaming(segment="segments"):
        keys = tuple(segment_key(one) for one in segments)
    if len(set(keys)) < len(keys):
        raise ValueError(f"segments must be distinct, got {plain_segments(keys)!r}.")
    return keys
