"""How often each null distribution rejects calibrated predictions at level 5 %."""

import numpy as np
from scipy.stats import binom

from sklearn_calib import check_calibration

from ._shapes import SHAPES, draw

LEVEL = 0.05
NULLS = ("simulation", "permutation", "wild")


def rejection_rate(shape, n, local, null, n_repeats, n_resamples=199, options=None):
    """Return the share of calibrated data sets that are rejected.

    Every null sees the same data sets: repeat r of a shape depends on r alone.
    """
    rejected = 0
    for repeat in range(n_repeats):
        rng = np.random.default_rng([repeat, n])
        X, proba = SHAPES[shape](rng, n)
        y, labels = draw(rng, proba)
        result = check_calibration(
            y,
            proba,
            X if local else None,
            null=null,
            n_resamples=n_resamples,
            labels=labels,
            random_state=rng,
            **(options or {}),
        )
        rejected += result.pvalue <= LEVEL
    return rejected / n_repeats


def bounds(n_repeats, confidence=0.999):
    """Return the rates between which an exact test falls with this probability."""
    tail = (1 - confidence) / 2
    return tuple((binom.ppf([tail, 1 - tail], n_repeats, LEVEL) / n_repeats).tolist())


def run(quick=False):
    n_repeats = 50 if quick else 1000
    low, high = bounds(n_repeats)
    rows = []
    for shape in SHAPES:
        for n in (50, 200):
            for statistic, local in (("klce", True), ("skce", False)):
                row = {"shape": shape, "n": n, "statistic": statistic, "repeats": n_repeats}
                for null in NULLS:
                    row[null] = rejection_rate(shape, n, local, null, n_repeats)
                row |= {"low": low, "high": high, "simulation ok": bool(row["simulation"] <= high)}
                print(row, flush=True)
                rows.append(row)
    return rows


def plot(rows, path):
    from matplotlib.figure import Figure

    style = {
        "simulation": {"marker": "o", "color": "#0072b2", "zorder": 3},
        "permutation": {"marker": "s", "color": "#d55e00", "facecolor": "none"},
        "wild": {"marker": "^", "color": "#009e73", "facecolor": "none"},
    }
    figure = Figure(figsize=(9, 7), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey=True)
    names = list(dict.fromkeys(row["shape"] for row in rows))[::-1]
    for line, statistic in zip(axes, ("klce", "skce")):
        for ax, n in zip(line, (50, 200)):
            chosen = {r["shape"]: r for r in rows if (r["n"], r["statistic"]) == (n, statistic)}
            first = chosen[names[0]]
            ax.axvspan(100 * first["low"], 100 * first["high"], color="0.9", zorder=0)
            ax.axvline(100 * LEVEL, color="0.5", linewidth=1, zorder=0)
            for null in NULLS:
                rates = [100 * chosen[name][null] for name in names]
                marks = dict(style[null])
                if marks.pop("facecolor", None):
                    marks |= {"facecolors": "none", "edgecolors": marks.pop("color")}
                ax.scatter(rates, range(len(names)), s=45, label=null, **marks)
            ax.set_title(f"{statistic}, n = {n}")
            ax.set_yticks(range(len(names)), names)
            ax.grid(axis="y", color="0.93")
            ax.set_axisbelow(True)
    for ax in axes[1]:
        ax.set_xlabel("calibrated data sets rejected at 5 % (%)")
    axes[0, 0].legend(loc="lower right")
    figure.savefig(path, dpi=120)
