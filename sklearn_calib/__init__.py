"""Probability calibration for scikit-learn.

Three questions about a classifier's probabilities: can I trust them (`metrics`,
`check_calibration`), where are they wrong (`local_calibration_bias`), and how do I fix them
(`calibrators`)?

Importing the package loads nothing else; each name is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

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
    "calibration_line": "inference",
    "calibration_report": "report",
    "check_calibration": "inference",
    "check_relevant_miscalibration": "inference",
    "compare_calibration": "inference",
    "local_bias_band": "inference",
    "local_calibration_bias": "inference",
}

__all__ = sorted([*_SUBMODULES, *_HOME])


if TYPE_CHECKING:  # type checkers and editors do not run the function below
    from . import base as base
    from . import calibrators as calibrators
    from . import datasets as datasets
    from . import display as display
    from . import inference as inference
    from . import kernels as kernels
    from . import metrics as metrics
    from . import report as report
    from .calibrators import AdaptiveCalibrator as AdaptiveCalibrator
    from .calibrators import BetaCalibrator as BetaCalibrator
    from .calibrators import CalibratedClassifier as CalibratedClassifier
    from .calibrators import CenteredIsotonicCalibrator as CenteredIsotonicCalibrator
    from .calibrators import CrossFitTransformer as CrossFitTransformer
    from .calibrators import DirichletCalibrator as DirichletCalibrator
    from .calibrators import HistogramCalibrator as HistogramCalibrator
    from .calibrators import IsotonicCalibrator as IsotonicCalibrator
    from .calibrators import KernelRecalibrator as KernelRecalibrator
    from .calibrators import MatrixScalingCalibrator as MatrixScalingCalibrator
    from .calibrators import OneVsRestCalibrator as OneVsRestCalibrator
    from .calibrators import PlattCalibrator as PlattCalibrator
    from .calibrators import PriorShiftCalibrator as PriorShiftCalibrator
    from .calibrators import ScalingBinningCalibrator as ScalingBinningCalibrator
    from .calibrators import TemperatureCalibrator as TemperatureCalibrator
    from .calibrators import VectorScalingCalibrator as VectorScalingCalibrator
    from .calibrators import VennAbersCalibrator as VennAbersCalibrator
    from .display import CalibrationComparisonDisplay as CalibrationComparisonDisplay
    from .display import LocalBiasDisplay as LocalBiasDisplay
    from .display import NullDistributionDisplay as NullDistributionDisplay
    from .display import ReliabilityDisplay as ReliabilityDisplay
    from .inference import calibration_line as calibration_line
    from .inference import check_calibration as check_calibration
    from .inference import check_relevant_miscalibration as check_relevant_miscalibration
    from .inference import compare_calibration as compare_calibration
    from .inference import local_bias_band as local_bias_band
    from .inference import local_calibration_bias as local_calibration_bias
    from .report import calibration_report as calibration_report
else:

    def __getattr__(name):
        if name in _SUBMODULES:
            return import_module(f"{__name__}.{name}")
        if name in _HOME:
            return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
