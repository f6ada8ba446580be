"""The rows at which the mean width of simulated intervals is a given number."""

import numpy as np

from .._confidence_interval import calibration_ci
from .._nulls.simulation import draw_labels
from .._pvalues import fewest_resamples

_FIRST = 400
_FEWEST, _MOST = 20, 20_000
_N_DATA = 8
_N_RESAMPLES = 199
_N_SIZES = 6
# Sizes that are this close need no other one between them.
_CLOSE = 1.03
# The power of n that widths fall with: 1/2 for most, 1 for squared errors.
_SLOWEST, _FASTEST = 0.25, 1.25


def rows_for_simulated_width(pilot, truth, width, rng, say, **options):
    """Return the rows at which intervals are `width` wide on average.

    Widths are simulated for sizes of up to 20,000 rows, each suggested by those before it; a larger
    size is where the line through the last two goes, in logarithms. `options` are further arguments
    of `calibration_ci`.
    """
    sizes: list[float] = []
    widths: list[float] = []
    wanted = float(_FIRST)
    for _ in range(_N_SIZES):
        n_samples = round(float(np.clip(wanted, _FEWEST, _MOST)))
        widths.append(_mean_width(pilot, truth, n_samples, rng, options))
        sizes.append(n_samples)
        say(f"mean width {widths[-1]:.4g} of the interval of {n_samples} rows")
        wanted = _suggest(np.log(sizes), np.log(widths), np.log(width))
        if max(wanted / n_samples, n_samples / wanted) < _CLOSE:
            break
        if n_samples in (_FEWEST, _MOST) and sizes.count(n_samples) > 1:
            break
    return max(wanted, 2.0)


def _suggest(sizes, widths, width):
    """Return the size for a width, all as logarithms, from the size closest to it."""
    nearest = np.abs(widths - width).argmin()
    rate = 0.5
    if np.ptp(sizes) > 0.1:
        rate = float(np.clip(-np.polyfit(sizes, widths, 1)[0], _SLOWEST, _FASTEST))
    return float(np.exp(sizes[nearest] + (widths[nearest] - width) / rate))


def _mean_width(pilot, truth, n_samples, rng, options):
    """Return the mean width of the intervals of several sets of labels."""
    proba = pilot.rows(n_samples)
    codes = draw_labels(rng, truth(proba), _N_DATA)
    fewest = fewest_resamples((1.0 - options["confidence_level"]) / 2.0)
    widths = []
    for labels in codes.T:
        low, high = calibration_ci(
            labels,
            proba,
            n_resamples=max(_N_RESAMPLES, int(fewest)),
            labels=np.arange(pilot.n_classes),
            random_state=rng,
            **options,
        )
        widths.append(high - low)
    mean = float(np.mean(widths))
    if not (np.isfinite(mean) and mean > 0.0):
        raise ValueError(
            f"The intervals of {options['metric']} have no finite positive width for {n_samples} "
            "rows like those in y_proba. Use another metric, or a pilot with more varied "
            "predictions."
        )
    return mean
