"""How often the omnibus test and its parts reject calibrated predictions at level 5 %."""

import numpy as np

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.inference._nulls.simulation import draw_labels
from sklearn_calib.inference._statistics.omnibus.min_p import smallest_pvalues
from sklearn_calib.inference._statistics.omnibus.omnibus import prepare_omnibus
from sklearn_calib.inference._statistics.statistic import find_statistic

from ._shapes import SHAPES
from .level_study import LEVEL, bounds

N_RESAMPLES = 199
# Label sets for one set of predictions, which share its draws.
N_LABELS = 10
STATISTICS = (
    "slope_score",
    "cox_score",
    "logistic_score",
    "temperature_score",
    "classwise_score",
    "rank_skce",
    "feature_rank_skce",
    "normalized_klce",
)


def rejected(shape, n, n_repeats):
    """Return the share of calibrated label sets that each statistic rejects."""
    counts = dict.fromkeys(["omnibus", "omnibus with X", *STATISTICS], 0)
    for repeat in range(n_repeats):
        rng = np.random.default_rng([repeat, n])
        X, p = SHAPES[shape](rng, n)
        full = np.column_stack([1 - p, p]) if p.ndim == 1 else p
        codes = draw_labels(rng, full, N_LABELS + N_RESAMPLES)
        labels = list(range(full.shape[1]))
        local = check_predictions(codes[:, 0].astype(int), p, X, labels=labels)
        plain = check_predictions(codes[:, 0].astype(int), p, labels=labels)
        work = {"n_draws": codes.shape[1]}
        for name, data in (("omnibus", plain), ("omnibus with X", local)):
            omnibus = prepare_omnibus(data, **work)
            values = omnibus(codes)
            kinds = [part.alternative for part in omnibus.parts]
            importance = [part.importance for part in omnibus.parts]
            counts[name] += _count(values, kinds, importance)
        for name in STATISTICS:
            one = find_statistic(name)
            data = local if one.needs_features else plain
            options = {**one.options, **(work if one.sums_pairs else {})}
            values = one.prepare(data, **options)(codes)[np.newaxis]
            counts[name] += _count(values, [one.alternative], None)
    return {name: count / (n_repeats * N_LABELS) for name, count in counts.items()}


def _count(values, kinds, importance):
    """Return how many of the label sets are rejected among the draws that they share."""
    observed, draws = values[:, :N_LABELS], values[:, N_LABELS:]
    outcomes = (smallest_pvalues(one, draws, kinds, importance) for one in observed.T)
    return sum(bool(outcome.adjusted.min() <= LEVEL) for outcome in outcomes)


def run(quick=False):
    n_repeats = 2 if quick else 40
    # Label sets that share draws depend on each other, so bounds for that many are too narrow.
    _, high = bounds(n_repeats * N_LABELS)
    rows = []
    for shape in SHAPES:
        for n in (20, 50, 500):
            rates = rejected(shape, n, n_repeats)
            row = {"shape": shape, "n": n, "label sets": n_repeats * N_LABELS, **rates}
            rows.append({**row, "bound": high, "largest": max(rates.values())})
            print(rows[-1], flush=True)
    return rows
