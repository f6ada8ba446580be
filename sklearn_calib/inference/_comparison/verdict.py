"""The outcome of a comparison in words."""

import numpy as np

from .._pvalues import level_of_tests
from .._row_scores import SCORES


def deciding_measure(values):
    """Return the name of what decides which model is best.

    It is the first score that is finite for a model; without scores the first metric.
    """
    names = [*next(iter(values.values()))]
    scores = [name for name in names if name in SCORES] or names[:1]
    finite = [one for one in scores if any(np.isfinite(own[one]) for own in values.values())]
    return (finite or scores)[0]


def write_verdict(result):
    """Return which model is better, by how much, and what speaks against it.

    Parameters
    ----------
    result : CalibrationComparison
        The outcome.
    """
    best, measure = result.best, deciding_measure(result.values)
    sentences = [_against(result, best, other, measure) for other in result.models if other != best]
    return " ".join([*_infinite(result), *sentences, *_tests(result, best)])


def _against(result, best, other, measure):
    """Return the sentence on the best model and another one."""
    mine = {one.measure: one for one in result.between(other, best)}
    main = mine.pop(measure)
    label, level = main.label, f"{100 * result.confidence_level:g} %"
    better = "better" if measure in SCORES else "better calibrated"
    if np.isnan(main.difference):
        head = f"{best} and {other} cannot be compared by the {label}, which is not finite for both"
    elif np.isinf(main.difference):
        head = f"By the {label}, {best} is {better} than {other} on these rows, without a p-value"
        more = [mine[name] for name in SCORES if name in mine and mine[name].difference <= 0.0]
        head += "".join(f"; its {one.label} is {_lower(one, level)}" for one in more)
    elif main.difference == main.low == main.high == 0.0:
        head = f"{best} and {other} have the same {label}"
    elif main.adjusted_pvalue <= level_of_tests(result.confidence_level):
        head = f"{best} is {better} than {other}: its {label} is {_lower(main, level)}"
    else:
        head = (
            f"{best} and {other} cannot be told apart by the {label}: that of {best} is "
            f"{_lower(main, level)}"
        )
    against = [
        f"its {one.label} is higher by {one.difference:.3g} ({_pvalue(one)})"
        for one in mine.values()
        if one.difference > 0.0
    ]
    return head + (f", although {' and '.join(against)}" if against else "") + "."


def _lower(one, level):
    """Return how much lower the second model of a comparison is, as part of a sentence."""
    less, low, high = (0.0 - end for end in (one.difference, one.high, one.low))  # never "-0"
    interval = f"{level} interval {low:.3g} to {high:.3g}"
    return f"lower by {less:.3g} ({interval}, {_pvalue(one)})"


def _pvalue(one):
    return f"p = {one.adjusted_pvalue:.2g}"


def _infinite(result):
    """Yield what is wrong with models of infinite log loss."""
    for name, n_rows in result.n_impossible.items():
        if n_rows:
            yield (
                f"The log loss of {name} is infinite: in {n_rows} row{'s' * (n_rows > 1)} it gave "
                "probability zero to what happened."
            )


def _tests(result, best):
    """Yield what tests of calibration say about the best model."""
    if not result.calibration_pvalues:
        return
    alpha, pvalue = level_of_tests(result.confidence_level), result.calibration_pvalues[best]
    if pvalue > alpha:
        return
    passed = [name for name, p in result.calibration_pvalues.items() if p > alpha]
    text = f"A test finds {best} miscalibrated (p = {pvalue:.2g})"
    if passed:
        text += f", but not {' and '.join(passed)}"
    yield f"{text}. That is a reason to recalibrate {best}, not to give it up."
