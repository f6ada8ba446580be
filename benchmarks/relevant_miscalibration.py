"""How often the test of relevant miscalibration rejects, at the tolerance and above it."""

import numpy as np

from sklearn_calib import check_relevant_miscalibration

from ._shapes import draw
from .interval_coverage import DATA, TRUTHS, true_value

CASES = [
    (data, truth, n, metric)
    for data, truth in (
        ("beta(2, 2)", "shift 0.03"),
        ("beta(2, 2)", "one bin 0.35"),
        ("beta(2, 2)", "slope 0.5"),
        ("rare events", "shift 0.03"),
        ("bimodal, confident", "5 % flipped"),
    )
    for n in (500, 5000, 1_000_000)
    for metric in ("ece", "mce", "skce")
    if n < 1_000_000 or metric != "skce"
]


def rejections(data, truth, n, metric, deltas, n_repeats):
    """Return the share of data sets in which each tolerance is rejected."""
    pvalues = []
    for seed in range(n_repeats):
        rng = np.random.default_rng([seed, n])
        _, proba = DATA[data](rng, n)
        y, labels = draw(rng, TRUTHS[truth](proba))
        made = [
            check_relevant_miscalibration(
                y, proba, metric=metric, delta=delta, n_resamples=199, labels=labels,
                random_state=seed,
            ).pvalue
            for delta in deltas
        ]  # fmt: skip
        pvalues.append(made)
    return 100.0 * np.mean(np.array(pvalues) <= 0.05, axis=0)


def run(quick=False):
    rows = []
    for data, truth, n, metric in CASES:
        true = true_value(data, truth, metric, {})
        true = true**0.5 if metric == "skce" else true
        n_repeats = 10 if quick else (20 if n == 1_000_000 else 200)
        shares = rejections(data, truth, n, metric, [true, 0.8 * true, 0.5 * true], n_repeats)
        row = {
            "data": data,
            "truth": truth,
            "n": n,
            "metric": metric,
            "true error": true,
            "rejected % at delta = true": shares[0],
            "at 0.8 true": shares[1],
            "at 0.5 true": shares[2],
            "repeats": n_repeats,
        }
        print(row, flush=True)
        rows.append(row)
    return rows
