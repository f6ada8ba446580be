"""Draw the curves of a reliability diagram: points, intervals, counts, labels and legend."""

from typing import Any

import numpy as np

from .._data.arrays import check_same_length
from ._style import LEGEND, curve_style, merge_style, plain, wrap

# The arrays of a diagram that hold one entry per curve.
EACH = ("prob_true", "prob_pred", "count", "bin_edges", "lower", "upper", "ece")
_CURVE_ID = "reliability curve"
# Width of a panel in inches below which the legend shrinks.
_SMALL = 2.6


def stored_curves(display):
    """Return the stored arrays of a display as one dict per curve."""
    prob_true, n_curves = display.prob_true, None
    if isinstance(prob_true, list | tuple) and np.ndim(prob_true[:1]) > 1:
        n_curves = len(prob_true)
    curves = []
    for k in range(1 if n_curves is None else n_curves):
        curve: dict[str, Any] = {}
        for key in EACH:
            stored = getattr(display, key)
            one = stored[k] if n_curves is not None and stored is not None else stored
            curve[key] = None if one is None else np.asarray(one)
        check_same_length(**{key: curve[key] for key in EACH[:-1] if curve[key] is not None})
        if curve["bin_edges"] is None:
            middle = (curve["prob_pred"][1:] + curve["prob_pred"][:-1]) / 2
            edges = np.concatenate([[0.0], middle, [1.0]])
            curve["bin_edges"] = np.column_stack([edges[:-1], edges[1:]])
        curves.append(curve)
    return curves


def draw_curves(display, ax, counts_ax, curves, label, first, styles):
    """Draw the curves of one panel and return their artists, one dict per curve."""
    from matplotlib.lines import Line2D

    number = sum(line.get_gid() == _CURVE_ID for line in ax.lines)
    if number == 0:
        style = {"color": "0.25", "linestyle": ":", "linewidth": 1.2, "zorder": 1}
        if display.interval != "consistency" and first:
            style["label"] = "perfectly calibrated"
        ax.plot([0, 1], [0, 1], **merge_style(style, styles["reference"], Line2D))
    faint = 1.0 if len(curves) == 1 else len(curves) ** -0.5
    look = {**curve_style(number), "markersize": 4.5, "linewidth": 1.5, "zorder": 3}
    if len(curves) > 1:
        look |= {"alpha": 0.6, "markersize": 3, "linewidth": 1}
    look = merge_style(look, styles["line"], Line2D)
    drawn = []
    for rank, curve in enumerate(curves):
        own = {"label": label, "gid": _CURVE_ID} if rank == 0 else {}
        line, step = _draw_line(ax, display.strategy, curve, {**own, **look})
        drawn.append({"line_": line, "step_": step, "interval_": None, "bars_": None})
        color = line.get_color()
        if display.interval is not None:
            drawn[-1]["interval_"] = _draw_interval(
                display, ax, curve, color, faint, first and rank == 0, styles["interval"]
            )
        if counts_ax is not None:
            style = {"facecolor": color, "alpha": 0.45 * faint, "edgecolor": "white"}
            if number > 0:
                style = {"facecolor": "none", "edgecolor": color, "linewidth": 1.2}
            drawn[-1]["bars_"] = _draw_counts(counts_ax, curve, style, styles["histogram"])
    return drawn


def _draw_line(ax, strategy, curve, style):
    """Draw the points; of an isotonic regression also the steps through them."""
    step = None
    if strategy == "isotonic":
        flat = {**style, "marker": "none", "gid": None, "label": None}
        (step,) = ax.plot(curve["bin_edges"].ravel(), np.repeat(curve["prob_true"], 2), **flat)
        style = {**style, "linestyle": "none", "markersize": 0.75 * style["markersize"]}
    (line,) = ax.plot(curve["prob_pred"], curve["prob_true"], **style)
    return line, step


def _draw_interval(display, ax, curve, color, faint, labelled, user_style):
    """Draw the interval at each bin, and for consistency a band through them."""
    from matplotlib.collections import LineCollection

    width = 1.5 if display.strategy == "isotonic" or faint < 1.0 else 3.0
    style = {"color": color, "linewidth": width, "alpha": 0.35 * faint, "zorder": 2}
    if labelled:
        share = f"{100 * (1 - display.alpha):g} %"
        consistency = display.interval == "consistency"
        style["label"] = f"{share} if calibrated" if consistency else f"{share} interval"
    style = merge_style(style, user_style, LineCollection)
    limits = curve["prob_pred"], curve["lower"], curve["upper"]
    if display.interval == "consistency":
        ax.fill_between(*limits, color=color, alpha=0.4 * style["alpha"], linewidth=0, zorder=2)
    return ax.vlines(*limits, **style)


def label_curves(name, curves):
    """Return the legend entry of the curves of one panel."""
    errors = [curve["ece"] for curve in curves if curve["ece"] is not None]
    value = f"ECE = {np.mean(errors):.3f}" if errors else None
    if value is not None and len(errors) > 1:
        value += f" ± {np.std(errors):.3f}"
    if name is None:
        return value
    return plain(name) if value is None else f"{plain(name)}\n{value}"


def label_axes(display, ax, counts_ax, curves):
    """Name the axes of one panel, set their limits and draw the legend."""
    if display.target == "confidence":
        xlabel, ylabel = "Confidence (largest probability)", "Accuracy"
    else:
        xlabel, ylabel = "Predicted probability", "Observed rate"
        if display.pos_label is not None:
            xlabel = wrap(f"{xlabel} of {plain(display.pos_label)}")
    ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    if counts_ax is not None:
        ax.xaxis.label.set_visible(False)
        whole = curves[0]["count"].dtype.kind in "iu"
        counts_ax.set(xlabel=xlabel, ylabel="Count" if whole else "Weight")
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        above = sum(np.mean(curve["prob_true"] - curve["prob_pred"]) for curve in curves) > 0
        place = "lower right" if above else "upper left"
        ax.legend(handles, labels, loc=place, **{**LEGEND, **_small_legend(ax)})


def _small_legend(ax):
    """Return the style of a legend that leaves room for the curve in a small panel."""
    width = ax.get_window_extent().width / ax.figure.dpi
    return {"fontsize": "x-small", "borderaxespad": 0.2} if width < _SMALL else {}


def _draw_counts(ax, curve, style, user_style):
    """Draw the number of rows in each bin over the width of the bin."""
    from matplotlib.patches import Rectangle

    left, right = curve["bin_edges"].T
    width = np.maximum(right - left, 0.004)
    style = merge_style({"linewidth": 0.5, **style}, user_style, Rectangle)
    return ax.bar(left, curve["count"], width, align="edge", **style)
