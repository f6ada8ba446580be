"""How often asymptotic forms of the statistics reject calibrated predictions at level 5 %."""

import numpy as np

from sklearn_calib import check_calibration

from ._shapes import SHAPES, draw
from .level_study import LEVEL, bounds

STATISTICS = {
    "spiegelhalter": ("spiegelhalter", {}),
    "hosmer_lemeshow": ("hosmer_lemeshow", {}),
    "pigeon_heyse": ("pigeon_heyse", {}),
    "cox_likelihood_ratio": ("cox_likelihood_ratio", {}),
    "ks": ("ks", {}),
    "kuiper": ("kuiper", {}),
    "standardized_skce": ("standardized_skce", {}),
    "skce, linear": ("skce", {"estimator": "ul"}),
    "skce, blocks of 5": ("skce", {"estimator": "block", "block_size": 5}),
}
SIZES = (20, 50, 500, 5000)


def rejection_rate(shape, n, name, n_repeats, null="asymptotic", n_resamples=99):
    """Return the share of calibrated data sets that a statistic rejects.

    Every statistic sees the same data sets: repeat r of a shape depends on r alone. A data set on
    which the asymptotic form does not exist is not rejected.
    """
    statistic, params = STATISTICS.get(name, (name, {}))
    rejected = 0
    for repeat in range(n_repeats):
        proba, y, labels = data_set(shape, n, repeat)
        try:
            result = check_calibration(
                y,
                proba,
                statistic=statistic,
                statistic_params=params,
                null=null,
                labels=labels,
                n_resamples=n_resamples,
                random_state=repeat,
            )
        except ValueError as error:
            if "n too small" not in str(error):
                raise
            continue
        rejected += result.pvalue <= LEVEL
    return rejected / n_repeats


def data_set(shape, n, repeat):
    """Return calibrated predictions of a shape, labels that follow them, and the classes."""
    rng = np.random.default_rng([repeat, n])
    _, proba = SHAPES[shape](rng, n)
    y, labels = draw(rng, proba)
    return proba, y, labels


def run(quick=False):
    rows = []
    for shape in SHAPES:
        for n in SIZES[:2] if quick else SIZES:
            n_repeats = 20 if quick else 1000 if n < 5000 else 500
            low, high = bounds(n_repeats)
            row = {"shape": shape, "n": n}
            row |= {name: rejection_rate(shape, n, name, n_repeats) for name in STATISTICS}
            row |= {"low": low, "high": high, "repeats": n_repeats}
            print(row, flush=True)
            rows.append(row)
    return rows


def plot(rows, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 8.5), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey=True)
    names = list(STATISTICS)[::-1]
    shapes = list(dict.fromkeys(row["shape"] for row in rows))
    markers = "os^DvPX*<"
    for ax, n in zip(axes.flat, SIZES):
        chosen = {row["shape"]: row for row in rows if row["n"] == n}
        first = chosen[shapes[0]]
        ax.axvspan(100 * first["low"], 100 * first["high"], color="0.88", zorder=0)
        ax.axvline(100 * LEVEL, color="0.5", linewidth=1, zorder=0)
        for number, shape in enumerate(shapes):
            rates = [100 * chosen[shape][name] for name in names]
            ax.plot(
                rates,
                range(len(names)),
                markers[number],
                color=f"C{number}",
                markerfacecolor="none",
                markersize=6,
                label=shape,
            )
        ax.set_title(f"n = {n}")
        ax.set_yticks(range(len(names)), names)
        ax.set_xscale("symlog", linthresh=10)
        ax.set_xticks([0, 2.5, 5, 10, 20, 50], ["0", "2.5", "5", "10", "20", "50"])
        ax.set_xlim(-0.5, 60)
        ax.grid(axis="y", color="0.93")
        ax.set_axisbelow(True)
    for ax in axes[1]:
        ax.set_xlabel("calibrated data sets rejected at 5 % (%)")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    figure.savefig(path, dpi=110)
