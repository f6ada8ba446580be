"""Tables of the arena: win rates, gains and times from the losses of single runs."""

import numpy as np
import pandas as pd

LOSSES = {"log loss": "log_loss", "Brier": "brier"}
SMALLEST = 1e-15  # probabilities are clipped at this for the log loss
TIE = 1e-6
CLASS_GROUPS = ("2", "3-9", "10+")
ABLATION_COLUMNS = (
    "classes",
    "n",
    "method",
    "runs",
    "log loss against default %",
    "better than default",
    "mean gain %, log loss",
    "worst gain %, log loss",
    "seconds",
)


def losses(y, proba):
    """Return the log loss and the Brier score (summed over classes) of codes of classes."""
    rows = np.arange(len(y))
    log_loss = -np.mean(np.log(np.clip(proba[rows, y], SMALLEST, 1.0)))
    error = proba.copy()
    error[rows, y] -= 1.0
    return float(log_loss), float(np.mean(np.sum(error**2, axis=1)))


def win_rates(table):
    """Return the share of rivals each method beats, ties half, averaged over the runs.

    One row of the table is a run, one column a method. Methods without a value in a run do not take
    part in it.
    """
    values = table.to_numpy(float)
    present = np.isfinite(values)
    both = present[:, :, None] & present[:, None, :]
    with np.errstate(invalid="ignore"):
        difference = values[:, None, :] - values[:, :, None]
        wins = np.where(difference > TIE, 1.0, np.where(difference < -TIE, 0.0, 0.5))
    wins = np.where(both, wins, 0.0).sum(axis=2) - 0.5 * present
    rivals = both.sum(axis=2) - present
    rates = np.where(present & (rivals > 0), wins / np.maximum(rivals, 1), np.nan)
    return pd.Series(np.nanmean(rates, axis=0), index=table.columns)


def gains(table, base="base"):
    """Return by how many percent each value is smaller than the base model's of the same run."""
    reference = table[[base]].to_numpy(float)
    return (1.0 - table / np.maximum(reference, TIE)) * 100.0


def class_group(n_classes):
    """Return the group of a number of classes."""
    return CLASS_GROUPS[(n_classes > 2) + (n_classes > 9)]


def summary(runs, reference):
    """Return one row per group of classes, number of rows ("all" too) and method."""
    rows = []
    for group, part in runs.groupby("classes", sort=False):
        for n in ["all", *sorted(part["n"].unique())]:
            rows += _summary(part if n == "all" else part[part["n"] == n], group, n, reference)
    return rows


def _summary(part, group, n, reference):
    keys = ["data", "model", "n"]
    tables = {
        name: part.pivot(index=keys, columns="method", values=column)[part["method"].unique()]
        for name, column in LOSSES.items()
    }
    seconds = part.pivot(index=keys, columns="method", values="seconds")
    ratio = seconds.div(seconds[reference], axis=0)
    failed = part.groupby("method")["failed"].sum()
    columns = {}
    for name, table in tables.items():
        gain = gains(table)
        columns |= {
            f"win rate, {name}": win_rates(table).round(3),
            f"beats base, {name}": ((gain > 0).sum() / table.notna().sum()).round(2),
            f"mean gain %, {name}": gain.mean().round(2),
            f"worst gain %, {name}": gain.min().round(1),
        }
    columns["seconds"] = seconds.median().map(_short)
    columns["longest seconds"] = seconds.max().map(_short)
    columns["times isotonic"] = ratio.median().map(_short)
    order = columns["win rate, log loss"].sort_values(ascending=False).index
    rows = []
    for method in order:
        head = {"part": "methods", "classes": group, "n": str(n), "method": method}
        head |= {"runs": int(tables["log loss"][method].notna().sum())}
        head |= {"failed": int(failed[method])}
        rows.append(head | {key: _plain(column[method]) for key, column in columns.items()})
    return rows


def ablation(runs):
    """Return one row per group of classes, number of rows and variant, beside the default."""
    rows = []
    for (group, n), part in runs.groupby(["classes", "n"], sort=False):
        keys = ["data", "model"]
        table = part.pivot(index=keys, columns="method", values="log_loss")
        seconds = part.pivot(index=keys, columns="method", values="seconds")
        change = (table.div(table["default"].clip(lower=TIE), axis=0) - 1.0) * 100.0
        gain = gains(table)
        for method in part["method"].unique():
            if method == "base":
                continue
            rows.append(
                {
                    "part": "ablation",
                    "classes": group,
                    "n": str(n),
                    "method": method,
                    "runs": len(table),
                    "log loss against default %": round(float(change[method].mean()), 3),
                    "better than default": round(_better(change[method]), 2),
                    "mean gain %, log loss": round(float(gain[method].mean()), 2),
                    "worst gain %, log loss": round(float(gain[method].min()), 1),
                    "seconds": _short(seconds[method].median()),
                }
            )
    return rows


def _better(change):
    """Return the share of runs in which a loss is lower, ties half."""
    return float(np.mean((change < -1e-3) + 0.5 * (change.abs() <= 1e-3)))


def _short(value):
    return float(f"{value:.3g}") if np.isfinite(value) else None


def _plain(value):
    return None if value is None or not np.isfinite(value) else float(value)
