"""A picture of the differences between models, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from .._utils.docs import fill_doc
from .._utils.options import check_real, shorten
from ..inference import CalibrationComparison, ModelDifference
from ..inference._pvalues import level_of_tests
from ._drawing.stored import checks_styles
from ._style import ABOVE, BELOW, NEUTRAL, get_axes, merge_style, plain

_ROW_HEIGHT = 0.42


@fill_doc(display="ModelDifferenceDisplay")
class ModelDifferenceDisplay:
    """Differences between models in scores and errors, one panel each, with intervals.

    Use :meth:`from_result` to make one. A point left of zero means that the model named first in
    its row is better. Filled points are differences whose corrected p-value is at most `alpha`.

    Parameters
    ----------
    differences : sequence of ModelDifference
        What to draw, in order.
    alpha : float, default=0.05
        Level of the corrected p-values.

    Attributes
    ----------
    point_ : list of PathCollection
        The points of each panel.
    interval_ : list of LineCollection
        The intervals of each panel.
    ax_ : ndarray of Axes of shape (n_measures,)
        One panel per score or error.
    figure_ : Figure
        The figure.

    See Also
    --------
    sklearn_calib.compare_calibration : The comparison.
    CalibrationComparisonDisplay : Reliability diagrams of several models.

    Examples
    --------
    >>> from sklearn_calib import ModelDifferenceDisplay, compare_calibration
    >>> models = {"a": [0.2, 0.6, 0.9, 0.4], "b": [0.1, 0.7, 0.8, 0.3]}
    >>> result = compare_calibration([0, 1, 1, 0], models, random_state=0)
    >>> display = ModelDifferenceDisplay.from_result(result)
    >>> [ax.get_title() for ax in display.ax_]
    ['log loss', 'Brier score', 'ECE']
    """

    def __init__(self, differences: Sequence[ModelDifference], *, alpha: float = 0.05) -> None:
        self.differences = differences
        self.alpha = alpha

    @classmethod
    def from_result(
        cls, result: CalibrationComparison, *, ax: Any = None, **plot_options: Any
    ) -> Self:
        """Draw the differences of a comparison.

        Parameters
        ----------
        result : CalibrationComparison
            The result of :func:`~sklearn_calib.compare_calibration`. The best model is named first
            in the rows that it is part of.
        <<drawing>>

        Raises
        ------
        TypeError
            If `result` is something else.
        """
        if not isinstance(result, CalibrationComparison):
            raise TypeError(
                "result must be a CalibrationComparison, which compare_calibration returns, got "
                f"{type(result).__name__}."
            )
        differences = [
            one.turned() if one.first == result.best else one for one in result.differences
        ]
        display = cls(differences, alpha=level_of_tests(result.confidence_level))
        return display.plot(ax=ax, **plot_options)

    @checks_styles
    def plot(
        self,
        ax: Any = None,
        *,
        point_kwargs: Mapping[str, Any] | None = None,
        interval_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the stored differences.

        Parameters
        ----------
        ax : Axes or array-like of Axes, default=None
            Where to draw, one Axes per score or error; a new figure by default. One Axes for
            several of them is divided.
        point_kwargs : dict, default=None
            Style of the points, for :meth:`matplotlib.axes.Axes.scatter`.
        interval_kwargs : dict, default=None
            Style of the intervals, for :meth:`matplotlib.axes.Axes.hlines`.

        Returns
        -------
        display : ModelDifferenceDisplay
            Itself.
        """
        check_real(self.alpha, "alpha", below=1.0)
        given = list(self.differences) if np.iterable(self.differences) else []
        if not given or not all(isinstance(one, ModelDifference) for one in given):
            raise TypeError(
                "differences must be a list of at least one ModelDifference, as "
                f"compare_calibration gives them, got {shorten(self.differences)}."
            )
        measures = list(dict.fromkeys(one.label for one in self.differences))
        self.figure_, self.ax_ = self._panels(ax, len(measures))
        self.point_: list[Any] = []
        self.interval_: list[Any] = []
        for panel, label in zip(self.ax_, measures):
            shown = [one for one in self.differences if one.label == label]
            self._draw(panel, shown, point_kwargs, interval_kwargs)
            panel.set_title(label, fontsize="medium")
        self.ax_[0].set_yticks(
            range(len(shown)), [f"{plain(one.second)} $-$ {plain(one.first)}" for one in shown]
        )
        for panel in self.ax_[1:]:
            panel.set_yticks(range(len(shown)), [])
        return self

    def _panels(self, ax, n_panels):
        """Return the figure and the panels, side by side in a new figure."""
        if ax is not None:
            return get_axes(ax, n_panels)
        import matplotlib.pyplot as plt

        n_rows = len(self.differences) // n_panels
        figure, axes = plt.subplots(
            1,
            n_panels,
            figsize=(1.6 + 2.6 * n_panels, 1.3 + _ROW_HEIGHT * n_rows),
            layout="constrained",
            squeeze=False,
        )
        return figure, axes[0]

    def _draw(self, panel, shown, point_kwargs, interval_kwargs):
        """Draw one panel, the first row at the top."""
        from matplotlib.collections import LineCollection, PathCollection
        from matplotlib.ticker import MaxNLocator

        value = np.array([one.difference for one in shown])
        low, high = np.array([(one.low, one.high) for one in shown]).T
        significant = np.array([one.adjusted_pvalue <= self.alpha for one in shown])
        side = np.where(value < 0.0, BELOW, ABOVE)
        colors = np.where(significant, side, NEUTRAL)
        rows = np.arange(len(shown))
        panel.axvline(0.0, color="0.5", linewidth=1, linestyle=":", zorder=0)
        finite = np.isfinite(low) & np.isfinite(high)
        style = {"colors": colors[finite], "linewidth": 1.8}
        self.interval_.append(
            panel.hlines(
                rows[finite],
                low[finite],
                high[finite],
                **merge_style(style, interval_kwargs, LineCollection),
            )
        )
        face = np.where(significant, colors, "white")
        style = {"facecolors": face, "edgecolors": colors, "s": 36, "zorder": 3}
        self.point_.append(
            panel.scatter(value, rows, **merge_style(style, point_kwargs, PathCollection))
        )
        for row in rows[~np.isfinite(value)]:
            panel.annotate(
                "no finite difference", (0.03, row), xycoords=("axes fraction", "data"),
                va="center", fontsize="small",
            )  # fmt: skip
        panel.set_ylim(len(shown) - 0.5, -0.5)
        panel.set_xlabel("difference; below zero is better")
        panel.xaxis.set_major_locator(MaxNLocator(4))
        panel.margins(x=0.1)
