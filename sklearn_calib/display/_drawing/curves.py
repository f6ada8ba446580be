"""Draw the curves of a reliability diagram: points, intervals, counts, labels and legend."""

from typing import Any

import numpy as np

from ..._data.arrays import check_same_length
from ..._utils.options import check_option, check_real, shorten
from ..._utils.results import decimals_of
from .._curves import FEW
from .._style import curve_style, merge_style, plain, wrap
from .stored import stored_numbers

# The arrays of a diagram that hold one entry per bin of each curve, and those per curve.
_PER_BIN = ("prob_true", "prob_pred", "count", "bin_edges", "lower", "upper", "few")
EACH = (*_PER_BIN, "ece", "isotonic")
CURVE_ID = "reliability curve"

_DIMENSIONS = {"bin_edges": 2, "isotonic": 2}
_OPTIONS = {
    "interval": ("consistency", "clopper-pearson"),
    "strategy": ("uniform", "quantile", "isotonic"),
    "target": ("binary", "confidence", "classwise"),
}


def stored_curves(display):
    """Return the class of each panel, and the stored arrays as one dict per curve."""
    check_real(display.alpha, "alpha", below=1.0)
    for name, allowed in _OPTIONS.items():
        if getattr(display, name) is not None:
            check_option(getattr(display, name), name, allowed)
    prob_true, n_curves = display.prob_true, None
    if isinstance(prob_true, list | tuple) and np.ndim(prob_true[:1]) > 1:
        n_curves = len(prob_true)
    curves = []
    for k in range(1 if n_curves is None else n_curves):
        curve: dict[str, Any] = {}
        for key in EACH:
            stored = getattr(display, key)
            one = stored[k] if n_curves is not None and stored is not None else stored
            curve[key] = None if one is None else stored_numbers(one, key)
            if key != "ece" and one is not None and curve[key].ndim != _DIMENSIONS.get(key, 1):
                raise ValueError(
                    f"{key} must have {_DIMENSIONS.get(key, 1)} dimensions for each curve, got an "
                    f"array of shape {curve[key].shape}."
                )
        check_same_length(**{key: curve[key] for key in _PER_BIN if curve[key] is not None})
        if curve["few"] is None:
            whole = curve["count"].dtype.kind in "iu"
            curve["few"] = curve["count"] < FEW if whole else np.zeros(curve["count"].shape, bool)
        if curve["bin_edges"] is None:
            middle = (curve["prob_pred"][1:] + curve["prob_pred"][:-1]) / 2
            edges = np.concatenate([[0.0], middle, [1.0]])
            curve["bin_edges"] = np.column_stack([edges[:-1], edges[1:]])
        curves.append(curve)
    panels = [None] if display.panels is None else display.panels
    listed = isinstance(panels, list | tuple | np.ndarray) and len(panels) > 0
    if not listed or len(curves) % len(panels):
        raise ValueError(
            f"panels must be a list of classes among which the {len(curves)} curves are divided, "
            f"got {shorten(panels)}."
        )
    return panels, curves


def draw_curves(display, ax, counts_ax, curves, label, first, styles):
    """Draw the curves of one panel and return their artists, one dict per curve."""
    from matplotlib.lines import Line2D

    number = sum(line.get_gid() == CURVE_ID for line in ax.lines)
    if number == 0:
        style = {"color": "0.25", "linestyle": ":", "linewidth": 1.2, "zorder": 1}
        if display.interval != "consistency" and first:
            style["label"] = "perfectly calibrated"
        # many points, so that the diagonal is also drawn on a logarithmic scale
        diagonal = np.concatenate([[0.0], np.geomspace(1e-9, 1.0, 50)])
        ax.plot(diagonal, diagonal, **merge_style(style, styles["reference"], Line2D))
    labelled = first and (number == 0 or display.interval != "consistency")
    faint = 1.0 if len(curves) == 1 else len(curves) ** -0.5
    look = {**curve_style(number), "markersize": 4.5, "linewidth": 1.5, "zorder": 3}
    if len(curves) > 1:
        look |= {"alpha": 0.6, "markersize": 3, "linewidth": 1}
    look = merge_style(look, styles["line"], Line2D)
    drawn = []
    for rank, curve in enumerate(curves):
        own = {"label": label, "gid": CURVE_ID} if rank == 0 else {}
        drawn.append(_draw_line(ax, display.strategy, curve, look, own, len(curves) == 1))
        drawn[-1] |= {"interval_": None, "bars_": None}
        color = drawn[-1]["line_"].get_color()
        if display.interval is not None:
            drawn[-1]["interval_"] = _draw_interval(
                display, ax, curve, color, faint, labelled and rank == 0, styles["interval"]
            )
        if counts_ax is not None:
            style = {"facecolor": color, "alpha": 0.45 * faint, "edgecolor": "white"}
            if number > 0:
                style = {"facecolor": "none", "edgecolor": color, "linewidth": 1.2}
            drawn[-1]["bars_"] = _draw_counts(counts_ax, curve, style, styles["histogram"])
    return drawn


