"""How often the local bias band names the one group that is wrong, and no other."""

import warnings

import numpy as np
import pandas as pd

from sklearn_calib import calibration_report, local_bias_band

N = 3600
SHARE = 0.2
GAPS = (0.0, 0.054, 0.08)


def draw(seed, gap):
    """Return labels, predictions, features and who is in the group.

    The predictions are too high by `gap` for one group of 20 % of the rows. A second column of
    five categories has nothing to do with it.
    """
    rng = np.random.default_rng(seed)
    group = rng.random(N) < SHARE
    site = rng.choice(list("abcde"), size=N)
    p = rng.uniform(0.15, 0.85, size=N)
    y = (rng.random(N) < p - gap * group).astype(int)
    return y, p, pd.DataFrame({"sex": np.where(group, "F", "M"), "site": site}), group


def forms(X):
    """Return the same features in other forms."""
    numbers = pd.DataFrame({name: X[name].astype("category").cat.codes for name in X})
    return {
        "text": X,
        "categorical type": X.astype("category"),
        "whole numbers": numbers,
        "one-hot": pd.get_dummies(X, dtype=int),
    }


def band_is_right(y, p, X, group, seed, n_resamples):
    """Return whether exactly the rows of the group are significant."""
    band = local_bias_band(y, p, X, n_resamples=n_resamples, random_state=seed)
    return np.array_equal(band.significant, group), bool(band.significant.any())


def report_is_right(y, p, X, seed):
    """Return whether the report has one region, and this is the group."""
    report = calibration_report(y, p, X, n_resamples=99, random_state=seed)
    return [region.where for region in report.regions] == ["sex = F"]


def run(quick=False):
    n_seeds = 10 if quick else 100
    rows = []
    for gap in GAPS:
        found = dict.fromkeys(forms(draw(0, gap)[2]), 0)
        flagged = alone = 0
        for seed in range(n_seeds):
            y, p, X, group = draw(seed, gap)
            residual = np.sum((y - p)[group])
            alone += abs(residual) > 1.96 * np.sqrt(np.sum((p * (1 - p))[group]))
            which = forms(X) if seed < n_seeds // 5 else {"text": X}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for name, one in which.items():
                    right, any_point = band_is_right(y, p, one, group, seed, 299)
                    found[name] += right
                    flagged += any_point and name == "text"
        for name, count in found.items():
            total = n_seeds if name == "text" else n_seeds // 5
            rows.append({"too high by": gap, "features": name, "data sets": total,
                         "group and no other": count / total,
                         "anything flagged": flagged / total if name == "text" else np.nan,
                         "test of the group alone": alone / n_seeds})  # fmt: skip
            print(rows[-1], flush=True)
    n_reports = 4 if quick else 20
    right = sum(
        report_is_right(y, p, X, seed)
        for seed in range(n_reports)
        for y, p, X, _ in [draw(seed, GAPS[-1])]
    )
    rows.append({"too high by": GAPS[-1], "features": "text, in the report",
                 "data sets": n_reports, "group and no other": right / n_reports})  # fmt: skip
    return rows
