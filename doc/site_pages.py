"""Write the pages and tables that follow from something else: the source or recorded figures."""

import json
from importlib import import_module
from pathlib import Path

import pandas as pd

import sklearn_calib

DOC = Path(__file__).parent
BENCHMARKS = DOC / "benchmarks"
# In reading order; a public module that is not listed comes last, under its own name.
TITLES = {
    "calibrators": "Calibrators",
    "metrics": "Metrics",
    "inference": "Tests and intervals",
    "display": "Displays",
    "report": "Report",
    "streaming": "Streams and many machines",
    "datasets": "Data",
    "kernels": "Kernels",
    "base": "Base classes",
}
# The parts of a long module in reading order: where their names are defined, and what they are.
PARTS = {
    "calibrators": {
        "_wrappers": "Around a classifier",
        "_multiclass": "Any number of classes",
        "_binary": "Two classes, or one class against the rest",
        "_features": "With features",
    },
    "metrics": {
        "_binned": "Binned errors",
        "_kernel": "Kernel errors",
        "_smooth": "Smooth curves",
        "_cumulative": "Cumulative differences",
        "_line": "Slope, intercept, and observed over expected events",
        "_decomposition": "Components of proper scores",
        "_groups": "Groups of rows",
        "_scorers": "Scorers by name and with options",
    },
}
_CONSTANTS = "Scorers as constants"
_KINDS_OF_NAMES = ("Functions", "Results and options")
KINDS = {
    "feature": "New features",
    "enhancement": "Improvements",
    "efficiency": "Speed and memory",
    "fix": "Fixes",
    "api": "Changes of the interface",
}


def public_names():
    """Return the module, without the package, of each public name."""
    return {
        name: module
        for module in sklearn_calib._SUBMODULES
        for name in import_module(f"sklearn_calib.{module}").__all__
    }


def write_pages():
    """Write the pages and tables, leaving a file alone that would not change."""
    from evidence_tables import evidence_tables

    tables = {"records": records(), "asymptotic_worst": worst_rates(), "answers": answers()}
    tables |= {"coverage_by_metric": coverage_by_metric(), "perfect_model": perfect_model()}
    tables |= {**power_tables(), "omnibus_level": omnibus_level(), **monitor_tables()}
    tables |= evidence_tables()
    for path, text in {
        DOC / "api.rst": api_page(),
        DOC / "whats_new" / "_upcoming.rst": changes_page(),
        **{BENCHMARKS / f"_{k}.csv": table.to_csv(index=False) for k, table in tables.items()},
    }.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def api_page():
    """Return the API page: every name in the ``__all__`` of every public module, once."""
    parts = [
        _title("API", over=True),
        "This page lists every public name, by module. The docstrings give shapes, formulas, costs "
        "and references.",
    ]
    modules = [*TITLES, *sorted(set(sklearn_calib._SUBMODULES) - set(TITLES))]
    for module in modules:
        if module not in sklearn_calib._SUBMODULES:
            continue
        parts.append(f".. py:module:: sklearn_calib.{module}\n   :no-index-entry:")
        parts.append(".. currentmodule:: sklearn_calib")
        parts += _section(TITLES.get(module, module), module)
    return "\n\n".join(parts) + "\n"


def changes_page():
    """Return the entries of ``whats_new/upcoming``, sorted by kind and issue."""
    parts = []
    for kind, title in KINDS.items():
        files = sorted(
            (DOC / "whats_new" / "upcoming").glob(f"*.{kind}.rst"),
            key=lambda path: int(path.name.split(".")[0]),
        )
        if files:
            parts.append(_title(title, "-"))
            parts += [f".. include:: upcoming/{path.name}" for path in files]
    return "\n\n".join(parts) + "\n"


