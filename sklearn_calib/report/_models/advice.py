"""What to do next with several models: which one to take, and how to go on with it."""

import numpy as np
from scipy.stats import norm

from ...inference._comparison.verdict import deciding_measure
from ...inference._pvalues import level_of_tests
from .._advice import listed, round_up
from .verdict import could_be_better, score_label

# Share of samples that show a difference, when rows for it are counted.
_POWER = 0.8
# More rows than this many times those of the report are not worth a number.
_MOST_ROWS = 100


def advise_on_models(report):
    """Return in a paragraph which model to take and what to do next.

    The paired comparison by the deciding score says which model is better. A model that would be
    the better one after recalibration keeps the choice open.

    Parameters
    ----------
    report : ModelsReport
        The report.
    """
    best, comparison = report.best, report.comparison
    measure = deciding_measure(comparison.values)
    mains = {
        other: next(one for one in comparison.between(other, best) if one.measure == measure)
        for other in comparison.models
        if other != best
    }
    alpha = level_of_tests(comparison.confidence_level)
    worse = [name for name, one in mains.items() if _is_clear(one, alpha)]
    equal = [name for name in mains if name not in worse]
    label = score_label(report)
    hidden = [name for name in mains if could_be_better(report, name, label)]
    if hidden:
        return (
            f"Before you choose, recalibrate {listed([best, *hidden])}, and compare the results on "
            f"rows that the recalibration has not seen: as they are, {best} has the lowest "
            f"{mains[hidden[0]].label}, but {listed(hidden)} could be better once recalibrated. "
            "The part on each model names a calibrator where it finds an error. If you must choose "
            f"now, take {best}."
        )
    own = f"The next step with {best}: {report.reports[best].advice}"
    if not equal:
        return (
            f"Take {best}: in the paired comparison its predictions are better than those of "
            f"{listed(worse)}. {own}"
        )
    rest = f" {listed(worse)} {_are(worse)} worse." if worse else ""
    return (
        f"Take the one of {listed([best, *equal])} that is simpler or cheaper to run, or {best} "
        f"if nothing else decides: these {comparison.n_samples:,} rows do not show which is "
        f"better.{_rows_needed(mains, equal, comparison)}{rest} {own}"
    )


def _is_clear(one, alpha):
    """Return whether a difference is more than chance; an infinite one has no p-value."""
    return np.isinf(one.difference) or one.adjusted_pvalue <= alpha


def _are(names):
    return "is" if len(names) == 1 else "are"


def _rows_needed(mains, equal, comparison):
    """Return how many rows would show the smallest difference that is not shown, in a sentence."""
    n_rows = comparison.n_samples
    if len(equal) > 1:
        return " More rows may show it."
    (one,) = (mains[name] for name in equal)
    half, level = 0.5 * (one.high - one.low), norm.isf(0.5 * (1.0 - comparison.confidence_level))
    if not np.isfinite(half) or one.difference == 0.0:
        return ""
    times = ((level + norm.ppf(_POWER)) / level * half / abs(one.difference)) ** 2
    if times > _MOST_ROWS:
        return f" It would take over {_MOST_ROWS} times as many to show so small a difference."
    return (
        f" If it matters, compare them again on about {round_up(max(times, 1.0) * n_rows):,} rows,"
        f" which would show a difference of this size in {100 * _POWER:g} % of samples."
    )
