"""Draw the local bias over one feature: rows, their average, and the band."""

from typing import NamedTuple

import numpy as np

from .._style import COLORS, NEUTRAL, merge_style
from .beyond import draw_beyond
from .categories import WIDTH, band_outline, side_by_side
from .points import SIGNS, Artists
from .smooth import along, within
from .view import feature_view, largest_shown

# The limits of the vertical axis, as a multiple of the largest bias shown.
_ROOM = 1.06


class _Layout(NamedTuple):
    """Where things are drawn.

    Attributes
    ----------
    position : ndarray of shape (n_points,)
        The horizontal positions of the points.
    view : tuple of float
        The limits of the horizontal axis.
    trend : ndarray of shape (2, n_corners)
        Corners of the average.
    limit : ndarray of shape (2, n_corners) or None
        Corners of the upper side of the band.
    is_outside : dict of int to ndarray of bool
        Whether each corner of the average is above (1) or below (-1) the average limit.
    """

    position: np.ndarray
    view: tuple
    trend: np.ndarray
    limit: np.ndarray | None
    is_outside: dict


def draw_line(ax, points, n_categories, *, alpha, vmax, styles):
    """Draw the points of a display over one feature, and return the artists.

    `n_categories` is None for numbers; points of a category lie side by side. `vmax` is the bias at
    the end of the axis, None to choose it, and `styles` are the user's for the "line", the "band",
    the "trend" and the "marks".
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

    laid = _numbers(points) if n_categories is None else _categories(points, n_categories)
    ax.axhline(0.0, color="0.25", linewidth=1.0, linestyle=":", zorder=1)
    band, marks, outside = None, {}, {}
    if laid.limit is not None:
        style = {"color": COLORS[0], "linewidth": 0.8, "zorder": 1}
        style |= {"alpha": 0.2, "label": f"{100 * (1 - alpha):g} % joint band"}
        style = merge_style(style, styles["band"], PolyCollection)
        x, half = laid.limit
        band = ax.fill_between(x, -half, half, **style)
    dots = {"linestyle": "none", "marker": ".", "markersize": 4, "markeredgewidth": 0}
    style = merge_style({**dots, "color": NEUTRAL, "alpha": 0.6}, styles["line"], Line2D)
    (line,) = ax.plot(laid.position, points.bias, **style)
    style = {"color": "0.1", "linewidth": 1.5, "zorder": 3, "label": "average of neighbours"}
    (trend,) = ax.plot(*laid.trend, **merge_style(style, styles["trend"], Line2D))
    for sign, color, marker, meaning in SIGNS:
        own = points.marked[sign]
        style = {**dots, "color": color, "marker": marker, "markersize": 3.5}
        if own.any():
            style["label"] = meaning
        style = merge_style(style, styles["marks"], Line2D)
        (marks[sign],) = ax.plot(laid.position[own], points.bias[own], **style)
        x, level = laid.trend
        level = np.where(laid.is_outside[sign], level, np.nan)
        style = {"color": color, "linewidth": 3.0, "zorder": 3.5}
        (outside[sign],) = ax.plot(x, level, **style)
    if vmax is None:
        x, level = laid.trend
        inside = (laid.view[0] <= x) & (x <= laid.view[1])
        marked = points.marked[1] | points.marked[-1]
        vmax = largest_shown(points, level[inside], points.bias[marked])
    view = laid.view, (-_ROOM * vmax, _ROOM * vmax)
    ax.set(xlim=view[0], ylim=view[1])
    beyond = draw_beyond(ax, laid.position, points.bias, view)
    return Artists(line, marks, outside, beyond, vmax, trend=trend, band=band)


def _numbers(points):
    feature, bias, limit = points.fair
    place, averages = along(feature, bias, limit)
    return _Layout(
        points.feature,
        feature_view(points.feature[~np.isnan(points.feature)]),
        np.array([place, averages.bias]),
        None if limit is None else np.array([place, averages.limit]),
        {sign: averages.outside(sign) for sign, *_ in SIGNS},
    )


def _categories(points, n_categories):
    """Lay points of a category beside each other, with their own limits and average."""
    feature, bias, limit = points.fair
    position = side_by_side(points.feature, points.limit)
    place, averages = within(feature, bias, limit)
    ends = (place[:, None] + np.array([-WIDTH / 2, WIDTH / 2, np.nan])).ravel()
    outline = None
    if limit is not None:
        outline = np.array(band_outline(position[points.usable], limit, feature))
    return _Layout(
        position,
        (-0.5, n_categories - 0.5),
        np.array([ends, averages.bias.repeat(3)]),
        outline,
        {sign: averages.outside(sign).repeat(3) for sign, *_ in SIGNS},
    )
