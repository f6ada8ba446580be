"""Place the legend of a diagram where it covers no data."""

import numpy as np

from .._style import LEGEND

# Width of a panel in inches below which the legend shrinks.
_SMALL = 2.6
_CORNERS = {
    "upper left": (0, 1),
    "lower right": (1, 0),
    "upper right": (1, 1),
    "lower left": (0, 0),
}


def place_legend(ax, handles, labels):
    """Draw the legend in a corner without data; if there is none, make room above the data.

    The limits of the axes must be set. Without labels there is no legend.
    """
    if not labels:
        return
    width = ax.get_window_extent().width / ax.figure.dpi
    small = {"fontsize": "x-small", "borderaxespad": 0.2} if width < _SMALL else {}
    options = {**LEGEND, **small}
    legend = ax.legend(handles, labels, loc="upper left", **options)
    area, box = ax.get_window_extent(), legend.get_window_extent()
    size = np.array([box.width / area.width, box.height / area.height])
    inside = {
        corner: _count_points(ax, np.array(at), np.minimum(1.15 * size + 0.03, 1.0))
        for corner, at in _CORNERS.items()
    }
    corner = min(inside, key=lambda one: inside[one])
    if inside[corner] > 0:
        corner = "upper left"
        _raise_top(ax, min(size[1] + 0.06, 0.8))
    ax.legend(handles, labels, loc=corner, **options)


def _count_points(ax, at, size):
    """Return how many drawn points lie in the part of this size in a corner of the axes."""
    points = [np.column_stack(_along(*line.get_data(orig=False))) for line in ax.lines[1:]]
    for collection in ax.collections:
        points += [path.vertices for path in collection.get_paths()]
    xy = ax.transAxes.inverted().transform(ax.transData.transform(np.vstack(points)))
    xy = xy[np.isfinite(xy).all(axis=1)]
    return np.count_nonzero((np.abs(xy - at) <= size).all(axis=1))


def _along(x, y):
    """Return points along a polyline, eight to a segment, its corners included."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if x.size < 2:
        return x, y
    place = np.linspace(0, x.size - 1, 8 * (x.size - 1) + 1)
    corner = np.arange(x.size)
    return np.interp(place, corner, x), np.interp(place, corner, y)


def _raise_top(ax, share):
    """Raise the upper limit so that this share of the height is above what was shown."""
    forth = ax.yaxis.get_transform()
    low, high = forth.transform(np.array(ax.get_ylim()))
    raise_to(ax, forth.inverted().transform(np.array([low + (high - low) / (1.0 - share)]))[0])


def raise_to(ax, raised):
    """Raise the upper limit, without ticks above the old one."""
    bottom, top = ax.get_ylim()
    ax.set_yticks([tick for tick in ax.get_yticks() if bottom <= tick <= top])
    ax.set_ylim(bottom, raised)
