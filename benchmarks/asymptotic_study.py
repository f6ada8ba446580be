"""How often asymptotic forms of the statistics reject calibrated predictions at level 5 %."""

import numpy as np

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.inference._nulls.simulation import draw_labels
from sklearn_calib.inference._pvalues import asymptotic_pvalue, monte_carlo_pvalue
from sklearn_calib.inference._statistics.statistic import find_statistic

from ._shapes import SHAPES
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
# Sets of labels per set of predictions, how many of them have a simulated p-value, and its draws.
N_SETS, N_SIMULATED, N_DRAWS = 100, 20, 99


def rejection_rates(shape, n, name, n_predictions):
    """Return the shares of calibrated data sets that the asymptotic and simulated forms reject.

    Every statistic sees the same data sets: set r of the predictions of a shape depends on r
    alone, and each has 100 sets of labels, of which 20 are also tested with drawn labels. A data
    set on which the asymptotic form does not exist is not rejected. A share is NaN if there is
    no such form, or no test with drawn labels (5000 rows).
    """
    statistic, params = STATISTICS.get(name, (name, {}))
    description = find_statistic(statistic)
    asymptotic = simulated = 0
    for repeat in range(n_predictions):
        rng = np.random.default_rng([repeat, n])
        _, proba = SHAPES[shape](rng, n)
        labels = [0, 1] if proba.ndim == 1 else list(range(proba.shape[1]))
        predictions = check_predictions(np.zeros(n, dtype=int), proba, labels=labels)
        prepared = description.prepare(predictions, **{**description.options, **params})
        n_simulated = N_SIMULATED if n < 5000 else 0
        codes = draw_labels(rng, predictions.proba, N_SETS + n_simulated * N_DRAWS)
        values = prepared(codes)
        for number in range(N_SETS):
            asymptotic += _asymptotic(description, prepared, codes[:, number], values[number])
        for value, null in zip(values, values[N_SETS:].reshape(-1, N_DRAWS)):
            pvalue = monte_carlo_pvalue(value, null, alternative=description.alternative)
            simulated += int(pvalue <= LEVEL)
    return (
        np.nan if description.reference is None else asymptotic / (n_predictions * N_SETS),
        simulated / (n_predictions * n_simulated) if n_simulated else np.nan,
    )


def _asymptotic(description, prepared, codes, value):
    if description.reference is None:
        return 0
    try:
        reference = description.reference(prepared, codes)
    except ValueError as error:
        if "n too small" not in str(error):
            raise
        return 0
    return int(asymptotic_pvalue(value, reference, description.alternative) <= LEVEL)


def run(quick=False):
    rows = []
    for shape in SHAPES:
        for n in SIZES[:2] if quick else SIZES:
            n_predictions = 2 if quick else 5
            high = bounds(n_predictions * N_SETS)[1]
            simulated_high = bounds(n_predictions * N_SIMULATED)[1]
            for name in (*STATISTICS, "miscalibration"):
                asymptotic, simulated = rejection_rates(shape, n, name, n_predictions)
                row = {"shape": shape, "n": n, "statistic": name, "asymptotic": asymptotic}
                row |= {"high": high, "simulated": simulated, "simulated high": simulated_high}
                rows.append({k: None if v != v else v for k, v in row.items()})
            print(shape, n, flush=True)
    return rows


def plot(rows, path):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 8.5), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey=True)
    names = list(STATISTICS)[::-1]
    shapes = list(dict.fromkeys(row["shape"] for row in rows))
    markers = "os^DvPX*<"
    for ax, n in zip(axes.flat, SIZES):
        chosen = {(row["shape"], row["statistic"]): row for row in rows if row["n"] == n}
        first = chosen[shapes[0], names[0]]
        ax.axvspan(0, 100 * first["high"], color="0.9", zorder=0)
        ax.axvline(100 * LEVEL, color="0.5", linewidth=1, zorder=0)
        for number, shape in enumerate(shapes):
            rates = [100 * chosen[shape, name]["asymptotic"] for name in names]
            ax.plot(
                rates,
                range(len(names)),
                markers[number],
                linestyle="none",
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
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.savefig(path, dpi=110)
