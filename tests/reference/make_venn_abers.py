"""Write `venn_abers.json`: the intervals and probabilities of the package venn-abers.

Run with that package installed: ``python tests/reference/make_venn_abers.py``.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np


def main():
    """Fit the package on made data and write what it predicts."""
    from venn_abers import VennAbers  # not a dependency of the tests

    cases = []
    for seed, n_samples in enumerate((12, 60, 250)):
        rng = np.random.default_rng(seed)
        p = rng.uniform(0.02, 0.98, size=n_samples).round(2 if seed == 1 else 12)
        y = (rng.random(n_samples) < p**1.5).astype(int)
        newdata = rng.uniform(0.02, 0.98, size=20).round(3)
        model = VennAbers()
        model.fit(np.column_stack([1 - p, p]), y)
        proba, interval = model.predict_proba(np.column_stack([1 - newdata, newdata]))
        cases.append(
            {
                "name": f"n{n_samples}",
                "inputs": {"p": p.tolist(), "y": y.tolist(), "newdata": newdata.tolist()},
                "params": {},
                "expected": {
                    "p0": interval[:, 0].tolist(),
                    "p1": interval[:, 1].tolist(),
                    "proba": proba[:, 1].tolist(),
                },
            }
        )
    content = {"source": f"venn-abers {version('venn-abers')}", "cases": cases}
    Path(__file__).with_name("venn_abers.json").write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
