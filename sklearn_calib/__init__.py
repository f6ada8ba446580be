"""Probability calibration for scikit-learn.

Three questions about a classifier's probabilities: can I trust them (`metrics`,
`check_calibration`), where are they wrong (`local_calibration_bias`), and how do I fix them
(`calibrators`)?

Importing the package loads nothing else; each name is imported when it is first used.
"""

from importlib import import_module

__version__ = "0.1.0"

_SUBMODULES = (
    "base",
    "calibrators",
    "datasets",
    "display",
    "inference",
    "kernels",
    "metrics",
    "report",
)
_HOME = {
    "AdaptiveCalibrator": "calibrators",
    "BetaCalibrator": "calibrators",
    "CalibratedClassifier": "calibrators",
    "CalibrationComparisonDisplay": "display",
    "CenteredIsotonicCalibrator": "calibrators",
    "CrossFitTransformer": "calibrators",
    "DirichletCalibrator": "calibrators",
    "HistogramCalibrator": "calibrators",
    "IsotonicCalibrator": "calibrators",
    "KernelRecalibrator": "calibrators",
    "LocalBiasDisplay": "display",
    "MatrixScalingCalibrator": "calibrators",
    "NullDistributionDisplay": "display",
    "OneVsRestCalibrator": "calibrators",
    "PlattCalibrator": "calibrators",
    "PriorShiftCalibrator": "calibrators",
    "ReliabilityDisplay": "display",
    "ScalingBinningCalibrator": "calibrators",
    "TemperatureCalibrator": "calibrators",
    "VectorScalingCalibrator": "calibrators",
    "VennAbersCalibrator": "calibrators",
    "calibration_report": "report",
    "check_calibration": "inference",
    "local_bias_band": "inference",
    "local_calibration_bias": "inference",
}

__all__ = sorted([*_SUBMODULES, *_HOME])


def __getattr__(name):
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