def _draw_line(ax, strategy, curve, look, own, alone):
    """Draw the points and the line of one curve.

    The line is the isotonic regression of a curve that is alone in its panel; otherwise it runs
    through the points that have enough rows.
    """
    few, x, y = curve["few"], curve["prob_pred"], curve["prob_true"]
    blocks = strategy == "isotonic"
    if blocks:
        few = np.zeros(x.shape, bool)
        corners = curve["bin_edges"].ravel(), np.repeat(y, 2)
    elif curve["isotonic"] is not None and alone:
        corners = curve["isotonic"].T
    else:
        corners = x[~few], y[~few]
    (step,) = ax.plot(*corners, **{**look, "marker": "none"})
    points = {**look, "linestyle": "none"}
    if blocks:
        points["markersize"] = 0.75 * points["markersize"]
    # the line object holds all points, and shows those with enough rows
    (line,) = ax.plot(x, y, **{**points, **own}, markevery=np.flatnonzero(~few).tolist())
    hollow = {"markerfacecolor": "white", "alpha": 0.5, "zorder": 2.5}
    (sparse,) = ax.plot(x[few], y[few], **{**points, **hollow})
    return {"line_": line, "few_": sparse, "step_": step}


def _draw_interval(display, ax, curve, color, faint, labelled, user_style):
    """Draw the interval at each bin, and for consistency a band through them."""
    from matplotlib.collections import LineCollection

    isotonic = display.strategy == "isotonic"
    width = 1.2 if isotonic or faint < 1.0 else 2.2
    enough = np.ones(curve["few"].shape, bool) if isotonic else ~curve["few"]
    width = np.where(enough, width, 0.3 * width)
    style = {"color": color, "linewidth": width, "alpha": 0.35 * faint, "zorder": 2}
    if labelled:
        share = f"{100 * (1 - display.alpha):g} %"
        consistency = display.interval == "consistency"
        style["label"] = f"{share} if calibrated" if consistency else f"{share} interval"
    style = merge_style(style, user_style, LineCollection)
    limits = curve["prob_pred"], curve["lower"], curve["upper"]
    if display.interval == "consistency":  # a band only between neighbours with enough rows
        shade = {"color": color, "alpha": 0.4 * style["alpha"], "linewidth": 0, "zorder": 2}
        ax.fill_between(*limits, where=enough, **shade)
    return ax.vlines(*limits, **style)


def label_curves(name, curves):
    """Return the legend entry of the curves of one panel."""
    value = error_in_words(curves)
    if name is None:
        return value
    return plain(name) if value is None else f"{plain(name)}\n{value}"


def error_in_words(curves):
    """Return the error of the curves of one panel, or its mean and spread; None if not known."""
    errors = [curve["ece"] for curve in curves if curve["ece"] is not None]
    if not errors:
        return None
    decimals = decimals_of(np.mean(errors))
    spread = f" ± {np.std(errors):.{decimals}f}" if len(errors) > 1 else ""
    return f"ECE = {np.mean(errors):.{decimals}f}{spread}"


def label_axes(display, ax, counts_ax, curves):
    """Name the axes of one panel."""
    if display.target == "confidence":
        xlabel, ylabel = "Confidence (largest probability)", "Accuracy"
    else:
        xlabel, ylabel = "Predicted probability", "Observed rate"
        if display.pos_label is not None:
            xlabel = wrap(f"{xlabel} of {plain(display.pos_label)}")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if counts_ax is not None:
        ax.xaxis.label.set_visible(False)
        whole = curves[0]["count"].dtype.kind in "iu"
        counts_ax.set(xlabel=xlabel, ylabel="Count" if whole else "Weight")


def _draw_counts(ax, curve, style, user_style):
    """Draw the number of rows in each bin over the width of the bin."""
    from matplotlib.patches import Rectangle

    left, right = curve["bin_edges"].T
    width = np.maximum(right - left, 0.004 * curve["prob_pred"].max(initial=0.0))
    style = merge_style({"linewidth": 0.5, **style}, user_style, Rectangle)
    return ax.bar(left, curve["count"], width, align="edge", **style)
