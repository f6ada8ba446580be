"""Axes for a monitor: pairs of panels above each other, and periods as places in time."""

import re

import numpy as np

from .._style import check_axes, make_grid

_DATE = re.compile(r"\d{4}-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?)?")
_PANEL_SIZE, _SINGLE_SIZE = (3.6, 3.7), (6.4, 5.0)
_HEIGHTS = (1.3, 1.0)
_MOST_TICKS = 5


def monitor_axes(ax, n_panels):
    """Return the figure and the axes of each panel, the upper one and the lower one.

    None makes a new figure, and one Axes is divided.
    """
    n_columns = int(np.ceil(np.sqrt(n_panels)))
    n_rows = -(-n_panels // n_columns)
    if ax is not None and np.size(ax) != 1:
        axes = check_axes(ax)
        if axes.size != 2 * n_panels:
            raise ValueError(
                f"ax must be {2 * n_panels} Axes, two for each of the {n_panels} panels, or one, "
                f"which is divided, got {axes.size}."
            )
        return axes[0].figure, axes.reshape(n_panels, 2)
    size = _SINGLE_SIZE if n_panels == 1 else _PANEL_SIZE
    figure, grid = make_grid(ax, (n_rows, n_columns), size, 2 * n_panels)
    axes = np.empty((n_panels, 2), dtype=object)
    for panel in range(n_panels):
        cell = grid[divmod(panel, n_columns)].subgridspec(2, 1, height_ratios=_HEIGHTS, hspace=0.08)
        for part in range(2):
            shared = axes[0, 0] if panel or part else None
            axes[panel, part] = figure.add_subplot(cell[part], sharex=shared)
    return figure, axes


def time_axis(period):
    """Return the place of each period, and the text of the ticks where these are no numbers.

    Periods are numbers, or text, all of which may be dates in the ISO format. Other text has the
    places 0, 1, ...
    """
    values = list(period)
    if not any(isinstance(one, str) for one in values):
        return np.asarray(values), None
    if all(_DATE.fullmatch(str(one)) for one in values):
        return np.array(values, dtype="datetime64[us]"), None
    return np.arange(len(values)), [str(one) for one in values]


def label_panels(axes, place, ticks, what, *, grid):
    """Name the axes, and put ticks at periods; only the lower axes of a panel show them.

    `place` and `ticks` come from `time_axis`, `what` is what the lower axes show, and in a `grid`
    only the axes at the left side have names.
    """
    n_columns = int(np.ceil(np.sqrt(len(axes)))) if grid else 1
    for panel, (upper, lower) in enumerate(axes):
        _put_ticks(lower, place, ticks)
        for ax in (upper, lower):
            ax.spines[["top", "right"]].set_visible(False)
        upper.tick_params(labelbottom=False)
        if panel % n_columns == 0:
            upper.set_ylabel("e-value")
            lower.set_ylabel(what.replace(" − ", "\n− "))
        if not lower.collections[0].get_segments():  # all classes together have no gap
            lower.set_axis_off()
            upper.tick_params(labelbottom=True)


def _put_ticks(ax, place, ticks):
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
    from matplotlib.ticker import MaxNLocator

    if place.dtype.kind == "M":
        locator = AutoDateLocator(minticks=3, maxticks=_MOST_TICKS + 1)
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))
    elif ticks is None:
        ax.xaxis.set_major_locator(MaxNLocator(_MOST_TICKS, integer=True))
        ax.set_xlabel("period")
    else:
        step = -(-len(ticks) // _MOST_TICKS)
        ax.set_xticks(place[::step], ticks[::step])
    if place.size == 1:
        width = np.timedelta64(1, "D") if place.dtype.kind == "M" else 1
        ax.set_xlim(place[0] - width, place[0] + width)
