"""A picture of calibration over time: the evidence of a monitor, and the gap of each period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..._data.arrays import check_same_length
from ..._utils.docs import fill_doc
from ..._utils.options import check_integer, check_names, check_option, check_real, shorten
from ..._utils.types import Words
from ...inference._groups.intervals import clopper_pearson
from ...streaming import CalibrationMonitor
from .._drawing.stored import check_one_shape, checks_styles, stored_numbers
from .._style import ABOVE, BELOW, NEUTRAL, merge_style, plain, wrap
from .axes import label_panels, monitor_axes, time_axis

_LEVEL, _WIDTH = 0.05, 34
# How far beyond the alarm the evidence is shown; more would hide what happened before.
_HEADROOM = np.log(1e4)
_ALARM = "#B22222"


@fill_doc(display="CalibrationMonitorDisplay")
class CalibrationMonitorDisplay:
    """The e-value of a monitor over time, above observed minus predicted rates by period.

    Use :meth:`from_monitor` to make one. With several segments there is a pair of panels for all
    together and one for each segment. All parameters are stored as attributes; :meth:`plot` only
    draws them.

    Parameters
    ----------
    period : sequence of shape (n_periods,)
        The periods in order: numbers, or text, which is read as dates if all of it is in the ISO
        format.
    log_e_value : array-like of shape (n_panels, n_periods)
        Logarithm (base e) of the e-value after each period; NaN before the first rows.
    gap, gap_low, gap_high : array-like of shape (n_panels, n_periods)
        Observed minus predicted rate in each period, with the limits of its interval; NaN where
        there are no rows.
    alpha : float, default=0.05
        Level of the alarm, which is raised at the e-value ``1 / alpha``.
    names : sequence of str, default=None
        Title of each panel; none by default.
    since : sequence, default=None
        For each panel the period in which an error began that has raised an alarm, or None.
    target : {"binary", "confidence", "classwise"}, default="binary"
        Which calibration is shown, for the labels of the axes.

    Attributes
    ----------
    evidence_ : list of Line2D
        The e-value of each panel. A triangle marks where it leaves the picture, which ends at ten
        thousand times the alarm.
    alarm_line_ : list of Line2D
        The e-value at which there is an alarm.
    gap_ : list of Line2D
        The gaps.
    interval_ : list of LineCollection
        Their intervals.
    since_ : list of list of Rectangle, or None
        The time since the error began, in panels with an alarm.
    shown_ : ndarray of int
        Which panels are drawn.
    ax_ : ndarray of Axes of shape (n_shown, 2)
        The axes of the evidence and of the gaps of each panel.
    figure_ : Figure
        The figure.

    See Also
    --------
    sklearn_calib.CalibrationMonitor : The monitor.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib import CalibrationMonitor, CalibrationMonitorDisplay
    >>> rng = np.random.default_rng(0)
    >>> day = np.repeat(np.arange(30), 100)
    >>> y_proba = rng.uniform(0.1, 0.9, size=3000)
    >>> y_true = rng.random(3000) < y_proba - 0.1 * (day >= 20)
    >>> monitor = CalibrationMonitor().update(y_true, y_proba, period=day)
    >>> display = CalibrationMonitorDisplay.from_monitor(monitor)
    >>> display.ax_[0, 0].get_title()
    'predicts too high since period 20'
    """

    def __init__(
        self,
        period: Sequence[Any],
        log_e_value: ArrayLike,
        gap: ArrayLike,
        gap_low: ArrayLike,
        gap_high: ArrayLike,
        *,
        alpha: float = 0.05,
        names: Words = None,
        since: Sequence[Any] | None = None,
        target: str = "binary",
    ) -> None:
        self.period = period
        self.log_e_value = log_e_value
        self.gap = gap
        self.gap_low = gap_low
        self.gap_high = gap_high
        self.alpha = alpha
        self.names = names
        self.since = since
        self.target = target

    @classmethod
    def from_monitor(
        cls, monitor: CalibrationMonitor, *, ax: Any = None, **plot_options: Any
    ) -> Self:
        """Draw the history of a monitor.

        The intervals are those of Clopper and Pearson for the observed rate of the period at the
        level 95 %, minus the mean prediction.

        Parameters
        ----------
        monitor : CalibrationMonitor
            The monitor, with at least one row.
        ax : Axes or array-like of Axes, default=None
            As in :meth:`plot`.
        <<plot_options>>

        <<returns_display>>

        Raises
        ------
        TypeError
            If `monitor` is something else.
        ValueError
            If it holds no rows.
        """
        if not isinstance(monitor, CalibrationMonitor):
            raise TypeError(f"monitor must be a CalibrationMonitor, got {type(monitor).__name__}.")
        frames, alarms = _frames(monitor), monitor.alarms
        panels = [_read_frame(frame, monitor.periods) for frame in frames.values()]
        log_e, gap, low, high = (np.array(one) for one in zip(*panels))
        found = [_alarm_of(alarms, key, frames) for key in frames]
        display = cls(
            monitor.periods,
            log_e,
            gap,
            low,
            high,
            alpha=monitor.alpha,
            names=[_title(key, alarm) for key, alarm in zip(frames, found)],
            since=[None if alarm is None else alarm.since for alarm in found],
            target=monitor.target,
        )
        return display.plot(ax=ax, **plot_options)

    @checks_styles
    def plot(
        self,
        ax: Any = None,
        *,
        max_panels: int = 9,
        line_kwargs: Mapping[str, Any] | None = None,
        gap_kwargs: Mapping[str, Any] | None = None,
        interval_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the stored arrays.

        Parameters
        ----------
        ax : Axes or array-like of Axes of shape (n_shown, 2), default=None
            Where to draw; a new figure by default. One Axes is divided.
        max_panels : int, default=9
            If there are more panels, the first one is drawn, and then those whose e-value has been
            largest.
        line_kwargs : dict, default=None
            Style of the evidence, for :meth:`matplotlib.axes.Axes.plot`.
        gap_kwargs : dict, default=None
            Style of the gaps, for :meth:`matplotlib.axes.Axes.plot`.
        interval_kwargs : dict, default=None
            Style of their intervals, for :meth:`matplotlib.axes.Axes.vlines`.

        Returns
        -------
        display : CalibrationMonitorDisplay
            Itself.

        Raises
        ------
        ValueError
            If an option is malformed, or the arrays do not have one shape.
        """
        most = check_integer(max_panels, "max_panels", 1)
        check_real(self.alpha, "alpha", below=1.0)
        check_option(self.target, "target", ("binary", "confidence", "classwise"))
        log_e = np.atleast_2d(stored_numbers(self.log_e_value, "log_e_value")).astype(float)
        gaps = [
            np.atleast_2d(stored_numbers(getattr(self, name), name)).astype(float)
            for name in ("gap", "gap_low", "gap_high")
        ]
        check_one_shape(log_e_value=log_e, gap=gaps[0], gap_low=gaps[1], gap_high=gaps[2])
        if log_e.ndim != 2 or np.ndim(self.period) != 1:
            raise ValueError(
                "log_e_value must have one or two dimensions and period one, got "
                f"{log_e.ndim} and {np.ndim(self.period)}."
            )
        check_same_length(period=np.asarray(self.period), log_e_value=log_e.T)
        for name in ("names", "since"):
            given = getattr(self, name)
            listed = np.iterable(given) and not isinstance(given, str | bytes | Mapping)
            if given is not None and not (listed and len(given) == len(log_e)):
                raise ValueError(
                    f"{name} must be a list with an entry for each of the {len(log_e)} panels, "
                    f"got {shorten(given)}."
                )
        if self.names is not None:
            check_names(self.names, "names")
        largest = np.nanmax(log_e, axis=1)
        largest[0] = np.inf
        self.shown_ = np.sort(np.argsort(-largest, kind="stable")[:most])
        self.figure_, self.ax_ = monitor_axes(ax, self.shown_.size)
        place, ticks = time_axis(self.period)
        names: Any = [""] * len(log_e) if self.names is None else self.names
        since: Any = [None] * len(log_e) if self.since is None else self.since
        self.evidence_: list[Any] = []
        self.alarm_line_: list[Any] = []
        self.gap_: list[Any] = []
        self.interval_: list[Any] = []
        self.since_: list[Any] = []
        for panel, (upper, lower) in zip(self.shown_, self.ax_):
            self._draw_evidence(upper, place, log_e[panel], line_kwargs)
            own = [one[panel] for one in gaps]
            self._draw_gaps(lower, place, own, gap_kwargs, interval_kwargs)
            self._shade(upper, lower, place, since[panel])
            title = "\n".join(wrap(plain(line, 60), _WIDTH) for line in names[panel].splitlines())
            upper.set_title(title, fontsize="medium" if self.shown_.size == 1 else "small")
        what = "accuracy − confidence" if self.target == "confidence" else "observed − predicted"
        label_panels(self.ax_, place, ticks, what, grid=np.size(ax) == 1)
        return self

    def _draw_evidence(self, ax, place, log_e, line_kwargs):
        """Draw the e-value and the alarm, in powers of ten."""
        from matplotlib.lines import Line2D

        threshold = -np.log(self.alpha)
        style = {"color": ABOVE if np.nanmax(log_e) >= threshold else BELOW, "linewidth": 1.8}
        style = merge_style(style, line_kwargs, Line2D)
        if np.isfinite(log_e).sum() == 1:
            style["marker"] = "o"
        with np.errstate(over="ignore"):
            e_value = np.exp(log_e)
        self.evidence_.append(ax.plot(place, e_value, **style)[0])
        line = {"color": _ALARM, "linestyle": "--", "linewidth": 1.0}
        self.alarm_line_.append(ax.axhline(1.0 / self.alpha, **line))
        ax.set_yscale("log")
        low = min(np.nanmin(log_e), -np.log(20.0))
        high = np.clip(np.nanmax(log_e), threshold + 0.5, threshold + _HEADROOM)
        top = np.exp(high + 0.3)
        ax.set_ylim(np.exp(low - 0.3), top)
        beyond = np.flatnonzero(e_value > top)
        if beyond.size:
            style = {"color": style["color"], "marker": "^", "linestyle": "none", "clip_on": False}
            ax.plot(place[beyond[:1]], [top], **style)
        ax.annotate(
            f"alarm at e = {1.0 / self.alpha:g}", (0.01, 1.0 / self.alpha),
            xycoords=("axes fraction", "data"), xytext=(0, 2), textcoords="offset points",
            fontsize="x-small", color=_ALARM,
        )  # fmt: skip

    def _draw_gaps(self, ax, place, gaps, gap_kwargs, interval_kwargs):
        """Draw the gap of each period with its interval."""
        from matplotlib.collections import LineCollection
        from matplotlib.lines import Line2D

        gap, low, high = gaps
        filled = ~np.isnan(gap)
        few = place.size <= 60
        if filled.any():
            ax.axhline(0.0, color="0.25", linewidth=1.0, linestyle=":", zorder=1)
        style = {"colors": NEUTRAL, "linewidth": 1.4 if few else 0.8, "alpha": 0.5, "zorder": 2}
        style = merge_style(style, interval_kwargs, LineCollection)
        self.interval_.append(ax.vlines(place[filled], low[filled], high[filled], **style))
        style = {"color": "0.15", "marker": "o", "markersize": 3.2 if few else 1.8}
        style = merge_style({**style, "linestyle": "none", "zorder": 3}, gap_kwargs, Line2D)
        self.gap_.append(ax.plot(place[filled], gap[filled], **style)[0])

    def _shade(self, upper, lower, place, since):
        """Mark the time since the error began."""
        if since is None:
            self.since_.append(None)
            return
        start = list(self.period).index(since)
        # From the middle between the last period before the error and its first one.
        before = place[max(start - 1, 0)]
        left = before + (place[start] - before) / 2
        style = {"color": _ALARM, "alpha": 0.08, "linewidth": 0, "zorder": 0}
        self.since_.append([ax.axvspan(left, place[-1], **style) for ax in (upper, lower)])


