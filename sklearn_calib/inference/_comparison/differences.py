"""Differences between two models, with the draws in which they change places."""

from dataclasses import replace

import numpy as np

from ..._utils.progress import reporter
from .flips import infer_difference, infer_mean, subset_ranges

_CELLS = 4_000_000


def compare_pairs(models, measures, pairs, *, n_resamples, alpha, rng, verbose):
    """Return ``(difference, pvalue, low, high)`` of each measure and pair.

    Parameters
    ----------
    models : dict of str to Predictions
        The predictions.
    measures : list of Measure
        What they are compared by.
    pairs : list of (str, str)
        Names; a difference is that of the second model minus that of the first.
    n_resamples : int
        Number of draws; each flips a random half of the rows of all pairs.
    alpha : float
        One minus the confidence level.
    rng : Generator
        Makes the draws.
    verbose : int
        Whether to print progress.

    Returns
    -------
    outcomes : dict of (str, (str, str)) to tuple of float
    """
    say = reporter("compare_calibration", verbose)
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
    value_of = {measure.name: measure.value for measure in measures}
    ranges, draws = [], {key: [] for key in errors}
    step = max(1, _CELLS // weight.size)
    for start in range(0, n_resamples, step):
        stop = min(start + step, n_resamples)
        flipped = rng.random((stop - start, weight.size)) < 0.5
        ranges.append(subset_ranges(columns, weight, flipped))
        for flip in flipped if errors else ():
            for (name, pair), values in draws.items():
                values.append(_exchanged(models, pair, flip, value_of[name]))
        say(f"{stop} of {n_resamples} draws")
    low, high = (np.concatenate(parts) for parts in zip(*ranges))
    for number, (key, difference) in enumerate(means.items()):
        scale = np.abs(difference).max()
        pvalue, *interval = infer_mean(low[:, number], high[:, number], scale, alpha)
        outcomes[key] = (float(np.average(difference, weights=weight)), pvalue, *interval)
    for key, difference in errors.items():
        outcomes[key] = (difference, *infer_difference(difference, np.array(draws[key]), alpha))
    return outcomes


def _exchanged(models, pair, flip, value):
    """Return the difference after the models have changed places in the flipped rows."""
    first, second = (models[name] for name in pair)
    flip = flip[:, np.newaxis]
    new_first = replace(first, proba=np.where(flip, second.proba, first.proba))
    new_second = replace(second, proba=np.where(flip, first.proba, second.proba))
    return value(new_second) - value(new_first)
