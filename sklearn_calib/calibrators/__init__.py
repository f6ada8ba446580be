"""Maps from scores to calibrated probabilities, and their ways into a pipeline."""

from ._binary.beta import BetaCalibrator
from ._binary.centered_isotonic import CenteredIsotonicCalibrator
from ._binary.histogram import HistogramCalibrator
from ._binary.isotonic import IsotonicCalibrator
from ._binary.platt import PlattCalibrator
from ._binary.scaling_binning import ScalingBinningCalibrator
from ._binary.venn_abers import VennAbersCalibrator
from ._features.kernel_recalibrator import KernelRecalibrator
from ._multiclass.adaptive import AdaptiveCalibrator
from ._multiclass.dirichlet import DirichletCalibrator
from ._multiclass.matrix_scaling import MatrixScalingCalibrator
from ._multiclass.one_vs_rest import OneVsRestCalibrator
from ._multiclass.prior_shift import PriorShiftCalibrator
from ._multiclass.temperature import TemperatureCalibrator
from ._multiclass.vector_scaling import VectorScalingCalibrator
from ._wrappers.calibrated_classifier import CalibratedClassifier
from ._wrappers.cross_fit_transformer import CrossFitTransformer

__all__ = [
    "AdaptiveCalibrator",
    "BetaCalibrator",
    "CalibratedClassifier",
    "CenteredIsotonicCalibrator",
    "CrossFitTransformer",
    "DirichletCalibrator",
    "HistogramCalibrator",
    "IsotonicCalibrator",
    "KernelRecalibrator",
    "MatrixScalingCalibrator",
    "OneVsRestCalibrator",
    "PlattCalibrator",
    "PriorShiftCalibrator",
    "ScalingBinningCalibrator",
    "TemperatureCalibrator",
    "VectorScalingCalibrator",
    "VennAbersCalibrator",
]


def __dir__():
    return sorted(__all__)
