"""Small faults put into the package at random: the share that the tests notice."""

import argparse
import json
import random
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from . import _record
from ._mutation.explained import explanation
from ._mutation.judge import judge_all
from ._mutation.mutants import mutants_of
from ._mutation.recording import STAGES, Record, make_record

PARTS = ("_core", "_data", "base.py", "calibrators", "inference", "kernels.py", "metrics")
N_MUTANTS = 200
SEED = 20_261_204
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


def score(folder, n_mutants, seed, *, n_processes=2):
    """Judge a sample with the record in a folder; return rows for the table.

    What is known is kept in the folder. A second call goes on where the first one was broken off,
    and judges again what no test noticed, since there may be new tests.

    Parameters
    ----------
    folder : Path
        What `make_record` has written.
    n_mutants, seed : int
        Size of the sample, and where its draws begin.
    n_processes : int
        How many run at the same time.
    """
    record = Record(folder)
    mutants, n_places = sample(record.root, n_mutants, seed)
    file = folder / f"judged_{seed}.jsonl"
    ends = _known_ends(file)
    number = {mutant: k for k, mutant in enumerate(mutants)}
    left = [one for one in mutants if not _is_settled(record.root, one, ends[number[one]])]
    for mutant, end, by in judge_all(folder, record, left, n_processes):
        print(f"{end}: {mutant} ({by})", flush=True)
        ends[number[mutant]].append(end)
        known = {"number": number[mutant], "mutant": str(mutant), "end": end, "by": by}
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(known) + "\n")
    return table(record.root, [(one, ends[k]) for k, one in enumerate(mutants)], n_places)


def _known_ends(file):
    """Return how the mutants of a sample ended, by number, each time that they were judged."""
    ends = defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        one = json.loads(line)
        ends[one["number"]].append(one["end"])
    return ends


def _is_settled(root, mutant, ends):
    """Return whether a mutant need not be judged again."""
    return bool(ends) and (ends[-1] in NOTICED or bool(_reason(root, mutant)))


def _reason(root, mutant):
    line = (root / mutant.path).read_text(encoding="utf-8").splitlines()[mutant.line - 1]
    return explanation(mutant, line)


def table(root, judged, n_places):
    """Return the rows of the record: the total, and every mutant that no test noticed.

    Parameters
    ----------
    root : Path
        Copy of the project.
    judged : list of (Mutant, list of str)
        Mutants and how they ended, first and, with tests that were written since, later.
    n_places : int
        What they were drawn from.
    """
    n, rows = len(judged), []
    drawn = sum(ends[0] in NOTICED for _, ends in judged)
    how = Counter(ends[-1] for _, ends in judged)
    for mutant, ends in judged:
        if ends[-1] not in NOTICED:
            reason = _reason(root, mutant) or ""
            end = "changes nothing" if reason else "not noticed"
            rows.append({"end": end, "mutant": str(mutant), "reason": reason})
    noticed = n - len(rows)
    same = sum(row["end"] == "changes nothing" for row in rows)
    rest = "of those that change anything"
    since = (
        f" when they were drawn, {noticed} ({100 * noticed / n:.1f} %) since tests for the others"
    )
    total = {
        "end": f"{drawn} of {n} ({100 * drawn / n:.1f} %)"
        + (f"{since} have been written" if noticed > drawn else "")
        + (f"; {same} of the other {len(rows)} change nothing" if rows else "")
        + (f"; {rest}, {100 * drawn / (n - same):.1f} % when drawn" if same else ""),
        "mutant": f"drawn from {n_places:,} places",
        "reason": "Noticed "
        + ", ".join(f"{how[end]} {words}" for end, words in NOTICED.items())
        + f"; {rest}, {100 * noticed / max(n - same, 1):.1f} %.",
    }
    return [total, *sorted(rows, key=lambda row: (row["end"] != "not noticed", row["mutant"]))]


def main(argv=None):
    """Judge another sample than the recorded one, or with a record of the tests made before."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation_score")
    parser.add_argument("folder", type=Path, help="of the record of the tests; made if it is new")
    parser.add_argument("--mutants", type=int, default=N_MUTANTS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--save", action="store_true", help="as the recorded sample")
    options = parser.parse_args(argv)
    make_record(options.folder)
    rows = score(options.folder, options.mutants, options.seed)
    for row in rows:
        print(row)
    if options.save:
        print(_record.save("mutation_score", __doc__.splitlines()[0], rows))


if __name__ == "__main__":
    main()
