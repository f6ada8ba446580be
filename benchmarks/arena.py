"""The arena: calibrators on the predictions of eight classifiers for public tables.

Each table is split into training (50 %), calibration (20 %) and test rows (30 %), 15,000 rows at
most; classes with fewer than 25 rows are left out. Every method is fitted on 100, 300, 1000 and
3000 calibration rows, as far as there are so many, and scored on the test rows. A method that
raises an error counts with the probabilities of the base model.

The data and rivals are in the extra ``peers``; rivals that are not installed are left out.
"""

import os
import time
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout

import numpy as np
import pandas as pd

from ._arena import data, tables
from ._arena import methods as rivals

QUICK_DATA = ("titanic", "contraceptive", "digits")
QUICK_MODELS = ("logistic", "forest")
ABLATION_SIZES = (100, 300, 1000)
ABLATION_CLASSES = 11
DRAWN = ("adaptive", "temperature", "Platt", "beta", "matrix", "Venn-Abers", "isotonic")


def run(quick=False):
    """Run all tables and classifiers, or three tables and two classifiers if quick."""
    names = QUICK_DATA if quick else data.DATA
    models = QUICK_MODELS if quick else data.MODELS
    records, described = [], []
    for name in names:
        start = time.perf_counter()
        found = records_of(name, models)
        records += found
        described.append(describe(name, found, models))
        print(f"  {name}: {time.perf_counter() - start:.0f} s", flush=True)
    return rows_of(records, described)


def rows_of(records, described):
    """Return the rows to record: the tables, the methods by group, and the variants."""
    frame = pd.DataFrame(records)
    comparison = frame[frame["part"] == "methods"]
    variants = frame[frame["part"] == "ablation"]
    return [
        *described,
        *tables.summary(comparison, rivals.REFERENCE),
        *(tables.ablation(variants) if len(variants) else []),
    ]


def records_of(name, models):
    """Return one record per classifier, number of rows and method of one table."""
    records = []
    for predictions in data.predictions(name, models):
        rng = np.random.default_rng(1)
        for n in data.sizes_of(predictions.y_cal):
            part = predictions.first(data.calibration_rows(predictions.y_cal, n, rng))
            base = tables.losses(part.y_test, part.proba_test)
            records.append(_record(part, "methods", "base", base, np.nan))
            for method, prepare in rivals.methods(part.n_classes).items():
                records.append(_measured(part, "methods", method, prepare, base))
            if n in ABLATION_SIZES and part.n_classes <= ABLATION_CLASSES:
                records.append(_record(part, "ablation", "base", base, np.nan))
                for method, prepare in rivals.variants(part.n_classes).items():
                    records.append(_measured(part, "ablation", method, prepare, base))
    return records


def _measured(part, table, method, prepare, base):
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), _silence():
            warnings.simplefilter("ignore")
            fit, predict = prepare(part)
            start = time.perf_counter()
            fit()
            seconds = time.perf_counter() - start
            found = tables.losses(part.y_test, np.asarray(predict(), float))
        if not np.isfinite(found).all():
            raise ValueError("not a number")
    except Exception:  # whatever a rival raises
        return _record(part, table, method, base, np.nan, failed=True)
    return _record(part, table, method, found, seconds)


