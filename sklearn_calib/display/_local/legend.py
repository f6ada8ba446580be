"""Say in words what a picture of the local bias shows."""

import numpy as np

from .._style import LEGEND, plain
from .points import SIGNS

# Labels of an event that need not be named: a rate is that of the event.
_UNNAMED = (1, "1")


def in_words(event):
    """Return the label of an axis that shows the local bias of an event."""
    of = "" if event is None or event in _UNNAMED else f" of {plain(event)}"
    return f"Observed − predicted rate{of}\n← predicted too high   too low →"


def draw_colorbar(ax, surface, bias, event):
    """Draw the scale of a map, with pointed ends if any bias is beyond it, and return it."""
    extend = "both" if np.abs(bias).max() > surface.norm.vmax else "neither"
    look = {"label": in_words(event), "pad": 0.03, "aspect": 30}
    return ax.figure.colorbar(surface, ax=ax, extend=extend, **look)


def draw_legend(ax, regions):
    """Draw the legend above the axes, whose artists have labels.

    `regions` are the hatched regions of a map, or None, by the sign of the bias.
    """
    from matplotlib.patches import Patch

    handles, labels = ax.get_legend_handles_labels()
    for sign, _, _, meaning in SIGNS:
        if regions.get(sign) is not None:
            hatch = regions[sign].hatches[0]
            handles.append(Patch(facecolor="none", edgecolor="0.2", hatch=hatch))
            labels.append(meaning)
    if labels:
        place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
        n_columns = 2 if len(labels) > 3 else len(labels)
        ax.legend(handles, labels, columnspacing=1.2, ncols=n_columns, **place, **LEGEND)
