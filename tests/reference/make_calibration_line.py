"""Write `calibration_line.json`: the numbers of statsmodels for the logistic line.

Run with that package installed: ``python tests/reference/make_calibration_line.py``.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.optimize import brentq


def main():
    """Fit generalised linear models on made data and write what they say."""
    import statsmodels.api as sm  # not a dependency of the tests

    family = sm.families.Binomial()

    def fit(y, columns, offset=None, weight=None, **options):
        design = np.column_stack(columns)
        model = sm.GLM(y, design, family=family, offset=offset, freq_weights=weight)
        return model.fit(tol=1e-14, maxiter=200, **options)

    cases = []
    for seed, (n_samples, power) in enumerate([(40, 1.0), (200, 1.6), (1000, 0.8)]):
        rng = np.random.default_rng(seed)
        p = rng.uniform(0.02, 0.98, size=n_samples).round(3)
        y = (rng.random(n_samples) < p**power).astype(int)
        w = rng.integers(1, 4, size=n_samples)
        for weight in (None, w):
            x, ones = np.log(p / (1 - p)), np.ones(n_samples)
            joint = fit(y, [ones, x], weight=weight)
            robust = fit(y, [ones, x], weight=None if weight is None else weight, cov_type="HC0")
            large = fit(y, [ones], offset=x, weight=weight)

            def deviance(slope, x=x, ones=ones, y=y, weight=weight, joint=joint):
                best = fit(y, [ones], offset=slope * x, weight=weight)
                return 2 * (joint.llf - best.llf) - 3.841458820694124

            middle, far = joint.params[1], 8 * joint.bse[1]
            low = brentq(deviance, middle - far, middle, xtol=1e-11)
            high = brentq(deviance, middle, middle + far, xtol=1e-11)
            expected = {
                "slope": joint.params[1],
                "slope_se": joint.bse[1],
                "joint_intercept": joint.params[0],
                "joint_intercept_se": joint.bse[0],
                "intercept": large.params[0],
                "intercept_se": large.bse[0],
                "slope_profile": [low, high],
                "log_likelihood": joint.llf,
            }
            if weight is None:
                expected["slope_robust_se"] = robust.bse[1]
            cases.append(
                {
                    "name": f"n{n_samples}" + ("" if weight is None else " weighted"),
                    "inputs": {
                        "p": p.tolist(),
                        "y": y.tolist(),
                        "weight": None if weight is None else w.tolist(),
                    },
                    "params": {},
                    "expected": expected,
                }
            )
    content = {"source": f"statsmodels {version('statsmodels')}", "cases": cases}
    path = Path(__file__).with_name("calibration_line.json")
    path.write_text(json.dumps(content, indent=None) + "\n")


if __name__ == "__main__":
    main()
