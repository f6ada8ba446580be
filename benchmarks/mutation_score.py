"""Small faults put into the package at random: the share that the tests notice."""

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path

from . import _record
from ._mutation.explained import explanation
from ._mutation.judge import judge_all
from ._mutation.mutants import mutants_of
from ._mutation.recording import STAGES, Record, make_record

PARTS = ("_core", "_data", "base.py", "calibrators", "inference", "kernels.py", "metrics")
N_MUTANTS = 200
SEED = 20_261_130
NOTICED = {"value": "by a failed assertion", "error": "by an error", "time": "by the time limit"}


def sample(root, n_mutants, seed=SEED):
    """Return mutants at random: every place of the package is as probable as every other."""
    modules = []
    for part in PARTS:
        path = root / "sklearn_calib" / part
        modules.extend([path] if path.is_file() else sorted(path.rglob("*.py")))
    mutants = [m for path in modules for m in mutants_of(root, str(path.relative_to(root)))]
    return random.Random(seed).sample(mutants, n_mutants), len(mutants)


def run(quick=False):
    with tempfile.TemporaryDirectory() as folder:
        make_record(Path(folder), [("tests/_data", "tests/metrics/_binned")] if quick else STAGES)
        return score(Path(folder), 5 if quick else N_MUTANTS, SEED)


def score(folder, n_mutants, seed, *, skip=0, n_processes=2):
    """Judge a sample with the record in a folder; return rows for the table.

    Parameters
    ----------
    folder : Path
        What `make_record` has written.
    n_mutants, seed : int
        Size of the sample, and where its draws begin.
    skip : int
        So many mutants of the sample are left out, from its start.
    n_processes : int
        How many run at the same time.
    """
    record = Record(folder)
    mutants, n_places = sample(record.root, n_mutants, seed)
    judged = []
    for mutant, end, by in judge_all(folder, record, mutants[skip:], n_processes):
        print(f"{end}: {mutant} ({by})", flush=True)
        judged.append((mutant, end))
    return table(record.root, judged, n_places)


def table(root, judged, n_places):
    """Return the rows of the record: the total, and every mutant that no test noticed.

    Parameters
    ----------
    root : Path
        Copy of the project.
    judged : list of (Mutant, str)
        Mutants and how they ended.
    n_places : int
        What they were drawn from.
    """
    ends, rows = Counter(), []
    for mutant, end in judged:
        if end not in NOTICED:
            line = (root / mutant.path).read_text(encoding="utf-8").splitlines()[mutant.line - 1]
            reason = explanation(mutant, line)
            end = "changes nothing" if reason else "not noticed"
            rows.append({"end": end, "mutant": str(mutant), "reason": reason or ""})
        ends[end] += 1
    n, noticed = len(judged), sum(ends[end] for end in NOTICED)
    how = ", ".join(f"{ends[end]} {words}" for end, words in NOTICED.items())
    total = {
        "end": f"{noticed} of {n} ({100 * noticed / n:.1f} %); {ends['changes nothing']} of the "
        f"other {n - noticed} change nothing",
        "mutant": f"drawn from {n_places:,} places",
        "reason": f"Noticed {how}.",
    }
    return [total, *sorted(rows, key=lambda row: (row["end"] != "not noticed", row["mutant"]))]


def main(argv=None):
    """Judge another sample than the recorded one, or with a record of the tests made before."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation_score")
    parser.add_argument("folder", type=Path, help="of the record of the tests; made if it is new")
    parser.add_argument("--mutants", type=int, default=N_MUTANTS)
    parser.add_argument("--skip", type=int, default=0, help="mutants of the sample")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--save", action="store_true", help="as the recorded sample")
    options = parser.parse_args(argv)
    make_record(options.folder)
    rows = score(options.folder, options.mutants, options.seed, skip=options.skip)
    for row in rows:
        print(row)
    if options.save:
        print(_record.save("mutation_score", __doc__.splitlines()[0], rows))


if __name__ == "__main__":
    main()
