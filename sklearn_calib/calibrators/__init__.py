"""Maps from scores to calibrated probabilities, and their ways into a pipeline."""

from ._binary.beta import BetaCalibrator
from ._binary.histogram import HistogramCalibrator
from ._binary.isotonic import IsotonicCalibrator
from ._binary.platt import PlattCalibrator
from ._binary.temperature import TemperatureCalibrator
from ._features.kernel_recalibrator import KernelRecalibrator
from ._multiclass.one_vs_rest import OneVsRestCalibrator
from ._wrappers.calibrated_classifier import CalibratedClassifier
from ._wrappers.cross_fit_transformer import CrossFitTransformer

__all__ = [
    "BetaCalibrator",
    "CalibratedClassifier",
    "CrossFitTransformer",
    "HistogramCalibrator",
    "IsotonicCalibrator",
    "KernelRecalibrator",
    "OneVsRestCalibrator",
    "PlattCalibrator",
    "TemperatureCalibrator",
]
