"""Write `peer_errors.json`: errors and p-values of other packages for calibration.

Run with relplot, probcal (the Python package), mcgrad and pandas installed:
``python tests/reference/make_peer_errors.py``.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.optimize import linprog

PACKAGES = ("relplot", "probcal", "mcgrad", "scipy")


def lipschitz_error(y, p):
    """Return the largest mean of f(p) (y - p) over f with values in [-1, 1] and slope at most 1."""
    order = np.argsort(p, kind="stable")
    cost = (p - y)[order] / p.size
    difference = np.diff(np.eye(p.size), axis=0)
    gaps = np.diff(p[order])
    found = linprog(
        cost,
        A_ub=np.vstack([difference, -difference]),
        b_ub=np.concatenate([gaps, gaps]),
        bounds=(-1.0, 1.0),
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return -found.fun


def main():
    """Evaluate the packages on made data and write what they say."""
    import pandas as pd  # none of these is a dependency of the tests
    import probcal.metrics
    import relplot
    from mcgrad import metrics as mcgrad

    cases = []
    for seed, (n, power) in enumerate([(60, 1.0), (200, 1.5), (500, 0.8)]):
        rng = np.random.default_rng(seed)
        p = rng.uniform(0.02, 0.98, size=n).round(3)
        p[n // 2 :] = p[n // 2 :].round(2)
        y = (rng.random(n) < p**power).astype(int)
        columns = {"a": rng.integers(3, size=n), "b": rng.integers(4, size=n)}
        distinct = rng.permutation(np.linspace(0.02, 0.98, n).round(6))
        happened = (rng.random(n) < distinct**power).astype(int)
        groups = mcgrad.MulticalibrationError(
            pd.DataFrame(
                {"y": happened, "p": distinct, **{k: v.astype(str) for k, v in columns.items()}}
            ),
            "y",
            "p",
            categorical_segment_columns=["a", "b"],
            max_depth=2,
            max_values_per_segment_feature=10,
            min_samples_per_segment=10,
            precision_dtype="float64",
        )
        expected = {
            "smooth_ece": float(relplot.smECE(p, y)),
            "ece_sweep": probcal.metrics.ece_sweep(happened, distinct),
            "ks_calibration_error": probcal.metrics.ecce(y, p).stat_max,
            "hosmer_lemeshow": probcal.metrics.hosmer_lemeshow(happened, distinct).statistic,
            "kuiper_calibration_error": float(mcgrad.ecce(happened, distinct)),
            "kuiper": float(mcgrad.ecce_sigma(happened, distinct)),
            "kuiper_pvalue": float(mcgrad.ecce_pvalue(happened, distinct)),
            "multicalibration_error": float(groups.mce_sigma),
            "smooth_calibration_error": lipschitz_error(y, p),
        }
        cases.append(
            {
                "name": f"n{n}",
                "inputs": {
                    "p": p.tolist(),
                    "y": y.tolist(),
                    "X": np.column_stack([*columns.values()]).tolist(),
                    "distinct_p": distinct.tolist(),
                    "distinct_y": happened.tolist(),
                },
                "params": {},
                "expected": expected,
            }
        )
    source = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    path = Path(__file__).with_name("peer_errors.json")
    path.write_text(json.dumps({"source": source, "cases": cases}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