@contextmanager
def _silence():
    """Swallow what rivals print, progress bars too."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        yield


def _record(part, table, method, found, seconds, failed=False):
    return {
        "part": table,
        "data": part.data,
        "model": part.model,
        "classes": tables.class_group(part.n_classes),
        "n": len(part.y_cal),
        "method": method,
        "log_loss": found[0],
        "brier": found[1],
        "seconds": seconds,
        "failed": failed,
        "n_classes": part.n_classes,
        "n_test": len(part.y_test),
    }


def describe(name, found, models):
    """Return the row of a table: its size, and the mean gain of the adaptive calibrator."""
    frame = pd.DataFrame(found)
    frame = frame[frame["part"] == "methods"]
    losses = frame.pivot(index=["model", "n"], columns="method", values="log_loss")
    gain = tables.gains(losses)["adaptive"]
    return {
        "part": "data",
        "data": name,
        "number of classes": int(frame["n_classes"].iloc[0]),
        "test rows": int(frame["n_test"].iloc[0]),
        "calibration rows": ", ".join(map(str, sorted(frame["n"].unique()))),
        "models": len(models),
        "mean gain %, log loss": round(float(gain.mean()), 2),
        "worst gain %, log loss": round(float(gain.min()), 1),
    }


def plot(rows, path):
    """Draw win rates, and gains by calibration rows; write one table per part beside them."""
    table = pd.DataFrame(rows)
    for name, part in parts(table).items():
        part.to_csv(path.with_name(f"{path.stem}_{name}.csv"), index=False)
    methods = table[table["part"] == "methods"]
    _plot_win_rates(methods[methods["n"] == "all"], path)
    _plot_gains(methods[methods["n"] != "all"], path.with_name(f"{path.stem}_rows.png"))


def parts(table):
    """Return the tables of the documentation by name."""
    methods = table[table["part"] == "methods"]
    methods = methods.astype({"runs": int, "failed": int})
    whole, sized = methods[methods["n"] == "all"], methods[methods["n"] != "all"]
    columns = ["method", "runs", "failed", "beats base, log loss"]
    for loss in tables.LOSSES:
        columns += [f"win rate, {loss}", f"mean gain %, {loss}", f"worst gain %, {loss}"]
    columns += ["times isotonic", "longest seconds"]
    found = {
        f"classes_{group}": whole.loc[whole["classes"] == group, columns]
        for group in _groups(methods)
    }
    order = methods["method"].unique()
    found["rows"] = _wide(sized, "win rate, log loss", order)
    found["gains"] = _wide(sized, "mean gain %, log loss", order)
    found["times"] = _wide(sized, "times isotonic", order[order != "base"])
    variants = table[table["part"] == "ablation"]
    if len(variants):
        found["ablation"] = variants[list(tables.ABLATION_COLUMNS)].astype({"runs": int})
    described = table[table["part"] == "data"].dropna(axis=1, how="all").drop(columns="part")
    whole_numbers = {"number of classes": int, "test rows": int, "models": int}
    found["data"] = described.astype(whole_numbers)
    return found


def _groups(methods):
    return [group for group in tables.CLASS_GROUPS if group in set(methods["classes"])]


def _wide(sized, column, methods):
    """Return one line per method, one column per group of classes and number of rows."""
    wide = sized.pivot(index="method", columns=["classes", "n"], values=column).loc[methods]
    order = [
        (group, str(n)) for group in _groups(sized) for n in data.SIZES
        if (group, str(n)) in wide.columns
    ]  # fmt: skip
    wide = wide[order]
    wide.columns = [f"{group} classes, n = {n}" for group, n in order]
    return wide.reset_index()


def _plot_win_rates(whole, path):
    from matplotlib.figure import Figure

    groups = _groups(whole)
    figure = Figure(figsize=(4.5 * len(groups), 6.5), layout="constrained", dpi=130)
    for ax, group in zip(figure.subplots(1, len(groups), squeeze=False)[0], groups):
        part = whole[whole["classes"] == group].iloc[::-1]
        ax.hlines(part["method"], 0, part["win rate, log loss"], color="lightgrey", linewidth=1)
        ax.plot(part["win rate, log loss"], part["method"], "o", label="log loss")
        ax.plot(part["win rate, Brier"], part["method"], "s", mfc="none", label="Brier score")
        ax.set(title=f"{group} classes", xlim=(0, 1), xlabel="share of rivals beaten")
    figure.axes[0].legend(loc="lower right")
    figure.savefig(path)


def _plot_gains(sized, path):
    from matplotlib.figure import Figure

    groups = _groups(sized)
    figure = Figure(figsize=(4.5 * len(groups), 4), layout="constrained", dpi=130)
    for ax, group in zip(figure.subplots(1, len(groups), squeeze=False)[0], groups):
        part = sized[sized["classes"] == group]
        for method in DRAWN:
            line = part[part["method"] == method].astype({"n": int}).sort_values("n")
            width = 2.5 if method == "adaptive" else 1.2
            ax.plot(line["n"], line["mean gain %, log loss"], "o-", linewidth=width, label=method)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set(xscale="log", xlabel="calibration rows", title=f"{group} classes", ylim=(-40, 45))
        ax.set_xticks(data.SIZES, [f"{n:,}" for n in data.SIZES])
        ax.minorticks_off()
    figure.axes[0].set_ylabel("mean gain in log loss over the base model, %")
    figure.axes[len(groups) // 2].legend(fontsize="small", loc="lower right")
    figure.savefig(path)
