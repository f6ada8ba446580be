"""Which of several models is better, and why."""

import numpy as np

from ..._utils.results import tell_apart
from ...inference._pvalues import level_of_tests
from ...inference._row_scores import LABELS


def verdict_on_models(report):
    """Return which model is better, by what, and what calibration has to do with it.

    Parameters
    ----------
    report : ModelsReport
        The report.
    """
    label = score_label(report)
    others = [name for name in report.reports if name != report.best]
    told = [tell(report, other, label) for tell in (_reason, _hidden) for other in others]
    return " ".join([report.comparison.verdict, *filter(None, told)])


def score_label(report):
    """Return the name of the first score that is finite for all models, in words."""
    values = report.comparison.values.values()
    return next(
        label for name, label in LABELS.items() if all(np.isfinite(own[name]) for own in values)
    )


def could_be_better(report, other, label):
    """Return whether recalibration could make another model the better one."""
    left_best, left_other = (
        parts.score - parts.miscalibration for parts in _parts(report, other, label)
    )
    alpha = level_of_tests(report.comparison.confidence_level)
    return left_other < left_best and report.reports[other].tests["omnibus"].pvalue <= alpha


def _parts(report, other, label):
    """Return the components of the score of the best model and of another one."""
    return [report.reports[name].decomposition[label] for name in (report.best, other)]


def _reason(report, other, label):
    """Return where the difference in the score comes from."""
    best, one = _parts(report, other, label)
    changes = {
        "calibration": one.miscalibration - best.miscalibration,
        "discrimination": best.discrimination - one.discrimination,
    }
    clauses = [
        f"{'gains' if size > 0.0 else 'loses'} {abs(size):.2g} by "
        f"{'better' if size > 0.0 else 'worse'} {what}"
        for what, size in sorted(changes.items(), key=lambda item: -item[1])
        if size != 0.0
    ]
    if not clauses:
        return ""
    mean = " (in the mean over the classes)" if best.target == "classwise" else ""
    return f"Compared with {other}{mean}, {report.best} {' and '.join(clauses)} ({label})."


def _hidden(report, other, label):
    """Return a sentence if recalibration could make another model the better one."""
    if not could_be_better(report, other, label):
        return ""
    best, one = _parts(report, other, label)
    low, high = tell_apart(*(parts.score - parts.miscalibration for parts in (one, best)))
    return (
        f"{other} tells rows apart better and is miscalibrated: after recalibration its {label} "
        f"could be {low}, and that of {report.best} {high}. Recalibrate both before you choose."
    )