def _frames(monitor):
    """Return the history of all together, if there are several series, and of each by its key."""
    frame = monitor.to_frame()
    keys = [name for name in ("segment", "event") if name in frame]
    if not keys:
        return {(None, None): frame}
    parts = {
        (key if len(keys) == 2 else (key[0], None) if keys == ["segment"] else (None, key[0])): part
        for key, part in frame.groupby(keys, sort=False)
    }
    return parts if len(parts) == 1 else {None: monitor.to_frame("period"), **parts}


def _alarm_of(alarms, key, keys):
    """Return the alarm of a panel, or None; one for all rows may have no panel of its own."""
    for one in alarms:
        own = (one.segment, one.event)
        if (own if one.named and own in keys else None) == key:
            return one
    return None


def _title(key, alarm):
    """Return the title of a panel: what it shows, and what was found."""
    title = "all together"
    if key is not None:
        segment, event = key
        parts = [segment, None if event is None else f"class {event}"]
        title = ", ".join(one for one in parts if one is not None)
    if alarm is None:
        return title
    since = alarm.since if isinstance(alarm.since, str) else f"period {alarm.since:g}"
    return "\n".join(filter(None, [title, f"{alarm.problem} since {since}"]))


def _read_frame(frame, periods):
    """Return the arrays of a panel: logarithm of the e-value, gap and its limits by period."""
    place = {period: number for number, period in enumerate(periods)}
    rows = [place[one] for one in frame["period"].tolist()]
    arrays = np.full((4, len(periods)), np.nan)
    with np.errstate(divide="ignore"):
        arrays[0, rows] = np.log(frame["e_value"])
    if "gap" in frame:
        limits = clopper_pearson(frame["observed"].to_numpy(), frame["n"].to_numpy(), _LEVEL)
        arrays[1, rows] = frame["gap"]
        arrays[2:, rows] = np.array(limits) - frame["predicted"].to_numpy()
    # Between its periods the e-value of a segment stays as it is.
    known = np.maximum.accumulate(np.where(np.isnan(arrays[0]), -1, np.arange(len(periods))))
    arrays[0] = np.where(known < 0, np.nan, arrays[0, known])
    return arrays
