"""Whether the error that a test claims to detect is found in 80 % of samples."""

import numpy as np

from sklearn_calib import check_calibration
from sklearn_calib.inference._detectable_error import LEVEL, shift
from sklearn_calib.inference._nulls.simulation import draw_labels
from sklearn_calib.inference._statistics.prepare import prepare_statistic

from ._shapes import SHAPES

CASES = [
    (shape, n, statistic)
    for shape in ("uniform", "rare events", "bimodal, confident")
    for n in (100, 1000)
    for statistic in ("skce", "ece", "cox_score")
] + [("3 classes", 500, "skce"), ("10 classes", 500, "ece")]


def power(shape, n, statistic, seed, n_draws):
    """Return the claimed shift and the power of the test at it."""
    rng = np.random.default_rng([seed, n])
    _, proba = SHAPES[shape](rng, n)
    if proba.ndim == 1:
        proba = np.column_stack([1 - proba, proba])
    labels = range(proba.shape[1])
    y = draw_labels(rng, proba, 1)[:, 0]
    size = check_calibration(
        y, proba, statistic=statistic, labels=labels, random_state=seed
    ).detectable_error
    error = prepare_statistic(
        y, proba, None, statistic=statistic, statistic_params=None, settings={}, n_draws=n_draws,
        algorithm="auto", sample_weight=None, pos_label=None, labels=labels,
    ).error  # fmt: skip
    critical = np.quantile(error(draw_labels(rng, proba, 4 * n_draws)), 1 - LEVEL)
    return size, np.mean(error(draw_labels(rng, shift(proba, size), n_draws)) > critical)


def run(quick=False):
    rows = []
    for shape, n, statistic in CASES:
        found = [power(shape, n, statistic, s, 200 if quick else 1000) for s in range(6)]
        sizes, powers = np.array(found).T
        row = {
            "data": shape,
            "n": n,
            "statistic": statistic,
            "mean detectable error": sizes.mean(),
            "mean power %": 100 * powers.mean(),
            "lowest power %": 100 * powers.min(),
            "highest power %": 100 * powers.max(),
            "claims": len(found),
        }
        print(row, flush=True)
        rows.append(row)
    return rows
