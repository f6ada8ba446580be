"""Draw the local bias over two features: a surface of averages, with significance as hatching."""

import numpy as np

from .._style import merge_style
from .beyond import draw_beyond
from .categories import apart
from .points import SIGNS, Artists
from .smooth import Pixels, over
from .view import feature_view, largest_shown

_COLORS = "RdBu_r"
_PIXEL = 0.8
# By the sign of the bias: hatching and line of the region outside the band.
_HATCH = {1: ("///", "-"), -1: ("\\\\\\", "--")}


def draw_surface(ax, points, n_categories, *, vmax, styles):
    """Draw the points of a display over two features, and return the artists.

    `n_categories` is None for a feature of numbers. `vmax` is the bias at the end of the colours,
    None to choose it, and `styles` are the user's for the "line" and the "marks".
    """
    from matplotlib.collections import PathCollection

    position = points.feature.astype(np.float64)
    axes, view = [], []
    for k, n in enumerate(n_categories):
        place = position[:, k].copy()
        if n is None:
            view.append(feature_view(place[~np.isnan(place)]))
            axes.append(Pixels.of_numbers(place[points.usable], view[k]))
        else:
            view.append((-0.5, n - 0.5))
            axes.append(Pixels.of_categories(place[points.usable], n, _PIXEL))
            position[:, k] = apart(place, k)
    _, bias, limit = points.fair
    averages = over(axes[0], axes[1], bias, limit)
    if vmax is None:
        vmax = largest_shown(points, averages.bias)
    colors = {"cmap": _COLORS, "vmin": -vmax, "vmax": vmax}
    edges = [one.edges for one in axes]
    surface = ax.pcolormesh(*edges, averages.bias, zorder=1, rasterized=True, **colors)
    outside = {sign: _draw_outside(ax, axes, averages, sign) for sign, *_ in SIGNS}
    style = {**colors, "s": 5, "linewidths": 0.25, "edgecolors": "0.55", "zorder": 2}
    style = merge_style(style, styles["line"], PathCollection)
    line = ax.scatter(*position.T, c=points.bias, **style)
    marks, label = {}, "significant row"
    for sign, *_ in SIGNS:
        own = points.marked[sign]
        style = {**colors, "s": 7, "linewidths": 0.5, "edgecolors": "k", "zorder": 3}
        if own.any():
            style["label"], label = label, None
        style = merge_style(style, styles["marks"], PathCollection)
        marks[sign] = ax.scatter(*position[own].T, c=points.bias[own], **style)
    ax.set(xlim=view[0], ylim=view[1])
    beyond = draw_beyond(ax, position[:, 0], position[:, 1], view)
    return Artists(line, marks, outside, beyond, vmax, surface=surface)


def _draw_outside(ax, axes, averages, sign):
    """Hatch where the surface is outside the band on one side; None if it is nowhere."""
    from matplotlib import rc_context

    if not averages.outside(sign).any():
        return None
    horizontal, vertical = axes
    excess = sign * averages.bias - averages.limit
    at_nodes = excess[np.ix_(vertical.pixel, horizontal.pixel)]
    at_nodes[vertical.pixel < 0] = np.nan
    at_nodes[:, horizontal.pixel < 0] = np.nan
    place = horizontal.nodes, vertical.nodes, np.ma.masked_invalid(at_nodes)
    hatch, line = _HATCH[sign]
    ax.contour(*place, levels=[0.0], colors="k", linestyles=line, linewidths=1.0, zorder=2.5)
    with rc_context({"hatch.linewidth": 0.5}):
        region = ax.contourf(*place, levels=[0.0, 2.0], colors="none", hatches=[hatch], zorder=2.5)
    region.set_edgecolor("0.3")
    return region
