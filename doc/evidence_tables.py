"""Tables of the page "How we know it is right", from the records and the reference values."""

import json
import re
from pathlib import Path

import pandas as pd

PROJECT = Path(__file__).parents[1]
RESULTS = PROJECT / "benchmarks" / "results"
REFERENCE = PROJECT / "tests" / "reference"
CONSTRAINED = ("scikit-learn", "numpy", "scipy", "pandas", "jax", "matplotlib")


def evidence_tables():
    """Return the tables by name."""
    return {
        "evidence_references": reference_values(),
        "evidence_tests": tests_by_kind(),
        "evidence_measured": measured(),
        "evidence_versions": versions(),
    }


def reference_values():
    """Return the number of reference values by source, as the README of their folder names it."""
    text = (REFERENCE / "README.md").read_text(encoding="utf-8")
    described = re.findall(r"^\| (`.*?) \| (.*?) \|$", text, flags=re.MULTILINE)
    named = set(re.findall(r"`(\w+)`", " ".join(files for files, _ in described)))
    left = {path.stem for path in REFERENCE.glob("*.json")}
    rows = []
    for files, source in described:
        patterns = re.findall(r"`([\w*]+)`", files)
        found = {path.stem for name in patterns for path in REFERENCE.glob(f"{name}.json")}
        mine = {name for name in found if name in patterns or name not in named} & left
        left -= mine
        if mine:
            paths = [REFERENCE / f"{name}.json" for name in mine]
            cases = [one for path in paths for one in json.loads(path.read_bytes())["cases"]]
            numbers = sum(_count_numbers(one.get("expected")) for one in cases)
            rows.append((source.replace("`", "``"), len(mine), len(cases), numbers))
    if left:
        raise ValueError(f"tests/reference/README.md does not say what made {sorted(left)}.")
    table = pd.DataFrame(rows, columns=["made with", "files", "cases", "numbers"])
    table = table.sort_values("numbers", ascending=False)
    total = ["all", *table[["files", "cases", "numbers"]].sum()]
    return pd.concat([table, pd.DataFrame([total], columns=table.columns)])


def _count_numbers(value):
    if isinstance(value, dict):
        return sum(map(_count_numbers, value.values()))
    if isinstance(value, list):
        return sum(map(_count_numbers, value))
    return int(isinstance(value, int | float) and not isinstance(value, bool))


def tests_by_kind():
    """Return the number of tests by what they compare results with."""
    return _record("evidence", ["what results are compared with", "tests"])


def measured():
    """Return what the recorded studies found, one row for each of those that there are."""
    rows = []
    for name, describe in _STUDIES.items():
        frame = _record(name)
        if not frame.empty:
            rows += [(*row, f"``{name}``") for row in describe(frame)]
    return pd.DataFrame(rows, columns=["question", "found", "of", "record"])


def versions():
    """Return the versions that the tests have passed with, as the files of constraints fix them."""
    rows = []
    for path in sorted((PROJECT / ".ci").glob("**/*.txt")):
        fixed = dict(re.findall(r"^([\w-]+)==([\w.]+)", path.read_text("utf-8"), re.MULTILINE))
        shown = [f"{name} {fixed[name]}" for name in CONSTRAINED if name in fixed]
        if shown:
            rows.append((f"``.ci/{path.name}``", ", ".join(shown)))
    used = {}
    for path in RESULTS.glob("*.json"):
        for name, version in json.loads(path.read_bytes())["versions"].items():
            if name == "python" or name in CONSTRAINED:
                used.setdefault(name, set()).add(version)
    shown = [f"{name} {', '.join(sorted(used[name]))}" for name in ("python", *CONSTRAINED)
             if name in used]  # fmt: skip
    rows.append(("records of benchmarks", "; ".join(shown)))
    return pd.DataFrame(rows, columns=["where", "versions"])


def _record(name, columns=()):
    """Return the rows of a record; none if there is no record."""
    path = RESULTS / f"{name}.json"
    rows = json.loads(path.read_bytes())["rows"] if path.exists() else []
    return pd.DataFrame(rows, columns=list(columns) if columns else None)


def _percent(share):
    return f"{100 * share:.1f} %"


def _level(frame):
    rates = frame["simulation"]
    yield (
        "How often does a test at 5 % reject a calibrated model?",
        f"{_percent(rates.mean())} on average, {_percent(rates.max())} in the worst case, where "
        f"chance explains up to {_percent(frame['high'].max())}",
        f"{rates.size} cases, {frame['repeats'].max()} samples each",
    )


def _omnibus_level(frame):
    rates = frame[["omnibus", "omnibus with X"]]
    yield (
        "And the omnibus test?",
        f"{_percent(rates.max().max())} in the worst case, where chance explains up to "
        f"{_percent(frame['bound'].max())}",
        f"{rates.size} cases, {frame['label sets'].max()} samples each",
    )


def _power(frame):
    rates = frame["simulation"]
    yield (
        "How often are planted errors found?",
        f"in {_percent(rates.median())} of the samples in the median, from "
        f"{_percent(rates.min())} to {_percent(rates.max())}",
        f"{frame['error'].nunique()} errors, {frame['repeats'].max()} samples each",
    )


def _coverage(frame):
    rates = frame["coverage %"]
    yield (
        "How often does a 95 % interval contain the true error?",
        f"{rates.median():.1f} % in the median, {rates.min():.1f} % in the worst case",
        f"{rates.size} cases, {frame['repeats'].max():.0f} samples each",
    )


def _monitor(frame):
    rates = frame["monitor, %"].dropna()
    yield (
        "How often does a monitor at 5 % ever give a false alarm?",
        f"{rates.max():.1f} % in the worst case",
        f"{rates.size} cases, {frame['years'].max():.0f} years",
    )


def _peers(frame):
    same = frame[frame["definition"] == "the same"]
    yield (
        "How far are other packages with the same definition?",
        f"{same['difference'].median():.1g} in the median, {same['difference'].max():.1g} at most",
        f"{len(same)} comparisons with {same['package'].nunique()} packages",
    )


def _mutation(frame):
    yield ("How many small faults, put in at random, do the tests notice?", *frame.iloc[0][:2])


def _memory(frame):
    for series, part in frame.groupby("series", sort=False):
        last = part.iloc[-1]
        yield (
            f"How much does the memory grow over {series}?",
            f"{last['growth over the second half, MiB']} MiB over the second half",
            f"{last['calls']:,} calls with sizes at random",
        )


def _speed(frame):
    ratio = frame["ratio"]
    yield (
        "How long do public functions take, compared with the version before?",
        f"{ratio.median():.2f} times as long in the median; {(~frame['ok']).sum()} take more than "
        "5 % longer",
        f"{len(frame)} calls",
    )


_STUDIES = {
    "level_study": _level,
    "omnibus_level": _omnibus_level,
    "power_study": _power,
    "interval_coverage": _coverage,
    "monitor_study": _monitor,
    "peer_errors": _peers,
    "mutation_score": _mutation,
    "memory_growth": _memory,
    "public_speed": _speed,
}
