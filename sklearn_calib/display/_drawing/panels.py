"""Put panels together: titles, limits that they share, and legends."""

import numpy as np

from .._style import LEGEND, label_outer, plain
from .curves import CURVE_ID, error_in_words, stored_curves
from .legend import place_legend, raise_to
from .scales import set_scale


def finish_panels(panels, axes, below, groups, *, in_grid):
    """Write titles, share the scale of the counts, and keep labels at the sides of the grid.

    `panels` holds the class of each panel, `below` the axes of its counts or None, and `groups` its
    stored curves. `in_grid` says whether the display has made the grid.
    """
    for panel, ax, curves in zip(panels, axes, groups):
        _title_panel(ax, panel, curves)
    if below[0] is not None:
        _share_counts(below)
    if in_grid:
        label_outer(axes, below)


def share_scale(axes, scale, displays):
    """Give panels of several displays one scale, that of rare events if any of them needs it."""
    if scale == "auto" and any(ax.get_xscale() == "function" for ax in axes):
        scale = "sqrt"
    curves = [curve for display in displays for curve in stored_curves(display)[1]]
    for ax in axes:
        set_scale(ax, scale, curves)


def draw_legend_below(figure, ax):
    """Draw one legend for all panels below a figure."""
    handles, labels = _legend_entries(ax)
    if labels:
        place = {"loc": "outside lower center", "ncols": len(labels)}
        figure.legend(handles, labels, **place, **LEGEND)


def draw_legends(figure, axes):
    """Draw the legend of each panel where it covers no data; panels keep the same limits."""
    figure.draw_without_rendering()  # the sizes of the panels depend on all that is drawn
    for ax in axes:
        place_legend(ax, *_legend_entries(ax))
    if len({(ax.get_yscale(), ax.get_ylim()[0]) for ax in axes}) == 1:
        top = max(ax.get_ylim()[1] for ax in axes)
        for ax in axes:
            if ax.get_ylim()[1] < top:
                raise_to(ax, top)


def _legend_entries(ax):
    """Return handles and labels of a panel: lines with their points, and intervals last."""
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    handles, labels = ax.get_legend_handles_labels()
    lines = list(ax.lines)
    for number, handle in enumerate(handles):
        if handle.get_gid() == CURVE_ID:  # its line was drawn just before the points
            handles[number] = (lines[lines.index(handle) - 1], handle)
        elif isinstance(handle, LineCollection):  # whose first bin may have few rows
            line = handles[number] = Line2D([], [], linewidth=np.max(handle.get_linewidth()))
            line.set(color=handle.get_color()[0], alpha=handle.get_alpha())
    last = [handle in ax.collections for handle in ax.get_legend_handles_labels()[0]]
    order = np.argsort(last, kind="stable")
    return [handles[k] for k in order], [labels[k] for k in order]


def _title_panel(ax, panel, curves):
    """Write the class above its panel, and below it the error of each model that is drawn."""
    title, value = plain(panel), error_in_words(curves)
    if value is not None:
        drawn = ax.get_title().partition("\n")
        title = f"{drawn[0]}\n{drawn[2]}, {value[6:]}" if drawn[2] else f"{title}\n{value}"
    ax.set_title(title, fontsize="small" if value else "medium")


def _share_counts(below):
    """Give the counts of all panels one scale."""
    top = max(one.get_ylim()[1] for one in below)
    for one in below:
        one.set_ylim(top=top)
