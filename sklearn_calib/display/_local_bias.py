"""Pictures of the local bias, which show where predictions are too low or too high."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from .._data.arrays import check_same_length, check_weights
from .._data.features import FeatureEncoder, read_features
from .._data.labels import check_labels
from .._data.predictions import check_predictions
from .._utils.arguments.random_streams import check_generator
from .._utils.docs import fill_doc
from .._utils.fitting_context import from_predict_proba
from .._utils.options import check_flag, check_integer, check_names, check_real, check_text, shorten
from .._utils.types import (
    Bandwidth,
    Categories,
    Columns,
    FeatureBandwidth,
    Label,
    Names,
    Progress,
    RandomState,
)
from ..inference import LocalBiasBand, local_bias_band
from ._drawing.stored import checks_styles
from ._local.beyond import count_beyond
from ._local.categories import mark_categories
from ._local.legend import draw_colorbar, draw_legend, in_words
from ._local.line import draw_line
from ._local.points import DrawnPoints
from ._local.surface import draw_surface
from ._responses import of_estimators, predict_proba
from ._style import get_axes, plain


@fill_doc(display="LocalBiasDisplay", numeric="")
class LocalBiasDisplay:
    """Local calibration bias against one feature, or as a map over two.

    Use :meth:`from_predictions`, :meth:`from_estimator` or :meth:`from_band` to make one, or draw
    values that are already computed with ``LocalBiasDisplay(feature, bias).plot()``.

    Parameters
    ----------
    feature : array-like of shape (n_points,) or (n_points, 2)
        One feature, or two, of each point; the number of its category where `categories` has names.
    bias : array-like of shape (n_points,)
        The local bias; positive where the event occurs more often than predicted.
    limit : array-like of shape (n_points,), default=None
        The half width of the joint band. A bias is significant if its absolute value exceeds this
        limit.
    significant : array-like of bool of shape (n_points,), default=None
        Whether each bias is significant. By default no point is marked.
    tested : array-like of bool of shape (n_points,), default=None
        Whether each point has enough data to be tested. By default all points have.
    alpha : float, default=0.05
        The family-wise level of the band, for the legend.
    feature_names : list of str, default=None
        Name of each feature, for the axis labels.
    event : object, default=None
        The class whose bias is shown, for the axis label.
    categories : list of (list of str or None), default=None
        For each feature the names of its categories 0, 1, ..., which mark the axis; None for a
        feature of numbers.

    Attributes
    ----------
    line_ : Line2D or PathCollection
        All points at (`feature`, `bias`), or, in a map, all points at `feature` with the values
        `bias`.
    marks_ : dict of int to artist
        The significant points of positive (1) and negative (-1) bias.
    trend_ : Line2D or None
        The average bias of neighbouring points, or of each category; None in a map.
    band_ : PolyCollection or None
        The band, from minus to plus the average `limit` of the same neighbours; for categories
        from ``-limit`` to ``limit`` at each tested point.
    surface_ : QuadMesh or None
        In a map, the average bias of neighbouring points where there are enough.
    outside_ : dict of int to artist
        The parts of the curve, or the hatched parts of the surface (None without any), that are
        above (1) and below (-1) the average limit.
    beyond_ : dict of str to Line2D
        An arrow for each point that lies beyond the axes on the "left", "right", "bottom", "top".
    vmax_ : float
        The largest bias on the axis or the scale of colours.
    colorbar_ : Colorbar or None
        The scale of a map.
    ax_ : Axes
        Axes with the points.
    figure_ : Figure
        The figure.

    See Also
    --------
    sklearn_calib.local_bias_band : The function that computes the bias and its band.
    sklearn_calib.local_calibration_bias : The bias alone.

    Examples
    --------
    >>> from sklearn_calib import LocalBiasDisplay
    >>> from sklearn_calib.datasets import make_calibration_data
    >>> X, y_true, y_proba = make_calibration_data(n=1000)
    >>> display = LocalBiasDisplay.from_predictions(y_true, y_proba, X, feature_bandwidth=0.3)
    >>> wrong = display.feature[display.significant]
    >>> print(f"wrong from {wrong.min():.1f} to {wrong.max():.1f}")
    wrong from 0.1 to 2.0
    """

    def __init__(
        self,
        feature: ArrayLike,
        bias: ArrayLike,
        *,
        limit: ArrayLike | None = None,
        significant: ArrayLike | None = None,
        tested: ArrayLike | None = None,
        alpha: float = 0.05,
        feature_names: Names | None = None,
        event: Label | None = None,
        categories: Sequence[Names | None] | None = None,
    ) -> None:
        self.feature = feature
        self.bias = bias
        self.limit = limit
        self.significant = significant
        self.tested = tested
        self.alpha = alpha
        self.feature_names = feature_names
        self.event = event
        self.categories = categories

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        X: ArrayLike,
        *,
        features: Columns = 0,
        feature_names: Names | None = None,
        event: Label | None = None,
        max_points: int = 1000,
        alpha: float = 0.05,
        n_resamples: int = 999,
        min_effective_size: float = 10,
        prob_bandwidth: Bandwidth = "median",
        feature_bandwidth: FeatureBandwidth = "median",
        categorical_features: Categories = "auto",
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        labels: ArrayLike | None = None,
        random_state: RandomState = 0,
        verbose: Progress = False,
        ax: Any = None,
        **plot_options: Any,
    ) -> Self:
        """Draw the local bias of predictions.

        Rows are neighbours if they are close in the displayed features and in their predictions.
        The points are rows of the data.

        Parameters
        ----------
        <<y_true>>
        <<y_proba>>
        <<features>>
        features : int, str or pair of these, default=0
            The feature to show, by position or column name, or two for a map.
        feature_names : list of str of length n_features, default=None
            Names of the features; those of a DataFrame by default, otherwise "feature 0", ...
        event : label, default=None
            The class to show. Must be passed for more than two classes; for binary data the
            default is the positive class.
        max_points : int, default=1000
            If there are more rows, the band is evaluated at this many of them, drawn at random.
            All rows are used as neighbours. Rows of weight zero are neither.
        alpha, n_resamples, min_effective_size, prob_bandwidth, feature_bandwidth
            As in :func:`~sklearn_calib.local_bias_band`.
        categorical_features
            Likewise. Categories are marked on the axis by their names.
        <<sample_weight>>
        <<pos_label>>
        <<labels>>
        random_state : int, RandomState, Generator or None, default=0
            Seed of the drawn points and labels; the default makes the same picture every time.
        <<verbose>>
        <<drawing>>

        Raises
        ------
        ValueError
            If an argument is malformed, a feature is not known or cannot be read, or `event` is not
            given for more than two classes.

        Notes
        -----
        Time is O(n * max_points * n_resamples), in tiles.
        """
        shown, positions = _select(X, features, feature_names)
        encoder = FeatureEncoder(_among(categorical_features, positions, X))
        predictions = check_predictions(y_true, y_proba, shown, pos_label=pos_label, labels=labels)
        binary = predictions.n_classes == 2
        rng = check_generator(random_state)
        weight = check_weights(sample_weight, predictions.n_samples)
        rows = np.arange(predictions.n_samples) if weight is None else np.flatnonzero(weight)
        if rows.size > check_integer(max_points, "max_points", 1):
            rows = np.sort(rng.choice(rows, size=max_points, replace=False))
        encoded = encoder.fit(shown[rows if weight is None else weight > 0]).transform(shown[rows])
        order = np.argsort(encoded.column(0), kind="stable")
        rows, encoded = rows[order], encoded[order]
        band = local_bias_band(
            y_true,
            y_proba,
            shown,
            X_query=shown[rows],
            proba_query=predictions.proba[rows, 1:] if binary else predictions.proba[rows],
            alpha=alpha,
            n_resamples=n_resamples,
            min_effective_size=min_effective_size,
            prob_bandwidth=prob_bandwidth,
            feature_bandwidth=feature_bandwidth,
            categorical_features=encoder.categorical_features,
            sample_weight=weight,
            pos_label=pos_label,
            labels=labels,
            random_state=rng,
            verbose=verbose,
        )
        display = cls._from_band(band, encoded, predictions.classes, event)
        return display.plot(ax=ax, **plot_options)

    @classmethod
    def _from_band(cls, band, features, classes, event):
        """Make a display of one class of a band at points with these encoded features."""
        known = classes.tolist()
        event = known[1] if event is None and len(known) == 2 else event
        if event not in known:
            raise ValueError(
                f"event must be the class whose bias is shown, one of {known[:10]}"
                f"{'' if len(known) <= 10 else ' ...'}, got {event!r}."
            )
        if len(known) == 2:
            sign, column = (1.0 if event == known[1] else -1.0), ...
        else:
            sign, column = 1.0, (..., known.index(event))
        encoder = features.encoder
        shown = [features.column(k) for k in range(encoder.n_features)]
        return cls(
            shown[0] if len(shown) == 1 else np.column_stack(shown),
            sign * band.bias[column],
            limit=band.limit[column],
            significant=band.significant[column],
            tested=band.tested,
            alpha=band.alpha,
            feature_names=encoder.names,
            event=event,
            categories=[encoder.categories(k) for k in range(encoder.n_features)],
        )

    @classmethod
    def from_band(
        cls,
        band: LocalBiasBand,
        X: ArrayLike,
        *,
        features: Columns = 0,
        feature_names: Names | None = None,
        event: Label | None = None,
        classes: ArrayLike | None = None,
        categorical_features: Categories = "auto",
        ax: Any = None,
        **plot_options: Any,
    ) -> Self:
        """Draw the result of :func:`~sklearn_calib.local_bias_band` against its features.

        Parameters
        ----------
        band : LocalBiasBand
            The result.
        X : array-like of shape (n_queries, n_features)
            The features of the query points of `band`: its `X_query`, or the data.
        features, feature_names
            As in :meth:`from_predictions`.
        event : label, default=None
            The class to show, as in :meth:`from_predictions`.
        classes : array-like of shape (n_classes,), default=None
            The labels of the classes; 0, 1, ... by default.
        <<categorical_features>>
        <<drawing>>

        Raises
        ------
        ValueError
            If an argument is malformed, or `X` does not have one row per query point.
        """
        if not isinstance(band, LocalBiasBand):
            raise TypeError(
                "band must be a LocalBiasBand, which local_bias_band returns, got "
                f"{type(band).__name__}."
            )
        shown, positions = _select(X, features, feature_names)
        check_same_length(**{"the query points of band": band.bias, "X": shown})
        encoder = FeatureEncoder(_among(categorical_features, positions, X)).fit(shown)
        if classes is None:
            classes = np.arange(2 if band.bias.ndim == 1 else band.bias.shape[1])
        classes = check_labels(classes, "classes")
        display = cls._from_band(band, encoder.transform(shown), classes, event)
        return display.plot(ax=ax, **plot_options)

    @classmethod
    @of_estimators
    def from_estimator(cls, estimator: BaseEstimator, X: Any, y: ArrayLike, **options: Any) -> Self:
        """Draw the local bias of a fitted classifier on rows that it has not seen.

        Parameters
        ----------
        <<estimator_and_rows>>
        **options : dict
            Options of :meth:`from_predictions` and :meth:`plot`.

        <<returns_display>>
        """
        proba = predict_proba(estimator, X)
        with from_predict_proba():
            return cls.from_predictions(y, proba, X, labels=estimator.classes_, **options)

    @checks_styles
    def plot(
        self,
        ax: Any = None,
        *,
        vmax: float | None = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
        band_kwargs: Mapping[str, Any] | None = None,
        trend_kwargs: Mapping[str, Any] | None = None,
        marks_kwargs: Mapping[str, Any] | None = None,
        colorbar: bool = True,
    ) -> Self:
        """Draw the stored arrays.

        Parameters
        ----------
        <<ax>>
        vmax : float, default=None
            The bias at both ends of the vertical axis or of the colours. Pass the same number, for
            instance the `vmax_` of the first picture, to compare pictures. By default it leaves
            room for nearly all rows and for most of the band, so that the colours of a map are
            pale unless something is significant.
        xlabel, ylabel : str, default=None
            Axis labels; the names of the features and what the bias is by default.
        line_kwargs : dict, default=None
            Style of the points, for :meth:`matplotlib.axes.Axes.plot`, or for
            :meth:`matplotlib.axes.Axes.scatter` in a map.
        band_kwargs : dict, default=None
            Style of the band, for :meth:`matplotlib.axes.Axes.fill_between`.
        trend_kwargs : dict, default=None
            Style of the average of neighbouring rows, for :meth:`matplotlib.axes.Axes.plot`.
        marks_kwargs : dict, default=None
            Style of the significant points, for the same methods as `line_kwargs`.
        colorbar : bool, default=True
            Whether to draw the scale of a map.

        Returns
        -------
        display : LocalBiasDisplay
            This display.

        Raises
        ------
        ValueError
            If the stored arrays differ in length, or an option is malformed.
        """
        colorbar = check_flag(colorbar, "colorbar")
        if vmax is not None:
            vmax = check_real(vmax, "vmax")
        check_real(self.alpha, "alpha", below=1.0)
        for name, text in {"xlabel": xlabel, "ylabel": ylabel}.items():
            if text is not None:
                check_text(text, name)
        if self.feature_names is not None:
            n_features = 1 if np.ndim(self.feature) < 2 else np.shape(self.feature)[1]
            if len(check_names(self.feature_names, "feature_names")) != n_features:
                raise ValueError(
                    f"feature_names must have {n_features} names, got "
                    f"{shorten(self.feature_names)}."
                )
        if self.categories is not None and not isinstance(self.categories, list | tuple):
            raise TypeError(
                "categories must be a list with the names of the categories of each feature, or "
                f"None, got {shorten(self.categories)}."
            )
        points = DrawnPoints.of_display(self)
        is_map = points.feature.ndim == 2
        categories = self.categories or [None] * (2 if is_map else 1)
        sizes = [None if names is None else len(names) for names in categories]
        self.figure_, (self.ax_,) = get_axes(ax, panel_size=(4.8, 3.8))
        styles = {"line": line_kwargs, "band": band_kwargs}
        styles |= {"trend": trend_kwargs, "marks": marks_kwargs}
        if is_map:
            drawn = draw_surface(self.ax_, points, sizes, vmax=vmax, styles=styles)
        else:
            options = {"alpha": self.alpha, "vmax": vmax, "styles": styles}
            drawn = draw_line(self.ax_, points, sizes[0], **options)
        self.line_, self.marks_, self.outside_ = drawn.line, drawn.marks, drawn.outside
        self.trend_, self.band_, self.surface_ = drawn.trend, drawn.band, drawn.surface
        self.beyond_, self.vmax_, self.colorbar_ = drawn.beyond, drawn.vmax, None
        names = [plain(name) for name in self.feature_names or []] or [None, None]
        note = count_beyond(self.beyond_, len(points.bias))
        below = "\n".join(filter(None, [names[0], note]))
        if is_map:
            if colorbar:
                self.colorbar_ = draw_colorbar(self.ax_, self.surface_, points.bias, self.event)
        else:
            names = [names[0], in_words(self.event)]
        self.ax_.set(
            xlabel=below if xlabel is None else xlabel,
            ylabel=names[1] if ylabel is None else ylabel,
        )
        for axis, names_of in zip((self.ax_.xaxis, self.ax_.yaxis), categories):
            mark_categories(axis, names_of)
        draw_legend(self.ax_, self.outside_ if is_map else {})
        return self


def _among(categorical_features, positions, X):
    """Return the option for the features that are shown."""
    if isinstance(categorical_features, str):
        return categorical_features
    encoder = FeatureEncoder(categorical_features)
    chosen = encoder.chosen(read_features(X))
    return [bool(chosen[k]) for k in positions]


def _select(X, features, feature_names):
    """Return the shown features of X, under their names, and their positions."""
    wanted = list(features) if isinstance(features, list | tuple) else [features]
    if len(wanted) not in (1, 2):
        raise ValueError(f"features must be one feature or a pair, got {features!r}.")
    table = read_features(X).renamed(feature_names)
    n_features, names = len(table.names), table.names
    positions = []
    for one in wanted:
        is_position = isinstance(one, Integral) and not isinstance(one, bool)
        if is_position and -n_features <= one < n_features:
            positions.append(int(one) % n_features)
        elif str(one) in names:
            positions.append(names.index(str(one)))
        else:
            raise ValueError(
                f"features holds {one!r}, which is neither a position below {n_features} nor one "
                f"of the names {names[:10]}."
            )
    return table.select(positions), positions
