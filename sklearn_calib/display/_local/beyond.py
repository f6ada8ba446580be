"""Mark the rows that lie beyond the axes of a picture."""

import numpy as np

from .._style import NEUTRAL

_SIDES = {"left": (0, -1, "<"), "right": (0, 1, ">"), "bottom": (1, -1, "v"), "top": (1, 1, "^")}


def draw_beyond(ax, horizontal, vertical, view):
    """Draw a small arrow on the frame for each row that lies beyond it.

    `view` holds the limits of both axes. The result has the arrows on the "left", "right", "bottom"
    and "top", as far as there are any; a row in a corner is beyond the left or the right.
    """
    at = np.array([horizontal, vertical], dtype=float)
    low, high = np.array(view, dtype=float)[:, :, None].transpose(1, 0, 2)
    side = (at > high).astype(int) - (at < low)
    side[1, side[0] != 0] = 0
    arrows = {}
    for name, (axis, sign, marker) in _SIDES.items():
        own = side[axis] == sign
        if own.any():
            x, y = np.clip(at, low, high)[:, own]
            style = {"color": NEUTRAL, "marker": marker, "markersize": 4, "linestyle": "none"}
            (arrows[name],) = ax.plot(x, y, clip_on=False, zorder=4, **style)
    return arrows


def count_beyond(arrows, n_rows):
    """Return a line of text with the number of rows beyond the axes; empty without any."""
    n = sum(len(one.get_xdata()) for one in arrows.values())
    return f"{n:,} of {n_rows:,} rows beyond the axes" if n else ""
