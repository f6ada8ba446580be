"""Pictures of calibration by group: gaps with intervals, and reliability curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from .._data.named_columns import table_names
from .._utils.compat import safe_indexing
from .._utils.docs import fill_doc
from .._utils.fitting_context import from_predict_proba
from .._utils.options import check_flag, check_integer, check_names, check_option, check_real
from .._utils.types import Label, Names, Progress, RandomState
from ..inference import GroupCalibration, calibration_by_group
from ..inference._groups.intervals import clopper_pearson
from ._drawing.stored import check_one_shape, checks_styles, stored_numbers
from ._reliability import ReliabilityDisplay
from ._responses import of_estimators, predict_proba
from ._style import ABOVE, BELOW, LEGEND, NEUTRAL, get_axes, merge_style, plain, wrap

_LONGEST_LABEL, _TITLE_WIDTH = 40, 26
_ROW_HEIGHT, _LETTER_WIDTH = 0.24, 0.075
_MOST = {"gaps": 30, "curves": 12}
_KINDS = (
    ("marks_low_", ABOVE, "^", "predicted too low"),
    ("marks_high_", BELOW, "v", "predicted too high"),
)


@fill_doc(display="GroupCalibrationDisplay", numeric="")
class GroupCalibrationDisplay:
    """The gap between observed and predicted rate of each group, or its reliability curve.

    Use :meth:`from_predictions`, :meth:`from_estimator` or :meth:`from_result` to make one. All
    parameters are stored as attributes; :meth:`plot` only draws them.

    Parameters
    ----------
    label : array-like of str of shape (n_groups,)
        Name of each group.
    gap : array-like of shape (n_groups,)
        Observed rate minus mean prediction.
    gap_low, gap_high : array-like of shape (n_groups,)
        Limits of its interval.
    n : array-like of int of shape (n_groups,), default=None
        Rows of each group, shown beside its name.
    significant : array-like of bool of shape (n_groups,), default=None
        Which groups are wrong; none by default.
    prob_true, prob_pred, count : array-like of shape (n_groups, n_bins), default=None
        The reliability curve of each group, in bins of equal width.
    interval : {"simultaneous", "pointwise"}, default="simultaneous"
        What the intervals of the gaps cover.
    alpha : float, default=0.05
        Probability that they do not.
    target : {"binary", "confidence", "classwise"}, default="binary"
        Which calibration is shown, for the labels of the axes.
    event : label, default=None
        The class that is shown, for the labels of the axes.

    Attributes
    ----------
    line_ : Line2D
        The gaps of the groups that are not significant.
    marks_low_, marks_high_ : Line2D
        Those of groups that are predicted too low and too high.
    interval_ : LineCollection
        The intervals.
    order_ : ndarray of int
        The groups that are drawn, from top to bottom or panel after panel.
    reliability_ : ReliabilityDisplay or None
        The curves, with ``kind="curves"``.
    ax_ : Axes or ndarray of Axes
        Axes of the gaps, or of the curves.
    figure_ : Figure
        The figure.

    See Also
    --------
    calibration_by_group : The numbers.
    LocalBiasDisplay : The error over a feature, without groups.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib import GroupCalibrationDisplay
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.choice(["Female", "Male"], size=3000, p=[0.2, 0.8])
    >>> y_proba = rng.uniform(0.2, 0.8, size=3000)
    >>> y_true = rng.random(3000) < y_proba - 0.1 * (sex == "Female")
    >>> display = GroupCalibrationDisplay.from_predictions(y_true, y_proba, {"sex": sex})
    >>> display.label.tolist(), display.significant.tolist()
    (['sex = Female', 'sex = Male'], [True, False])
    """

    def __init__(
        self,
        label: ArrayLike,
        gap: ArrayLike,
        gap_low: ArrayLike,
        gap_high: ArrayLike,
        *,
        n: ArrayLike | None = None,
        significant: ArrayLike | None = None,
        prob_true: ArrayLike | None = None,
        prob_pred: ArrayLike | None = None,
        count: ArrayLike | None = None,
        interval: str = "simultaneous",
        alpha: float = 0.05,
        target: str = "binary",
        event: Label | None = None,
    ) -> None:
        self.label = label
        self.gap = gap
        self.gap_low = gap_low
        self.gap_high = gap_high
        self.n = n
        self.significant = significant
        self.prob_true = prob_true
        self.prob_pred = prob_pred
        self.count = count
        self.interval = interval
        self.alpha = alpha
        self.target = target
        self.event = event

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        groups: Any,
        *,
        max_interaction: int = 1,
        n_quantiles: int = 4,
        min_rows: int = 10,
        target: str = "auto",
        event: Label | None = None,
        interval: str = "simultaneous",
        alpha: float = 0.05,
        n_resamples: int = 999,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        labels: ArrayLike | None = None,
        random_state: RandomState = 0,
        verbose: Progress = False,
        ax: Any = None,
        **plot_options: Any,
    ) -> Self:
        """Draw the groups of predictions.

        Parameters
        ----------
        <<y_true>>
        <<y_proba>>
        groups : DataFrame, Series, dict of str to array-like, or array-like
            The columns that define the groups, as in
            :func:`~sklearn_calib.calibration_by_group`.
        max_interaction, n_quantiles, min_rows, target, interval, alpha, n_resamples
            As in :func:`~sklearn_calib.calibration_by_group`.
        event : label, default=None
            The class to show with ``target="classwise"``; must be passed there.
        <<sample_weight>>
        <<pos_label>>
        <<labels>>
        random_state : int, RandomState, Generator or None, default=0
            Seed of the drawn labels; the default makes the same picture every time.
        <<verbose>>
        ax : Axes or array-like of Axes, default=None
            As in :meth:`plot`.
        <<plot_options>>

        <<returns_display>>

        Raises
        ------
        ValueError
            If an argument is malformed, or `event` is not given with ``target="classwise"``.
        """
        result = calibration_by_group(
            y_true,
            y_proba,
            groups,
            max_interaction=max_interaction,
            n_quantiles=n_quantiles,
            min_rows=min_rows,
            target=target,
            metric=None,
            interval=interval,
            alpha=alpha,
            n_resamples=n_resamples,
            sample_weight=sample_weight,
            pos_label=pos_label,
            labels=labels,
            random_state=random_state,
            verbose=verbose,
        )
        return cls.from_result(result, event=event, ax=ax, **plot_options)

    @classmethod
    def from_result(
        cls,
        result: GroupCalibration,
        *,
        event: Label | None = None,
        ax: Any = None,
        **plot_options: Any,
    ) -> Self:
        """Draw the result of :func:`~sklearn_calib.calibration_by_group`.

        Parameters
        ----------
        result : GroupCalibration
            The result.
        event : label, default=None
            The class to show if the result has one row per group and class.
        ax : Axes or array-like of Axes, default=None
            As in :meth:`plot`.
        <<plot_options>>

        <<returns_display>>

        Raises
        ------
        ValueError
            If `event` is not a class of the result, or is missing.
        """
        return cls._from_result(result, event).plot(ax=ax, **plot_options)

    @classmethod
    def _from_result(cls, result, event=None):
        """Make a display of a result without drawing it."""
        if not isinstance(result, GroupCalibration):
            raise TypeError(
                "result must be a GroupCalibration, which calibration_by_group returns, got "
                f"{type(result).__name__}."
            )
        rows = slice(None)
        if result.event is not None:
            known = list(dict.fromkeys(result.event.tolist()))
            if event not in known:
                raise ValueError(
                    f"event must be the class to show, one of {known[:10]}"
                    f"{'' if len(known) <= 10 else ' ...'}, got {event!r}."
                )
            rows = result.event == event
        elif event is not None:
            raise ValueError(
                f"event chooses a class of target='classwise', got {event!r} for the target "
                f"{result.target!r}."
            )
        curves = result.curves
        return cls(
            result.label[rows],
            result.gap[rows],
            result.gap_low[rows],
            result.gap_high[rows],
            n=result.n[rows],
            significant=result.significant[rows],
            prob_true=curves.prob_true[rows],
            prob_pred=curves.prob_pred[rows],
            count=curves.counts[rows],
            interval=result.interval,
            alpha=result.alpha,
            target=result.target,
            event=event,
        )

    @classmethod
    @of_estimators
    def from_estimator(
        cls, estimator: BaseEstimator, X: Any, y: ArrayLike, groups: Any, **options: Any
    ) -> Self:
        """Draw the groups of a fitted classifier on rows that it has not seen.

        Parameters
        ----------
        <<estimator_and_rows>>
        groups : str, list of str, DataFrame, Series, dict or array-like
            The columns that define the groups; of a table `X` also the name of a column, or a list
            of names.
        **options : dict
            Options of :meth:`from_predictions` and :meth:`plot`.

        <<returns_display>>
        """
        proba = predict_proba(estimator, X)
        groups = _columns_of(X, groups)
        with from_predict_proba():
            return cls.from_predictions(y, proba, groups, labels=estimator.classes_, **options)

    @checks_styles
    def plot(
        self,
        ax: Any = None,
        *,
        kind: str = "gaps",
        max_groups: int | None = None,
        sort: bool = True,
        line_kwargs: Mapping[str, Any] | None = None,
        interval_kwargs: Mapping[str, Any] | None = None,
        marks_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the stored arrays.

        Parameters
        ----------
        ax : Axes or array-like of Axes, default=None
            Where to draw; a new figure by default. For "curves", one Axes is divided.
        kind : {"gaps", "curves"}, default="gaps"
            "gaps": a line per group with its gap and interval. "curves": a small reliability
            diagram per group, with a Clopper-Pearson interval at each bin.
        max_groups : int, default=None
            If there are more groups, those are drawn that are wrong, and then those with the
            largest gaps for the width of their interval. By default 30 gaps or 12 curves.
        sort : bool, default=True
            Whether gaps are sorted by size, and curves by significance; otherwise groups keep
            their order.
        line_kwargs : dict, default=None
            Style of the gaps or curves, for :meth:`matplotlib.axes.Axes.plot`.
        interval_kwargs : dict, default=None
            Style of the intervals, for :meth:`matplotlib.axes.Axes.hlines`, or for
            :meth:`matplotlib.axes.Axes.vlines` with "curves".
        marks_kwargs : dict, default=None
            Style of the groups that are wrong, for :meth:`matplotlib.axes.Axes.plot`.

        Returns
        -------
        display : GroupCalibrationDisplay
            This display.

        Raises
        ------
        ValueError
            If an option is malformed, or the curves are not stored.
        """
        check_option(kind, "kind", tuple(_MOST))
        sort = check_flag(sort, "sort")
        most = _MOST[kind] if max_groups is None else check_integer(max_groups, "max_groups", 1)
        check_real(self.alpha, "alpha", below=1.0)
        check_option(self.interval, "interval", ("simultaneous", "pointwise"))
        check_option(self.target, "target", ("binary", "confidence", "classwise"))
        label = np.asarray(check_names(self.label, "label"), dtype=object)
        gap, low, high = (
            stored_numbers(getattr(self, name), name) for name in ("gap", "gap_low", "gap_high")
        )
        check_one_shape(label=label, gap=gap, gap_low=low, gap_high=high)
        wrong = np.zeros(gap.size, bool) if self.significant is None else self.significant
        wrong = stored_numbers(wrong, "significant", label.shape).astype(bool)
        if self.n is not None:
            stored_numbers(self.n, "n", label.shape)
        by_evidence = np.lexsort((-np.abs(gap) / np.maximum(high - low, 1e-12), ~wrong))
        shown = by_evidence[:most]
        if not sort:
            shown = np.sort(shown)
        elif kind == "gaps":
            shown = shown[np.argsort(-gap[shown], kind="stable")]
        self.order_ = shown
        self.reliability_: ReliabilityDisplay | None = None
        names = [self._name(label[k], k) for k in shown]
        if kind == "curves":
            return self._draw_curves(ax, names, line_kwargs, interval_kwargs)
        width = 4.2 + _LETTER_WIDTH * max(map(len, names))
        size = (width, self._height(shown.size))
        self.figure_, (self.ax_,) = get_axes(ax, panel_size=size)
        styles = line_kwargs, interval_kwargs, marks_kwargs
        self._draw_gaps(gap[shown], low[shown], high[shown], wrong[shown], *styles)
        self.ax_.set_yticks(np.arange(shown.size), names)
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.locator_params(axis="x", nbins=5)  # room for numbers of several digits
        self.ax_.set_ylim(shown.size - 0.4, -0.6)
        what = "accuracy − confidence" if self.target == "confidence" else "observed − predicted"
        of = "" if self.event is None else f" of {plain(self.event)}"
        left = "" if shown.size == gap.size else f"\n({shown.size} of {gap.size} groups)"
        self.ax_.set_xlabel(f"Gap{of}: {what}{left}")
        return self

    @staticmethod
    def _height(n_groups):
        """Return the height of a figure of gaps in inches."""
        return 1.1 + _ROW_HEIGHT * max(n_groups, 3)

    def _name(self, label, k):
        """Return the name of a group, with its number of rows."""
        name = plain(label, _LONGEST_LABEL)
        return name if self.n is None else f"{name}  ({np.asarray(self.n)[k]:,})"

    def _draw_gaps(self, gap, low, high, wrong, line_kwargs, interval_kwargs, marks_kwargs):
        from matplotlib.collections import LineCollection
        from matplotlib.lines import Line2D

        ax, place = self.ax_, np.arange(gap.size)
        ax.axvline(0.0, color="0.25", linewidth=1.0, linestyle=":", zorder=1)
        color = np.where(wrong, np.where(gap > 0, ABOVE, BELOW), NEUTRAL)
        style = {"color": color, "linewidth": 1.6, "alpha": 0.7, "zorder": 2}
        joint = "joint " if self.interval == "simultaneous" else ""
        style["label"] = f"{100 * (1 - self.alpha):g} % {joint}interval"
        style = merge_style(style, interval_kwargs, LineCollection)
        self.interval_ = ax.hlines(place, low, high, **style)
        style = {"color": NEUTRAL, "linestyle": "none", "marker": "o", "markersize": 4, "zorder": 3}
        style = merge_style(style, line_kwargs, Line2D)
        (self.line_,) = ax.plot(gap[~wrong], place[~wrong], **style)
        for name, color, marker, meaning in _KINDS:
            own = wrong & ((gap > 0) == (marker == "^"))
            style = {"color": color, "linestyle": "none", "marker": marker, "markersize": 6}
            if own.any():
                style["label"] = meaning
            style = merge_style({**style, "zorder": 3}, marks_kwargs, Line2D)
            setattr(self, name, ax.plot(gap[own], place[own], **style)[0])
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.grid(axis="x", color="0.92", linewidth=0.8)
        ax.set_axisbelow(True)
        legend = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": 3, **LEGEND}
        handles, labels = ax.get_legend_handles_labels()
        if labels:
            drawn = ax.legend(handles, labels, **legend)
            drawn.legend_handles[labels.index(self.interval_.get_label())].set_color(NEUTRAL)

    def _draw_curves(self, ax, names, line_kwargs, interval_kwargs):
        if self.prob_true is None or self.prob_pred is None or self.count is None:
            raise ValueError(
                "kind='curves' draws prob_true, prob_pred and count, which this display does not "
                "have. Make it with from_predictions, from_estimator or from_result."
            )
        keys = ("prob_true", "prob_pred", "count", "bin_edges", "lower", "upper")
        stored = [stored_numbers(getattr(self, name), name) for name in keys[:3]]
        check_one_shape(**dict(zip(keys, stored)))
        if stored[0].ndim != 2 or len(stored[0]) != np.size(self.label):
            raise ValueError(
                "prob_true, prob_pred and count must have a row for each group, shape (n_groups, "
                f"n_bins), got {stored[0].shape}."
            )
        n_bins = stored[0].shape[1]
        edges = np.column_stack([np.arange(n_bins), np.arange(1, n_bins + 1)]) / n_bins
        arrays: dict[str, list] = {key: [] for key in keys}
        for k in self.order_:
            filled = stored[2][k] > 0
            true, pred, count = (one[k][filled] for one in stored)
            lower, upper = clopper_pearson(true, count, self.alpha)
            for key, one in zip(keys, (true, pred, count, edges[filled], lower, upper)):
                arrays[key].append(one)
        true, pred, count, *others = arrays.values()
        curves = ReliabilityDisplay(
            true,
            pred,
            count,
            bin_edges=others[0],
            lower=others[1],
            upper=others[2],
            interval="clopper-pearson",
            alpha=self.alpha,
            target=self.target,
            pos_label=self.event,
            panels=names,
        )
        curves.plot(
            ax=ax, histogram=False, line_kwargs=line_kwargs, interval_kwargs=interval_kwargs
        )
        self.reliability_ = curves
        self.line_, self.interval_ = (getattr(curves, one) for one in ("line_", "interval_"))
        self.ax_, self.figure_ = curves.ax_, curves.figure_
        for one, name in zip(np.ravel(self.ax_), names):
            one.set_title(wrap(name, _TITLE_WIDTH), fontsize="small")
        return self


def _columns_of(X, groups):
    """Return the columns of a table if `groups` names them, or else `groups` itself."""
    names = table_names(X)
    wanted: Names = [groups] if isinstance(groups, str) else groups
    if names is None or not isinstance(wanted, list) or not set(map(str, wanted)) <= set(names):
        if isinstance(groups, str):
            raise ValueError(
                f"groups={groups!r} is the name of a column, which X does not have: its columns "
                f"are {names}."
            )
        return groups
    return safe_indexing(X, [names.index(one) for one in wanted], axis=1)
