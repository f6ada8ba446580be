"""Which calibrators are fitted from a summary, and which rows they get."""

from __future__ import annotations

from sklearn.base import clone

from ...base import BaseBinaryCalibrator
from ...calibrators import AdaptiveCalibrator, OneVsRestCalibrator
from ...calibrators._methods import calibrators_by_name


def find_calibrator(calibrator, n_classes):
    """Return an unfitted copy of a calibrator of probabilities, or the one of a name."""
    if isinstance(calibrator, str):
        known = calibrators_by_name()
        if calibrator not in known:
            raise ValueError(
                f"calibrator must be a calibrator or one of {sorted(known)}, got {calibrator!r}."
            )
        kind = known[calibrator]
        made = kind(input="probability") if "input" in kind._get_param_names() else kind()
        several = n_classes > 2 and isinstance(made, BaseBinaryCalibrator)
        return OneVsRestCalibrator(calibrator, input="probability") if several else made
    for method in ("fit", "predict_proba"):
        if not hasattr(calibrator, method):
            raise TypeError(
                f"calibrator must be a name or have the methods fit and predict_proba, got "
                f"{calibrator!r}."
            )
    name = type(calibrator).__name__
    if getattr(calibrator, "takes_features", False):
        raise ValueError(f"{name} reads features, which a summary of probabilities does not hold.")
    scale = getattr(calibrator, "input_scale", "probability")
    if scale != "probability":
        raise ValueError(
            f"{calibrator} reads the scale {scale!r}, but a summary holds probabilities. Pass "
            f"{name}(input='probability')."
        )
    return clone(calibrator)


def inner_calibrator(calibrator):
    """Return the calibrator of each column of a one-vs-rest calibrator, or the calibrator."""
    if not isinstance(calibrator, OneVsRestCalibrator):
        return calibrator
    return calibrator._binary_calibrator()


def rows_for(calibrator, points):
    """Return probabilities, events and weights of the rows that a binary calibrator gets.

    Step functions get non-events and events of a cell at the same place, as they would separate
    them otherwise. The adaptive calibrator gets rows that are distributed like those they stand
    for, as it puts knots at quantiles.
    """
    inner = inner_calibrator(calibrator)
    if getattr(inner, "reads_scores", False):
        return points.pooled_rows()
    if isinstance(inner, AdaptiveCalibrator):
        return points.spread_rows()
    return points.separate_rows()