def records():
    """Return when, and on which machine, each benchmark was run."""
    rows = []
    for path in sorted((DOC.parent / "benchmarks" / "results").glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        machine = record["machine"]
        cores = f"{machine['cores']} core{'s' if machine['cores'] > 1 else ''}"
        rows.append(
            {
                "benchmark": f"``{path.stem}``",
                "what it measures": record["benchmark"],
                "date": record["date"],
                "machine": f"{machine['processor']}, {cores}, {machine['memory_gib']} GiB",
            }
        )
    return pd.DataFrame(rows)


def answers():
    """Return the questions of the benchmarks, with one figure each that answers them."""

    def read(name):
        return pd.read_csv(BENCHMARKS / f"{name}.csv")

    arenas = [read(f"arena_classes_{k}").set_index("method") for k in ("2", "3-9")]
    wins = [100 * one.loc["adaptive", "win rate, log loss"] for one in arenas]
    fits = read("calibrator_fit").set_index("calibrator").loc["platt"].nlargest(1, "n").iloc[0]
    excess = read("recalibration_truths_table").set_index("data").loc["mean of all"].drop("n")
    peer = excess.drop(["raw", "KernelRecalibrator"]).min()
    level = 100 * read("level_study").groupby("statistic")[["simulation", "permutation"]].max()
    covered = read("interval_coverage")["coverage %"]
    kernel = read("kernel_speed").set_index("work")["measured"]
    matrix = kernel["skce, binary, n = 20,000, faster than the n x n matrix"]
    others = read("peers").query("package != 'sklearn_calib'")["times sklearn_calib"]
    rows = [
        (
            "Which calibrator is the best?",
            f"The adaptive calibrator: it beats {wins[0]:.0f} % of the other methods for two "
            f"classes and {wins[1]:.0f} % for three to nine.",
            "arena",
        ),
        (
            "What do calibrators cost?",
            f"Platt scaling of {int(fits['n']):,} rows takes {1000 * fits['seconds']:.3g} ms.",
            "calibrators",
        ),
        (
            "What does a calibrator with features gain?",
            f"Its mean excess log loss is {excess['KernelRecalibrator']:.3g} thousandths, that of "
            f"the best other method {peer:.3g}, and of the raw predictions {excess['raw']:.3g}.",
            "recalibration",
        ),
        (
            "Do the tests keep their level, and what do they find?",
            f"At 5 %, at most {level['simulation'].max():.1f} % of the samples of a calibrated "
            f"model are rejected, with permutations up to {level['permutation'].max():.0f} %.",
            "level_and_power",
        ),
        (
            "Do intervals contain the true error?",
            f"The coverage of 95 % intervals is {covered.median():.0f} % in the median of "
            f"{covered.size} cases, and {covered.min():.0f} % in the worst.",
            "interval_coverage",
        ),
        (
            "How fast are kernel errors?",
            f"``skce`` of 20,000 rows is {matrix:.0f} times as fast as with a matrix of all pairs.",
            "kernel",
        ),
        (
            "How does the speed compare with other packages?",
            f"For the same work they take {others.min():.1f} to {others.max():.0f} times as long, "
            f"{others.median():.1f} times in the median.",
            "peers",
        ),
    ]
    table = pd.DataFrame(rows, columns=["question", "in short", "page"])
    return table.assign(page=":doc:`" + table["page"] + "`")


def worst_rates():
    """Return the largest rejection rate over the shapes, in percent, of each asymptotic form."""
    frame = pd.read_csv(BENCHMARKS / "asymptotic_study.csv").dropna(subset="asymptotic")
    table = frame.pivot_table("asymptotic", "statistic", "n", aggfunc="max", sort=False)
    return (100 * table).round(1).rename(columns="n = {}".format).reset_index()


def coverage_by_metric():
    """Return the coverage of each metric's intervals over all data, and their width."""
    frame = pd.read_csv(BENCHMARKS / "interval_coverage.csv")
    options = (" (" + frame["options"] + ")").fillna("")
    groups = frame.assign(metric=frame["metric"] + options).groupby("metric", sort=False)
    columns = {
        "construction": ("method", "first"),
        "cases": ("method", "size"),
        "lowest coverage %": ("coverage %", "min"),
        "median coverage %": ("coverage %", "median"),
        "median width": ("width / sd", "median"),
        "lowest coverage % (percentile)": ("percentile %", "min"),
    }
    table = groups.agg(**columns).round(1).reset_index()
    return table.assign(metric=table["metric"].map(_breakable))


def perfect_model():
    """Return what every error is for a perfect model."""
    table = pd.read_csv(BENCHMARKS / "perfect_model.csv")
    numbers = table.select_dtypes("number").columns
    table[numbers] = table[numbers].map("{:.3g}".format)
    return table.assign(metric=[f"``{_breakable(name)}``" for name in table["metric"]])


def power_tables():
    """Return the tables of the omnibus study, in percent: one per kind, without empty columns."""
    frame = pd.read_csv(BENCHMARKS / "omnibus_study.csv")
    frame[["error", "d"]] = frame["error"].str.split(", d = ", expand=True)
    tables = {}
    for kind, part in frame.groupby("kind", sort=False):
        table = part.dropna(axis=1, how="all").drop(columns=["kind", "label sets"])
        rates = table.columns.drop(["error", "n", "d"], errors="ignore")
        table = table.assign(**(100 * table[rates]).round(0).astype(int))
        names = ["error", *(["d"] if "d" in table else []), "n", *rates]
        tables[f"power_{kind}"] = table[names].rename(columns=_breakable)
    return tables


def omnibus_level():
    """Return how often the omnibus test, and the worst of its parts, reject, in percent."""
    frame = pd.read_csv(BENCHMARKS / "omnibus_level.csv")
    names = ["shape", "n", "label sets", "omnibus", "omnibus with X", "bound", "largest"]
    parts = frame.drop(columns=names).max(axis=1)
    table = frame[["shape", "n"]].copy()
    for name, rates in (
        ("omnibus", frame["omnibus"]),
        ("omnibus with features", frame["omnibus with X"]),
        ("largest of the parts", parts),
        ("bound", frame["bound"]),
    ):
        table[name] = (100 * rates).round(1)
    return table


def monitor_tables():
    """Return the two tables of the study of the monitor: false alarms, and rows until an alarm."""
    frame = pd.read_csv(BENCHMARKS / "monitor_study.csv")
    level = frame["years"].notna()
    tables = {}
    for name, rows in (("monitor_level", level), ("monitor_speed", ~level)):
        table = frame[rows].dropna(axis=1, how="all")
        whole = [one for one in table if one == "years" or "rows" in one or "median" in one]
        whole += [one for one in table if "before" in one or one == "runs"]
        tables[name] = table.assign(**{one: table[one].astype("Int64") for one in whole})
    return tables


def _breakable(name):
    """Return a name that may be broken after an underscore or parenthesis, and nowhere else."""
    return name.replace("_", "_\u200b").replace("(", "(\u200b")


def _section(title, module):
    """Return the section of a module: its summary, and its names part by part."""
    loaded = import_module(f"sklearn_calib.{module}")
    parts = {}
    for name in sorted(loaded.__all__):
        parts.setdefault(_part(module, name, getattr(loaded, name)), []).append(name)
    order = [*PARTS.get(module, {}).values(), "", _CONSTANTS, *_KINDS_OF_NAMES]
    blocks = [_title(title), loaded.__doc__.strip().splitlines()[0]]
    for part in sorted(parts, key=order.index):
        blocks += [_title(part, "-")] if part else []
        listed = "\n".join(f"   {module}.{name}" for name in parts[part])
        options = "   :toctree: generated/\n   :nosignatures:"
        blocks.append(f".. autosummary::\n{options}\n\n{listed}")
    return blocks


def _part(module, name, value):
    """Return the title of the part of the page to which a name belongs, or an empty string."""
    if name.endswith("_scorer") and name.startswith("neg_"):
        return _CONSTANTS
    if module == "inference":
        return _KINDS_OF_NAMES[isinstance(value, type)]
    folder = value.__module__.removeprefix(f"sklearn_calib.{module}.").split(".")[0]
    return PARTS.get(module, {}).get(folder, "")


def _title(text, line="=", *, over=False):
    rule = line * len(text)
    return f"{rule}\n{text}\n{rule}" if over else f"{text}\n{rule}"
