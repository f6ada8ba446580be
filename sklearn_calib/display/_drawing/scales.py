"""The scale of the axes of a reliability diagram: linear, square root or logarithmic."""

import numpy as np

SCALES = ("auto", "linear", "sqrt", "log")
# "auto" spreads small probabilities if this share of the rows is below this probability.
_SHARE, _RARE = 0.9, 0.1
# Room for a number on an axis, and for each of its digits, in inches.
_GAP, _DIGIT = 0.12, 0.1


def set_scale(ax, scale, curves):
    """Set the scale and the limits of one panel.

    A panel that has a scale other than linear keeps it with "auto", so that curves on top of each
    other agree. `curves` are the stored arrays of all panels.
    """
    if scale == "auto":
        scale = "sqrt" if ax.get_xscale() == "function" or _are_rare(curves) else "linear"
    if scale == "linear":
        ax.set(xscale="linear", yscale="linear", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        return
    shown = ("prob_pred", "prob_true", "lower", "upper")
    values = np.concatenate([c[key] for c in curves for key in shown if c[key] is not None])
    top = min(1.02, 1.05 * values.max(initial=1e-3))
    if ax.get_xscale() != "linear":
        top = max(top, ax.get_xlim()[1])
    if scale == "sqrt":
        look = {"functions": (_signed_sqrt, _signed_square)}
        ax.set_xscale("function", **look)
        ax.set_yscale("function", **look)
        ax.set(xlim=(-1e-4 * top, top), ylim=(-1e-4 * top, top))
        for axis, side in ((ax.xaxis, "width"), (ax.yaxis, "height")):
            inches = getattr(ax.get_window_extent(), side) / ax.figure.dpi
            _set_ticks(axis, top, inches)
    else:
        low = 0.7 * values[values > 0].min(initial=0.1)
        if ax.get_xscale() == "log":
            low = min(low, ax.get_xlim()[0])
        ax.set(xscale="log", yscale="log", xlim=(low, top), ylim=(low, top))


def _set_ticks(axis, top, inches):
    """Set round numbers as ticks of a square root axis, far enough from each other to be read."""
    series = (m * 10.0**k for k in range(-6, 1) for m in (1, 2, 5))
    room = _GAP + _DIGIT * len(f"{10 ** np.floor(np.log10(top) - 1):g}")
    ticks, least = [0.0], min(room / inches, 1.0) * np.sqrt(top)
    for tick in sorted(series, reverse=True):  # large ones first, which need less room
        above = np.inf if len(ticks) == 1 else np.sqrt(ticks[-1])
        if tick <= top and least < np.sqrt(tick) < above - least:
            ticks.append(tick)
    axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])


def _are_rare(curves):
    """Return whether nearly all rows have a small predicted probability."""
    count = np.concatenate([curve["count"] for curve in curves])
    p = np.concatenate([curve["prob_pred"] for curve in curves])
    return count[p < _RARE].sum() >= _SHARE * count.sum() > 0


def _signed_sqrt(values):
    return np.sign(values) * np.sqrt(np.abs(values))


def _signed_square(values):
    return np.sign(values) * np.square(values)
