"""Whether intervals are as wide on average as the rows of `required_sample_size` promise."""

import numpy as np
from scipy.stats import beta

from sklearn_calib import calibration_ci, required_sample_size
from sklearn_calib.inference._sample_size.pilot import Truth

PREDICTIONS = {
    "beta(2, 8)": beta(2, 8),
    "beta(2, 2)": beta(2, 2),
    "beta(0.5, 0.5)": beta(0.5, 0.5),
    "beta(0.1, 0.1)": beta(0.1, 0.1),
}
TRUTHS = {"as predicted": {}, "slope 0.5": {"slope": 0.5}, "shift 0.1": {"shift": 0.1}}
WIDTHS = {
    "calibration_slope": (0.8, 0.4, 0.25),
    "calibration_intercept": (1.2, 0.6, 0.3),
    "observed_expected_ratio": (0.5, 0.2),
}


def run(quick=False):
    rows = []
    for metric, widths in WIDTHS.items():
        for (name, predictions), (truth, options) in (
            (one, other) for one in PREDICTIONS.items() for other in TRUTHS.items()
        ):
            for width in widths:
                result = required_sample_size(predictions, metric=metric, width=width, **options)
                n, true = result.n_samples, Truth(**options)
                rng = np.random.default_rng(0)
                found = [
                    _width(rng, predictions, true, metric, n) for _ in range(10 if quick else 100)
                ]
                row = {
                    "metric": metric,
                    "predictions": name,
                    "truth": truth,
                    "n": n,
                    "width": width,
                    "mean width / width": np.mean(found) / width,
                    "standard error": np.std(found) / width / len(found) ** 0.5,
                }
                print(row, flush=True)
                rows.append(row)
    return rows


def _width(rng, predictions, true, metric, n):
    p = predictions.rvs(n, random_state=rng)
    q = true(np.column_stack([1 - p, p]))[:, 1]
    low, high = calibration_ci(rng.random(n) < q, p, metric=metric, labels=[0, 1])
    return high - low
