"""Small faults put into the package at random: the share that the tests notice."""

import random
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from ._mutation.mutants import mutants_of
from ._mutation.tests import Tests, record_tests

PROJECT = Path(__file__).parents[1]
PARTS = ("_core", "_data", "base.py", "calibrators", "inference", "kernels.py", "metrics")
N_MUTANTS = 200
SEED = 20_261_130


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
        root = Path(folder) / "copy"
        left_out = shutil.ignore_patterns(".git", "build", "*.egg-info", "__pycache__", ".*cache")
        shutil.copytree(PROJECT, root, ignore=left_out)
        mutants, n_places = sample(root, 5 if quick else N_MUTANTS)
        paths = [f"tests/{part}" for part in ("_data", "metrics")] if quick else ()
        tests = Tests(root, record_tests(root, paths))
        ends = Counter()
        rows = []
        for mutant in mutants:
            end, by = tests.notice(mutant)
            ends[end] += 1
            print(f"{end}: {mutant} ({by})", flush=True)
            if end not in ("killed", "timeout"):
                rows.append({"end": end, "mutant": str(mutant)})
    noticed = ends["killed"] + ends["timeout"]
    total = {
        "end": f"{noticed} of {len(mutants)} noticed ({100 * noticed / len(mutants):.1f} %)",
        "mutant": f"drawn from {n_places} places",
    }
    return [total, *rows]
