"""Differences between two models, with the draws in which they change places."""

import numpy as np

from .flips import infer_difference, infer_mean, subset_ranges
from .redraws import redraws_of

_CELLS = 4_000_000


def compare_pairs(models, measures, pairs, *, n_resamples, alpha, rng, say):
    """Return ``(difference, pvalue, low, high)`` of each measure and pair of models.

    A difference is that of the second model of a pair minus that of the first. Each of the draws
    flips a random half of the rows of all pairs.
    """
    some = next(iter(models.values()))
    weight = np.ones(some.n_samples) if some.weight is None else some.weight / some.weight.max()
    rows = {(m.name, name): m.rows(one) for m in measures if m.rows for name, one in models.items()}
    means, errors, outcomes = {}, {}, {}
    for measure in measures:
        values = {name: measure.value(one) for name, one in models.items()}
        for pair in pairs:
            first, second = (values[name] for name in pair)
            if not np.isfinite([first, second]).all():
                with np.errstate(invalid="ignore"):
                    outcomes[measure.name, pair] = (second - first, np.nan, np.nan, np.nan)
            elif measure.rows:
                first, second = (rows[measure.name, name] for name in pair)
                means[measure.name, pair] = second - first
            else:
                errors[measure.name, pair] = second - first
    columns = np.stack([*means.values()], axis=1) if means else np.empty((weight.size, 0))
    redraws = {
        measure.name: redraws_of(measure, models)
        for measure in measures
        if any(name == measure.name for name, _ in errors)
    }
    ranges = []
    exchanged: dict[tuple, list[np.ndarray]] = {key: [] for key in errors}
    resampled: dict[tuple, list[np.ndarray]] = {key: [] for key in errors}
    # A stream of its own, so that draws do not depend on the size of batches.
    rows_rng = np.random.default_rng(rng.integers(2**63, size=4)) if errors else rng
    step = max(1, _CELLS // weight.size)
    for start in range(0, n_resamples, step):
        stop = min(start + step, n_resamples)
        flipped = rng.random((stop - start, weight.size)) < 0.5
        ranges.append(subset_ranges(columns, weight, flipped))
        if errors:
            chosen = rows_rng.integers(weight.size, size=flipped.shape)
        drawn = {name: one.resampled(chosen) for name, one in redraws.items()}
        for (name, pair), difference in errors.items():
            first, second = (drawn[name][model] for model in pair)
            exchanged[name, pair].append(redraws[name].exchanged(*pair, flipped))
            with np.errstate(invalid="ignore"):  # of two models without a finite error
                resampled[name, pair].append(second - first - difference)
        say.count(stop, n_resamples, "draws")
    low, high = (np.concatenate(parts) for parts in zip(*ranges))
    for number, (key, difference) in enumerate(means.items()):
        scale = np.abs(difference).max()
        pvalue, *interval = infer_mean(low[:, number], high[:, number], scale, alpha)
        outcomes[key] = (float(np.average(difference, weights=weight)), pvalue, *interval)
    for key, difference in errors.items():
        found = [
            infer_difference(difference, np.concatenate(draws[key]), alpha)
            for draws in (exchanged, resampled)
        ]
        pvalues, lows, highs = zip(*found)
        outcomes[key] = (difference, max(pvalues), min(lows), max(highs))
    return outcomes
