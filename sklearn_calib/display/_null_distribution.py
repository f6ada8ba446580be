"""A picture of a test: its statistic among the draws from the null distribution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._utils.docs import fill_doc
from .._utils.options import check_integer, check_number
from ..inference import CalibrationTestResult, CrossValidatedTestResult
from ._drawing.stored import checks_styles, stored_numbers
from ._style import ABOVE, LEGEND, get_axes, merge_style, plain


@fill_doc(display="NullDistributionDisplay")
class NullDistributionDisplay:
    """Histogram of a statistic under the null hypothesis, with the observed value.

    Use :meth:`from_result` to make one from the result of
    :func:`~sklearn_calib.check_calibration`.

    Parameters
    ----------
    null_distribution : array-like of shape (n_resamples,) or None
        The statistic of each draw. If there are none, :meth:`plot` raises.
    statistic : float
        The statistic of the data.
    pvalue : float
        The p-value of the test.
    name : str, default=None
        Name of the statistic, for the axis label.

    Attributes
    ----------
    bars_ : BarContainer
        The histogram as drawn.
    line_ : Line2D
        The observed value.
    ax_ : Axes
        Axes with the histogram.
    figure_ : Figure
        The figure.

    See Also
    --------
    sklearn_calib.check_calibration : The test.

    Examples
    --------
    >>> from sklearn_calib import NullDistributionDisplay, check_calibration
    >>> y_true, y_proba = [0, 1, 1, 0], [0.2, 0.6, 0.9, 0.4]
    >>> result = check_calibration(y_true, y_proba, random_state=0)
    >>> display = NullDistributionDisplay.from_result(result)
    >>> display.statistic == result.statistic
    True
    """

    def __init__(
        self,
        null_distribution: ArrayLike | None,
        statistic: float,
        pvalue: float | None,
        *,
        name: str | None = None,
    ) -> None:
        self.null_distribution = null_distribution
        self.statistic = statistic
        self.pvalue = pvalue
        self.name = name

    @classmethod
    def from_result(
        cls,
        result: CalibrationTestResult,
        *,
        name: str | None = None,
        ax: Any = None,
        **plot_options: Any,
    ) -> Self:
        """Draw the null distribution of a test result.

        Parameters
        ----------
        result : CalibrationTestResult
            The result of :func:`~sklearn_calib.check_calibration`.
        name : str, default=None
            Name of the statistic; that of the result by default.
        <<drawing>>

        Raises
        ------
        ValueError
            If `result` has no null distribution: that of a cross-validated test, whose folds
            (`fold_results`) have one each, or of a test without draws, whose p-value comes from a
            reference distribution.
        """
        if isinstance(result, CrossValidatedTestResult):
            raise ValueError(
                "result is that of a cross-validated test, which has one null distribution per "
                "fold. Pass one of result.fold_results."
            )
        if not isinstance(result, CalibrationTestResult):
            raise TypeError(
                "result must be a CalibrationTestResult, which check_calibration returns, got "
                f"{type(result).__name__}."
            )
        display = cls(
            result.null_distribution,
            result.statistic,
            result.pvalue,
            name=result.statistic_name if name is None else name,
        )
        return display.plot(ax=ax, **plot_options)

    @checks_styles
    def plot(
        self,
        ax: Any = None,
        *,
        bins: int | str = 30,
        bar_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the stored arrays.

        Parameters
        ----------
        <<ax>>
        bins : int, default=30
            Number of bars between the smallest and the largest value, including the observed
            value.
        bar_kwargs : dict, default=None
            Style of the histogram, for :meth:`matplotlib.axes.Axes.bar`.
        line_kwargs : dict, default=None
            Style of the observed value, for :meth:`matplotlib.axes.Axes.axvline`.

        Returns
        -------
        display : NullDistributionDisplay
            Itself.

        Raises
        ------
        ValueError
            If there are no draws.
        """
        from matplotlib.lines import Line2D
        from matplotlib.patches import Rectangle
        from matplotlib.ticker import MaxNLocator

        if self.null_distribution is None or np.size(self.null_distribution) == 0:
            raise ValueError(
                f"null_distribution is {self.null_distribution!r}, so there is nothing to draw: a "
                "test against a reference distribution (null='asymptotic') makes no draws. Repeat "
                "the test with null='simulation'."
            )
        values = stored_numbers(self.null_distribution, "null_distribution")
        if values.ndim != 1:
            raise ValueError(
                f"null_distribution must have one dimension, got an array of shape {values.shape}."
            )
        check_number(self.statistic, "statistic")
        if not 0.0 <= check_number(self.pvalue, "pvalue") <= 1.0:
            raise ValueError(f"pvalue must be from 0 to 1, got {self.pvalue!r}.")
        if not isinstance(bins, str):
            check_integer(bins, "bins", 1)
        self.figure_, (self.ax_,) = get_axes(ax, panel_size=(4.8, 3.6))
        finite = values[np.isfinite(values)]
        # Bars of a share of the whole picture stay visible when the observed value is far away.
        limits = np.min(finite, initial=self.statistic), np.max(finite, initial=self.statistic)
        style = {"facecolor": "#9FB0BD", "edgecolor": "white", "linewidth": 0.5}
        style["label"] = f"{values.size} draws if calibrated"
        _, _, self.bars_ = self.ax_.hist(
            finite, bins=bins, range=limits, **merge_style(style, bar_kwargs, Rectangle)
        )
        style = {"color": ABOVE, "linewidth": 2.0, "ymax": 0.72}
        style["label"] = f"observed {self.statistic:.3g}\np = {self.pvalue:.3g}"
        self.line_ = self.ax_.axvline(self.statistic, **merge_style(style, line_kwargs, Line2D))
        self.ax_.set(xlabel="Statistic" if self.name is None else plain(self.name), ylabel="Draws")
        self.ax_.xaxis.set_major_locator(MaxNLocator(4))
        self.ax_.ticklabel_format(axis="x", style="sci", scilimits=(-2, 4), useMathText=True)
        self.ax_.margins(y=0.4)
        self.ax_.legend(loc="upper right", **LEGEND)
        return self
