"""Pictures in scikit-learn's display style: compute, store, draw."""

from ._comparison import CalibrationComparisonDisplay
from ._groups import GroupCalibrationDisplay
from ._local_bias import LocalBiasDisplay
from ._model_differences import ModelDifferenceDisplay
from ._monitoring.monitor import CalibrationMonitorDisplay
from ._null_distribution import NullDistributionDisplay
from ._reliability import ReliabilityDisplay

__all__ = [
    "CalibrationComparisonDisplay",
    "CalibrationMonitorDisplay",
    "GroupCalibrationDisplay",
    "LocalBiasDisplay",
    "ModelDifferenceDisplay",
    "NullDistributionDisplay",
    "ReliabilityDisplay",
]


def __dir__():
    return sorted(__all__)
