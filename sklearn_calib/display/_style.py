"""Shared parts of the displays: axes, colours, and text without Matplotlib's markup.

The colours are those of Okabe and Ito, which colour-blind readers can distinguish. They are
ordered so that neighbours differ in lightness, and each has its own marker and line style, which
helps in greyscale.
"""

import textwrap

import numpy as np

from .._utils.results import one_line

COLORS = ("#0072B2", "#E69F00", "#D55E00", "#56B4E9", "#009E73", "#CC79A7")
MARKERS = ("o", "s", "^", "D", "v", "P")
LINESTYLES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))

LEGEND = {
    "fontsize": "small",
    "framealpha": 0.75,
    "edgecolor": "none",
    "handlelength": 1.3,
    "handletextpad": 0.6,
}
_COUNTS_LABEL = "reliability counts"
# Shares of the height of the axes: that of the counts, and of what is empty above them.
_COUNTS_SHARE, _COUNTS_GAP = 0.27, 0.035
ABOVE, BELOW, NEUTRAL = "#D55E00", "#0072B2", "#767676"


def curve_style(number):
    """Return colour, marker and line style of the curve with this number."""
    return {
        "color": COLORS[number % len(COLORS)],
        "marker": MARKERS[number % len(MARKERS)],
        "linestyle": LINESTYLES[number % len(LINESTYLES)],
    }


def merge_style(default, user, artist):
    """Return the default style overridden by the user's, whose keys may be aliases, such as ``lw``.

    `artist` is the type that the style is for.
    """
    from matplotlib.cbook import normalize_kwargs

    return {**default, **normalize_kwargs(user or {}, artist)}


def check_axes(ax):
    """Return axes as a flat array of objects, or raise if something else is among them."""
    from matplotlib.axes import Axes

    axes = np.array(ax, dtype=object).ravel()
    wrong = [one for one in axes if not isinstance(one, Axes)]
    if wrong or not axes.size:
        raise TypeError(
            f"ax must be a Matplotlib Axes, an array of Axes or None, got {ax!r}. Make one with "
            "figure, ax = matplotlib.pyplot.subplots()."
        )
    return axes


def get_axes(ax, n_panels=1, *, panel_size=(4.8, 4.8)):
    """Return the figure and an array of axes to draw on, one per panel.

    None makes a new figure, whose panels have the given width and height in inches. One Axes for
    several panels is divided into a grid.
    """
    n_columns = _count_columns(n_panels)
    n_rows = -(-n_panels // n_columns)
    if ax is None or (np.size(ax) == 1 and n_panels > 1):
        figure, grid = make_grid(ax, (n_rows, n_columns), panel_size, n_panels)
        axes = grid.subplots(squeeze=False)
    else:
        axes = check_axes(ax)
        if axes.size != n_panels:
            raise ValueError(f"ax must be {n_panels} Axes, one per panel, got {axes.size}.")
        figure = axes.flat[0].figure
    for unused in axes.flat[n_panels:]:
        unused.remove()
    return figure, axes.ravel()[:n_panels]


def make_grid(ax, shape, panel_size, n_axes):
    """Return a figure and a grid of some rows and columns, which takes the place of `ax` if given.

    `panel_size` is that of a panel of a new figure in inches; the message for Axes that cannot be
    divided asks for `n_axes` of them.
    """
    n_rows, n_columns = shape
    if ax is None:
        import matplotlib.pyplot as plt

        size = (panel_size[0] * n_columns, panel_size[1] * n_rows)
        figure = plt.figure(figsize=size, layout="constrained")
        return figure, figure.add_gridspec(n_rows, n_columns)
    ax = check_axes(ax)[0]
    if ax.get_subplotspec() is None:
        raise ValueError(
            f"ax must be {n_axes} Axes, or one that belongs to a grid (plt.subplots) and can be "
            "divided; got an Axes that was placed freely."
        )
    ax.set_axis_off()
    return ax.figure, ax.get_subplotspec().subgridspec(n_rows, n_columns)


def _count_columns(n_panels):
    """Return the columns of a grid that is nearly square and has few empty places."""
    least = int(np.ceil(np.sqrt(n_panels)))
    return min((least, least + 1), key=lambda n: (-n_panels % n, n))


def label_outer(axes, below):
    """Keep labels and numbers of panels with the same limits at the left and lower side of a grid.

    Parameters
    ----------
    axes, below : sequence of Axes
        The panels, and the axes below each panel or None.
    """
    n_columns = _count_columns(len(axes))
    for k, (ax, lower) in enumerate(zip(axes, below)):
        own = [ax] if lower is None else [ax, lower]
        if k % n_columns > 0:
            for one in own:
                one.set_ylabel("")
                one.tick_params(labelleft=False)
        if k + n_columns < len(axes):
            own[-1].set_xlabel("")
            own[-1].tick_params(labelbottom=False)


def plain(text, width=24):
    """Return a label as one line of at most `width` characters, without Matplotlib's markup.

    A whole number stored as float, as labels often are, loses its ".0".
    """
    if isinstance(text, float) and text.is_integer():
        text = int(text)
    text = one_line(text)
    if len(text) > width:
        text = text[: width - 1].rstrip() + "…"
    return text.replace("$", r"\$")


def wrap(text, width=30):
    """Break a long axis label into lines."""
    return textwrap.fill(text, width, break_long_words=False)


class _UpperPart:
    """Axes locator that leaves the lower part of the area to other axes."""

    def __init__(self, ax, share):
        self.share = share
        self.inner = ax.get_axes_locator()
        self.get_subplotspec = ax.get_subplotspec  # tight layouts ask the locator for it

    def __call__(self, ax, renderer):
        from matplotlib.transforms import Bbox

        box = self.inner(ax, renderer) if self.inner else ax.get_position(original=True)
        return Bbox.from_extents(box.x0, box.y0 + self.share * box.height, box.x1, box.y1)


def counts_axes(ax):
    """Return axes for counts below `ax`, inside its area; every call returns the same axes.

    The new axes are a child of `ax`, so layouts and `ax.remove()` treat both as one.
    """
    from matplotlib.ticker import EngFormatter, MaxNLocator

    for child in ax.child_axes:
        if child.get_label() == _COUNTS_LABEL:
            return child
    ax.set_axes_locator(_UpperPart(ax, _COUNTS_SHARE))
    scale = 1.0 / (1.0 - _COUNTS_SHARE)
    place = (0.0, -_COUNTS_SHARE * scale, 1.0, (_COUNTS_SHARE - _COUNTS_GAP) * scale)
    below = ax.inset_axes(place, sharex=ax, label=_COUNTS_LABEL)
    ax.tick_params(labelbottom=False)
    below.yaxis.set_major_locator(MaxNLocator(2, integer=True))
    below.yaxis.set_major_formatter(EngFormatter(sep=""))
    return below
