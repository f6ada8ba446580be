"""Pictures that compare several models or calibrators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from .._data.predictions import check_predictions
from .._utils.docs import fill_doc
from .._utils.estimators import check_classifier
from .._utils.fitting_context import from_predict_proba
from .._utils.named_errors import renaming
from .._utils.options import check_flag, shorten
from .._utils.types import Bins, Edges, Label, Progress, RandomState
from ..metrics._metric import metrics_shown_in
from ._drawing.panels import draw_legends, share_scale
from ._drawing.stored import checks_styles
from ._reliability import ReliabilityDisplay
from ._responses import fold_predictions, of_estimators, predict_proba
from ._scores import PROPER_SCORES, proper_scores
from ._style import check_axes, get_axes, plain

_ROW_HEIGHT = 0.28


@fill_doc(display="CalibrationComparisonDisplay")
class CalibrationComparisonDisplay:
    """Reliability diagrams of several models side by side, above a table of their scores.

    Use :meth:`from_predictions`, :meth:`from_estimators` or :meth:`from_cv_results` to make one,
    for instance to look at a model before and after calibration.

    Parameters
    ----------
    displays : dict of str to ReliabilityDisplay
        The diagram of each model, with one panel each.
    table : DataFrame of shape (n_models, n_scores)
        The scores of each model, in the same order.

    Attributes
    ----------
    table_ : matplotlib.table.Table or None
        The table as drawn.
    line_ : list
        The `line_` of each diagram.
    ax_ : ndarray of Axes of shape (n_models,)
        Axes with the curves.
    figure_ : Figure
        The figure.

    See Also
    --------
    ReliabilityDisplay : The diagram of one model.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib import CalibrationComparisonDisplay
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(500)
    >>> y_true = rng.random(500) < truth
    >>> display = CalibrationComparisonDisplay.from_predictions(
    ...     y_true, {"raw": truth**2, "calibrated": truth}
    ... )
    >>> display.table["ECE"].round(3).to_dict()
    {'raw': 0.162, 'calibrated': 0.043}
    """

    def __init__(self, displays: Any, table: Any) -> None:
        self.displays = displays
        self.table = table

    @classmethod
    @renaming(y_proba="y_probas")
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_probas: Mapping[str, ArrayLike],
        *,
        target: str = "auto",
        n_bins: Bins = 15,
        bins: Edges | None = None,
        strategy: str = "auto",
        closed: str = "left",
        interval: str | None = "consistency",
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
        """Compare the predictions of several models for the same rows.

        Parameters
        ----------
        <<y_true>>
        y_probas : dict of str to array-like
            Predicted probabilities of each model, in the forms that
            :meth:`ReliabilityDisplay.from_predictions` accepts.
        target : {"auto", "binary", "confidence"}, default="auto"
            As in :meth:`ReliabilityDisplay.from_predictions`. For more than two classes you must
            choose a target; one panel cannot show "classwise". The errors in the table have the
            same target.
        n_bins, bins, strategy, closed, interval, alpha, n_resamples
            As in :meth:`ReliabilityDisplay.from_predictions`. All models have the same kind of
            bins; "auto" is "uniform" unless it would be "quantile" for each of them.
        <<sample_weight>>
        <<pos_label>>
        <<labels>>
        random_state : int, RandomState, Generator or None, default=0
            Seed of the labels drawn for the intervals.
        <<verbose>>
        ax : Axes or array-like of Axes, default=None
            Where to draw; a new figure by default. One Axes is divided; an array needs one Axes per
            model, and one more for the table if it is drawn.
        <<plot_options>>

        <<returns_display>>

        Raises
        ------
        ValueError
            If there is no model or an argument is malformed.
        """
        data = {
            name: [(y_true, proba, sample_weight, labels)]
            for name, proba in _items(y_probas, "y_probas").items()
        }
        return cls._from_rows(
            data,
            target=target,
            n_bins=n_bins,
            bins=bins,
            strategy=strategy,
            closed=closed,
            interval=interval,
            alpha=alpha,
            n_resamples=n_resamples,
            pos_label=pos_label,
            random_state=random_state,
            verbose=verbose,
            ax=ax,
            **plot_options,
        )

    @classmethod
    @of_estimators
    def from_estimators(
        cls,
        estimators: Mapping[str, BaseEstimator],
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Compare fitted classifiers on rows that none of them has seen.

        Parameters
        ----------
        estimators : dict of str to estimator
            Fitted classifiers with `predict_proba`.
        X : array-like of shape (n_samples, n_features)
            Their input.
        y : array-like of shape (n_samples,)
            Labels.
        <<several_models>>
        **options : dict
            Further options of :meth:`from_predictions` and :meth:`plot`.

        <<returns_display>>
        """
        models = _items(estimators, "estimators")
        for name, model in models.items():
            check_classifier(model, f"estimators[{name!r}]")
        data = {
            name: [(y, predict_proba(model, X), sample_weight, model.classes_)]
            for name, model in models.items()
        }
        with from_predict_proba():
            return cls._from_rows(data, pos_label=pos_label, ax=ax, **options)

    @classmethod
    @of_estimators
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Mapping[str, Any]],
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Compare cross-validated classifiers on their held-out folds.

        Parameters
        ----------
        cv_results : dict of str to dict
            For each model, the result of :func:`sklearn.model_selection.cross_validate` with
            ``return_estimator=True, return_indices=True``.
        <<cross_validated_rows>>
        <<several_models>>
        **options : dict
            Further options of :meth:`from_predictions` and :meth:`plot`; `interval` is None by
            default.

        Returns
        -------
        display : CalibrationComparisonDisplay
            The display, after drawing. It has one curve per fold; the table shows means over folds.
        """
        data = {}
        for name, result in _items(cv_results, "cv_results").items():
            folds = fold_predictions(result, X, y, sample_weight)
            data[name] = [(part, proba, weight, m.classes_) for m, part, proba, weight in folds]
        with from_predict_proba():
            return cls._from_rows(data, pos_label=pos_label, ax=ax, **{"interval": None, **options})

    @classmethod
    def _from_rows(
        cls,
        data,
        *,
        target="auto",
        n_bins=15,
        bins=None,
        strategy="auto",
        closed="left",
        interval="consistency",
        alpha=0.05,
        n_resamples=999,
        pos_label=None,
        random_state=0,
        verbose=False,
        ax=None,
        **plot_options,
    ):
        """Compute and draw, from lists of (labels, probabilities, weights, classes) by model."""
        import pandas as pd

        if isinstance(target, str) and target == "classwise":
            raise ValueError(
                "target='classwise' needs a panel per class and model. Compare 'confidence' here, "
                "and look at the classes of one model with ReliabilityDisplay."
            )
        binning = {"n_bins": n_bins, "bins": bins, "closed": closed}
        shown = {"target": target, "classes": None, "pos_label": pos_label, "name": None}
        band = {"interval": interval, "alpha": alpha, "n_resamples": n_resamples}
        shown |= {**band, "random_state": random_state, "verbose": verbose}

        def draw_with(strategy):
            drawn = {}
            for name, folds in data.items():
                with renaming(y_proba=f"y_proba of {name!r}"):
                    options = {**binning, **shown, "strategy": strategy}
                    drawn[name] = ReliabilityDisplay._from_rows(folds, **options)
            return drawn

        displays, table = draw_with(strategy), {}
        if len({display.strategy for display in displays.values()}) > 1:
            displays = draw_with("uniform")  # models with the same bins can be compared
        for name, folds in data.items():
            used = displays[name].strategy
            tabled = {**binning, "strategy": "uniform" if used == "isotonic" else used}
            with from_predict_proba():  # the diagrams have warned already
                target = displays[name].target
                scores = [_scores(fold, pos_label, target, tabled) for fold in folds]
            table[name] = pd.DataFrame(scores).mean()
        return cls(displays, pd.DataFrame(table).T).plot(ax=ax, **plot_options)

    @checks_styles
    def plot(
        self, ax: Any = None, *, table: Any = True, legend: bool = True, **reliability_options: Any
    ) -> Self:
        """Draw the stored diagrams and the table.

        Parameters
        ----------
        ax : Axes or array-like of Axes, default=None
            Where to draw; a new figure by default. One Axes is divided; an array needs one Axes per
            model, and one more for the table if it is drawn.
        table : bool, default=True
            Whether to draw the table.
        legend : bool, default=True
            Whether to draw the legends.
        **reliability_options : dict
            Options of :meth:`ReliabilityDisplay.plot`.

        Returns
        -------
        display : CalibrationComparisonDisplay
            This display.
        """
        table, legend = check_flag(table, "table"), check_flag(legend, "legend")
        diagrams = self.displays.values() if isinstance(self.displays, Mapping) else ()
        if not diagrams or not all(isinstance(one, ReliabilityDisplay) for one in diagrams):
            raise TypeError(
                "displays must be a dict of name to ReliabilityDisplay, with at least one entry, "
                f"got {shorten(self.displays)}."
            )
        if table and not hasattr(self.table, "to_numpy"):
            raise TypeError(f"table must be a DataFrame of scores, got {shorten(self.table)}.")
        n_models = len(self.displays)
        if ax is None or np.size(ax) == 1:
            self.figure_, axes = self._divide(ax, table)
        else:
            self.figure_, axes = get_axes(ax, n_models + bool(table))
        self.ax_ = axes[:n_models]
        for number, (name, display) in enumerate(self.displays.items()):
            display.plot(ax=self.ax_[number], legend=False, **reliability_options)
            self.ax_[number].set_title(plain(name), fontsize="medium")
            if number > 0:
                for panel in (display.ax_, display.histogram_ax_):
                    if panel is not None:
                        panel.set_ylabel("")
        share_scale(self.ax_, reliability_options.get("scale", "auto"), self.displays.values())
        if legend:
            draw_legends(self.figure_, self.ax_)
        self.line_ = [display.line_ for display in self.displays.values()]
        self.table_ = self._draw_table(axes[n_models]) if table else None
        return self

    def _divide(self, ax, table):
        """Return the figure and an array of axes: one per model, and one below for the table."""
        n_models = len(self.displays)
        panel, below = 3.6, _ROW_HEIGHT * (n_models + 1) + 0.1
        if ax is None:
            import matplotlib.pyplot as plt

            size = (3.2 * max(n_models, 2), panel + (below if table else 0.0))
            figure = plt.figure(figsize=size, layout="constrained")
            grid = figure.add_gridspec(2, n_models, height_ratios=(panel, below))
        else:
            ax = check_axes(ax)[0]
            figure = ax.figure
            ax.set_axis_off()
            spec = ax.get_subplotspec()
            grid = spec.subgridspec(2, n_models, height_ratios=(panel, below))
        rows = slice(0, 1) if table else slice(0, 2)
        axes = [figure.add_subplot(grid[rows, k]) for k in range(n_models)]
        if table:
            axes.append(figure.add_subplot(grid[1, :]))
        return figure, np.array(axes)

    def _draw_table(self, ax):
        """Draw the table, with the best value of each proper score in bold."""
        ax.set_axis_off()
        drawn = ax.table(
            [[f"{value:z.4f}" for value in row] for row in self.table.to_numpy()],
            rowLabels=[plain(name) for name in self.table.index],
            colLabels=list(self.table.columns),
            loc="center",
            cellLoc="right",
            edges="horizontal",
            bbox=(0.2, 0.0, 0.8, 1.0),
        )
        drawn.auto_set_font_size(False)
        drawn.set_fontsize(9)
        for cell in drawn.get_celld().values():
            cell.set(linewidth=0.5)
        for column, name in enumerate(self.table.columns):
            if name in PROPER_SCORES and len(self.table) > 1:
                best = int(np.nanargmin(self.table[name]))
                drawn[best + 1, column].set_text_props(weight="bold")
        return drawn


def _items(models, name):
    """Return the models by name, or raise unless there is at least one in a dict."""
    if not isinstance(models, dict) or not models:
        raise ValueError(f"{name} must be a dict of name to model, not empty, got {models!r}.")
    return models


def _scores(fold, pos_label, target, bins):
    """Return the row of the table for one (labels, probabilities, weights, classes)."""
    y_true, y_proba, weight, labels = fold
    data = {"sample_weight": weight, "pos_label": pos_label, "labels": labels}
    predictions = check_predictions(y_true, y_proba, **data)
    options = {**bins, "target": target}
    errors = {}
    for metric in metrics_shown_in("comparison"):
        own = {name: options[name] for name in metric.options if name in options}
        errors[metric.label] = metric.function(y_true, y_proba, **own, **data)
    return {**proper_scores(predictions), **errors}
