"""Reliability diagrams: observed rates against predicted probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from .._data.predictions import check_predictions
from .._utils.dask_collections import is_partitioned
from .._utils.docs import fill_doc
from .._utils.fitting_context import from_predict_proba
from .._utils.options import check_flag, check_option
from .._utils.types import Bins, Edges, Label, Progress, RandomState
from ._curves import ReliabilityCurves
from ._drawing.curves import EACH, draw_curves, label_axes, label_curves, stored_curves
from ._drawing.panels import draw_legend_below, draw_legends, finish_panels
from ._drawing.partitions import diagram_of_partitions
from ._drawing.scales import SCALES, set_scale
from ._drawing.stored import checks_styles
from ._responses import fold_predictions, of_estimators, predict_proba
from ._style import counts_axes, get_axes


@fill_doc(display="ReliabilityDisplay", numeric="")
class ReliabilityDisplay:
    """Reliability diagram with counts and consistency bands.

    Use :meth:`from_predictions`, :meth:`from_estimator` or :meth:`from_cv_results` to make one.
    All parameters are stored as attributes; :meth:`plot` only draws them. A display can hold
    several curves (the folds of a cross-validation, the classes of a one-vs-rest diagram). Then
    all arrays and `ece` are lists with one entry per curve, panel after panel.

    Parameters
    ----------
    prob_true : array-like of shape (n_bins,) or list of these
        Observed rate in each bin that is not empty.
    prob_pred : array-like of shape (n_bins,) or list of these
        Mean predicted probability in each of these bins.
    count : array-like of shape (n_bins,) or list of these
        Number of rows, or sum of weights, in each of these bins.
    bin_edges : array-like of shape (n_bins, 2) or list of these, default=None
        The edges of each bin. By default the midpoints between neighbouring `prob_pred`.
    lower, upper : array-like of shape (n_bins,) or list of these, default=None
        Limits of the interval at each bin.
    interval : {"consistency", "clopper-pearson"}, default=None
        The meaning of the limits: the range in which the observed rate would lie if the
        predictions were calibrated, or a confidence interval for the true rate.
    alpha : float, default=0.05
        Probability that one such interval misses.
    ece : float or list of float, default=None
        Expected calibration error of each curve, for the legend.
    strategy : {"uniform", "quantile", "isotonic"}, default="uniform"
        The kind of bins; for "isotonic" they are the blocks of an isotonic regression.
    target : {"binary", "confidence", "classwise"}, default="binary"
        Which calibration is shown, for the axis labels.
    pos_label : int, float, bool or str, default=None
        The positive class, for the axis labels.
    panels : list of labels, default=None
        The class of each panel. The curves are divided evenly among the panels. None means one
        panel.
    name : str, default=None
        Name of the curve in the legend.
    few : array-like of bool of shape (n_bins,) or list of these, default=None
        Which bins are drawn hollow; by default those with a whole `count` below 10.
    isotonic : array-like of shape (n_points, 2) or list of these, default=None
        Corners of the isotonic regression, drawn instead of a line through the points.

    Attributes
    ----------
    line_ : Line2D or list of Line2D
        The points (`prob_pred`, `prob_true`) of each curve.
    few_ : Line2D, list of Line2D or None
        Those of them with too few rows for a rate.
    step_ : Line2D, list of Line2D or None
        The isotonic regression, or else the line through the points that have enough rows.
    interval_ : LineCollection, list of LineCollection or None
        The interval at each bin.
    bars_ : BarContainer, list of BarContainer or None
        The counts.
    ax_ : Axes or ndarray of Axes
        Axes with the curves.
    histogram_ax_ : Axes, ndarray of Axes or None
        Axes with the counts.
    figure_ : Figure
        The figure.

    See Also
    --------
    CalibrationComparisonDisplay : The diagrams of several models side by side.
    LocalBiasDisplay : A picture of the regions in which the predictions are wrong.
    sklearn_calib.metrics.calibration_bins : The table of all bins.

    Notes
    -----
    Consistency bands are those of [1]_, with bins by probability and labels drawn for fixed
    predictions; the isotonic diagram is that of [2]_.

    References
    ----------
    .. [1] J. Bröcker, L. A. Smith, "Increasing the Reliability of Reliability Diagrams", Weather
       and Forecasting 22(3), 2007, doi:10.1175/WAF993.1.
    .. [2] T. Dimitriadis, T. Gneiting, A. I. Jordan, "Stable reliability diagrams for
       probabilistic classifiers", PNAS 118(8), 2021, doi:10.1073/pnas.2016191118.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib import ReliabilityDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_proba = rng.random(200)
    >>> y_true = rng.random(200) < y_proba**2
    >>> display = ReliabilityDisplay.from_predictions(y_true, y_proba, n_bins=4)
    >>> display.count
    array([44, 44, 50, 62])
    >>> display.prob_true < display.lower
    array([False,  True, False, False])
    """

    def __init__(
        self,
        prob_true: ArrayLike,
        prob_pred: ArrayLike,
        count: ArrayLike,
        *,
        bin_edges: ArrayLike | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        interval: str | None = None,
        alpha: float = 0.05,
        ece: float | Sequence[float] | None = None,
        strategy: str | None = "uniform",
        target: str | None = "binary",
        pos_label: Label | None = None,
        panels: Any = None,
        name: str | None = None,
        few: ArrayLike | None = None,
        isotonic: ArrayLike | None = None,
    ) -> None:
        self.prob_true = prob_true
        self.prob_pred = prob_pred
        self.count = count
        self.bin_edges = bin_edges
        self.lower = lower
        self.upper = upper
        self.interval = interval
        self.alpha = alpha
        self.ece = ece
        self.strategy = strategy
        self.target = target
        self.pos_label = pos_label
        self.panels = panels
        self.name = name
        self.few = few
        self.isotonic = isotonic

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        n_bins: Bins = 15,
        bins: Edges | None = None,
        strategy: str = "auto",
        closed: str = "left",
        target: str = "auto",
        classes: ArrayLike | int | None = None,
        interval: str | None = "consistency",
        alpha: float = 0.05,
        n_resamples: int = 999,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        labels: ArrayLike | None = None,
        random_state: RandomState = 0,
        verbose: Progress = False,
        name: str | None = None,
        ax: Any = None,
        **plot_options: Any,
    ) -> Self:
        """Draw a reliability diagram of predictions.

        Parameters
        ----------
        <<y_true_or_dask>>
        <<y_proba>>
        <<n_bins>>
        <<bins>>
        strategy : {"auto", "uniform", "quantile", "isotonic"}, default="auto"
            The kind of bins. "uniform" and "quantile" bins are those of
            :func:`sklearn_calib.metrics.ece`; "auto" is "uniform" unless one bin of equal width
            would hold over 80 % of the rows, as for rare events. "isotonic" draws the isotonic
            regression of the labels on the probabilities (the CORP diagram of Dimitriadis et al.),
            whose blocks are bins that you need not choose.
        <<closed>>
        target : {"auto", "binary", "confidence", "classwise"}, default="auto"
            What to show: the positive class ("binary"), accuracy against the largest probability
            ("confidence"), or each class against the rest with one panel per class ("classwise").
            "auto" is "binary" for two classes; for more classes you must choose.
        classes : list of labels or int, default=None
            The classes to show with ``target="classwise"``; all by default. A number k shows the
            k classes with the largest error.
        interval : {"consistency", "clopper-pearson"} or None, default="consistency"
            "consistency" shows the range in which the rate of each bin, taken by itself, would
            lie with probability ``1 - alpha`` if the labels followed the predictions (Bröcker and
            Smith), and a point inside is within the noise. The limits of bins are exact, from the
            Poisson binomial distribution of their events; with weights and for "isotonic" they
            are simulated with labels drawn from the predictions. "clopper-pearson" shows an exact
            confidence interval around each observed rate (with weights, for the effective number
            of rows ``(sum w)^2 / sum w^2``). It is not available for "isotonic", whose blocks
            depend on the labels.
        alpha : float, default=0.05
            Probability that one such interval misses.
        n_resamples : int, default=999
            Number of drawn sets of labels where "consistency" is simulated.
        <<sample_weight>>
        <<pos_label>>
        <<labels>>
        random_state : int, RandomState, Generator or None, default=0
            Seed of the drawn labels; with the default every call draws the same picture.
        <<verbose>>
        name : str, default=None
            Name of the curve in the legend.
        ax : Axes or array-like of Axes, default=None
            Where to draw; a new figure by default. One Axes is divided if there are several panels.
        <<plot_options>>

        <<returns_display>>

        Raises
        ------
        ValueError
            If an argument is malformed, the labels do not tell which class a column stands for, or
            `target` is not given for more than two classes.

        Notes
        -----
        The line is the isotonic regression of the labels on the probabilities, which needs no
        bins; the points are those of the bins, hollow where a bin has fewer than 10 rows. The
        bins, and the error in the legend, are those of :func:`sklearn_calib.metrics.ece`. Time is
        O(n log n); a simulated band takes O(n) more per draw, an isotonic one a regression.

        Examples
        --------
        >>> from sklearn_calib import ReliabilityDisplay
        >>> y_true, y_proba = [0, 0, 1, 1, 1, 0], [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
        >>> ReliabilityDisplay.from_predictions(y_true, y_proba, n_bins=2).prob_true.round(3)
        array([0.333, 0.667])
        """
        binning = {"n_bins": n_bins, "bins": bins, "strategy": strategy, "closed": closed}
        shown = {"target": target, "classes": classes, "pos_label": pos_label, "name": name}
        band = {"interval": interval, "alpha": alpha, "n_resamples": n_resamples}
        rows = (y_true, y_proba, sample_weight, labels)
        options = {**binning, **shown, **band, "random_state": random_state, "verbose": verbose}
        make = diagram_of_partitions if is_partitioned(*rows[:3]) else cls._from_rows
        return make([rows], **options).plot(ax=ax, **plot_options)

    @classmethod
    def _from_rows(cls, folds, *, pos_label, name, n_resamples, random_state, verbose, **options):
        """Compute the curves of one or more (labels, probabilities, weights, classes)."""
        checked = [
            check_predictions(y, proba, sample_weight=weight, pos_label=pos_label, labels=labels)
            for y, proba, weight, labels in folds
        ]
        every = [ReliabilityCurves(predictions, **options) for predictions in checked]
        if len({curves.bins["strategy"] for curves in every}) > 1:
            options |= {"strategy": "uniform"}
            every = [ReliabilityCurves(predictions, **options) for predictions in checked]
        draws = (n_resamples, random_state, verbose)
        return cls._from_curves([(curves, curves.simulated(*draws)) for curves in every], name)

    @classmethod
    def _from_curves(cls, computed, name=None):
        """Make a display of one or more (curves, rates of drawn labels)."""
        first = computed[0][0]
        folds = [curves.arrays(drawn) for curves, drawn in computed]
        several = [curve for event in zip(*folds) for curve in event]
        arrays = {}
        for key in EACH:
            values = [curve[key] for curve in several]
            arrays[key] = values if len(values) > 1 and values[0] is not None else values[0]
        return cls(
            **arrays,
            interval=first.interval,
            alpha=first.alpha,
            strategy=first.bins["strategy"],
            target=first.target,
            pos_label=first.predictions.classes[1].item() if first.target == "binary" else None,
            panels=first.panels if first.target == "classwise" else None,
            name=name,
        )

    @classmethod
    @of_estimators
    def from_estimator(
        cls,
        estimator: BaseEstimator,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw a reliability diagram of a fitted classifier on rows that it has not seen.

        Parameters
        ----------
        <<estimator_and_rows>>
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative importance weights.
        pos_label : int, float, bool or str, default=None
            The positive class; ``estimator.classes_[1]`` by default.
        name : str, default=None
            Name in the legend; the name of the class by default.
        **options : dict
            Further options of :meth:`from_predictions` and :meth:`plot`.

        <<returns_display>>

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_calib import ReliabilityDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = GaussianNB().fit(X[::2], y[::2])
        >>> display = ReliabilityDisplay.from_estimator(model, X[1::2], y[1::2], n_bins=5)
        >>> display.count
        array([ 96,   2,   4,   1, 181])
        """
        with from_predict_proba():
            return cls.from_predictions(
                y,
                predict_proba(estimator, X),
                labels=estimator.classes_,
                sample_weight=sample_weight,
                pos_label=pos_label,
                name=type(estimator).__name__ if name is None else name,
                **options,
            )

    @classmethod
    @of_estimators
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        n_bins: Bins = 15,
        bins: Edges | None = None,
        strategy: str = "auto",
        closed: str = "left",
        target: str = "auto",
        classes: ArrayLike | int | None = None,
        interval: str | None = None,
        alpha: float = 0.05,
        n_resamples: int = 999,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        random_state: RandomState = 0,
        verbose: Progress = False,
        name: str | None = None,
        ax: Any = None,
        **plot_options: Any,
    ) -> Self:
        """Draw the held-out folds of a cross-validation, one curve per fold.

        Each curve shows the predictions for a fold by the model that has not seen it. The curves
        are not pooled, since the models differ. The legend shows the mean and the standard
        deviation of the error.

        Parameters
        ----------
        cv_results : dict
            Result of :func:`sklearn.model_selection.cross_validate` with
            ``return_estimator=True, return_indices=True``.
        <<cross_validated_rows>>
        n_bins, bins, strategy, closed, target, classes, alpha, n_resamples
            As in :meth:`from_predictions`.
        interval : {"consistency", "clopper-pearson"} or None, default=None
            As in :meth:`from_predictions`; none by default, because the spread shows the noise.
        sample_weight, pos_label, random_state, verbose, name, ax, **plot_options
            As in :meth:`from_predictions`.

        Returns
        -------
        display : ReliabilityDisplay
            The display, after drawing. Its arrays are lists with one entry per fold.

        Raises
        ------
        ValueError
            If `cv_results` lacks the estimators or the indices, or if `X` or `y` are shorter than
            in the cross-validation.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_calib import ReliabilityDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> result = cross_validate(
        ...     GaussianNB(), X, y, cv=3, return_estimator=True, return_indices=True)
        >>> len(ReliabilityDisplay.from_cv_results(result, X, y, n_bins=5).prob_true)
        3
        """
        folds = fold_predictions(cv_results, X, y, sample_weight)
        name = type(folds[0][0]).__name__ if name is None else name
        binning = {"n_bins": n_bins, "bins": bins, "strategy": strategy, "closed": closed}
        shown = {"target": target, "classes": classes, "pos_label": pos_label, "name": name}
        band = {"interval": interval, "alpha": alpha, "n_resamples": n_resamples}
        runs = {"random_state": random_state, "verbose": verbose}
        rows = [(labels, proba, weight, model.classes_) for model, labels, proba, weight in folds]
        with from_predict_proba():
            display = cls._from_rows(rows, **binning, **shown, **band, **runs)
        return display.plot(ax=ax, **plot_options)

    @checks_styles
    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        scale: str = "auto",
        histogram: bool = True,
        legend: bool = True,
        line_kwargs: Mapping[str, Any] | None = None,
        interval_kwargs: Mapping[str, Any] | None = None,
        histogram_kwargs: Mapping[str, Any] | None = None,
        reference_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the stored arrays.

        Parameters
        ----------
        ax : Axes or array-like of Axes, default=None
            Where to draw; a new figure by default. Pass one Axes per panel, or a single Axes,
            which is then divided. If you draw on the same Axes again, the curves appear on top of
            each other. If you make a small figure yourself, use ``layout="constrained"`` so that
            all labels are visible.
        name : str, default=None
            Name of the curve in the legend; the stored one by default.
        scale : {"auto", "linear", "sqrt", "log"}, default="auto"
            Scale of both axes. "auto" is "linear" on [0, 1] unless 90 % of the rows have a
            predicted probability below 0.1, as for rare events: then it is "sqrt", which spreads
            small probabilities, up to the largest value shown. "log" leaves out points at zero.
        histogram : bool, default=True
            Whether to draw the counts below the curves, inside the area of `ax`.
        legend : bool, default=True
            Whether to draw the legend.
        line_kwargs : dict, default=None
            Style of the curves, for :meth:`matplotlib.axes.Axes.plot`.
        interval_kwargs : dict, default=None
            Style of the intervals, for :meth:`matplotlib.axes.Axes.vlines`.
        histogram_kwargs : dict, default=None
            Style of the counts, for :meth:`matplotlib.axes.Axes.bar`.
        reference_kwargs : dict, default=None
            Style of the diagonal, for :meth:`matplotlib.axes.Axes.plot`.

        Returns
        -------
        display : ReliabilityDisplay
            This display.
        """
        styles = {"line": line_kwargs, "interval": interval_kwargs, "reference": reference_kwargs}
        styles["histogram"] = histogram_kwargs
        check_option(scale, "scale", SCALES)
        histogram, legend = check_flag(histogram, "histogram"), check_flag(legend, "legend")
        panels, every = stored_curves(self)
        groups = np.split(np.array(every, dtype=object), len(panels))
        size = (4.8, 4.8) if (one := len(panels) == 1) else (2.6, 2.8)
        self.figure_, axes = get_axes(ax, len(panels), panel_size=size)
        below = [counts_axes(panel_ax) if histogram else None for panel_ax in axes]
        drawn = []
        name = self.name if name is None else name
        for k, curves in enumerate(groups):
            label = label_curves(name, curves) if self.panels is None else name if k == 0 else None
            drawn += draw_curves(self, axes[k], below[k], curves, label, k == 0, styles)
            set_scale(axes[k], scale, every)
            label_axes(self, axes[k], below[k], curves)
        if self.panels is not None:
            finish_panels(self.panels, axes, below, groups, in_grid=np.size(ax) == 1)
        for attribute in ("line_", "few_", "step_", "interval_", "bars_"):
            artists = [each[attribute] for each in drawn]
            artists = artists[0] if len(artists) == 1 else artists
            setattr(self, attribute, None if drawn[0][attribute] is None else artists)
        self.ax_ = axes[0] if one else axes
        self.histogram_ax_ = (below[0] if one else np.array(below)) if histogram else None
        if legend and ax is None and len(panels) > 1:
            draw_legend_below(self.figure_, axes[0])
        elif legend:
            draw_legends(self.figure_, axes)
        return self
