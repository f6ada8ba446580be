"""Calibrators that are asked for by name."""

from ..._utils.compat import routing_enabled
from ...base import BaseBinaryCalibrator
from .._methods import calibrators_by_name
from .._multiclass.one_vs_rest import OneVsRestCalibrator

# What CalibratedClassifier(classifier) uses.
DEFAULT = "adaptive"


def calibrator_names():
    """Return the names that `resolve_calibrator` knows."""
    return sorted(calibrators_by_name())


def resolve_calibrator(calibrator):
    """Return the calibrator that a parameter is or names, None if the name is not known.

    Parameters
    ----------
    calibrator : calibrator, str or None
        A name stands for a calibrator with its default parameters, with one map for each class
        where the method is for two classes; None for the default. With metadata routing, they
        request `sample_weight`.
    """
    if calibrator is not None and not isinstance(calibrator, str):
        return calibrator
    name = DEFAULT if calibrator is None else calibrator
    kind = calibrators_by_name().get(name)
    if kind is None:
        return None
    made = kind()
    if isinstance(made, BaseBinaryCalibrator):
        made = OneVsRestCalibrator(kind.method_names[0])
    return made.set_fit_request(sample_weight=True) if routing_enabled() else made
