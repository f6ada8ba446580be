"""Maps from scores to calibrated probabilities, and their ways into a pipeline."""

from ._beta import BetaCalibrator
from ._calibrated_classifier import CalibratedClassifier
from ._cross_fit_transformer import CrossFitTransformer
from ._histogram import HistogramCalibrator
from ._isotonic import IsotonicCalibrator
from ._kernel_recalibrator import KernelRecalibrator
from ._one_vs_rest import OneVsRestCalibrator
from ._platt import PlattCalibrator
from ._temperature import TemperatureCalibrator

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
