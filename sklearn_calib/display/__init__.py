"""Pictures in scikit-learn's display style: compute, store, draw."""

from ._comparison import CalibrationComparisonDisplay
from ._local_bias import LocalBiasDisplay
from ._null_distribution import NullDistributionDisplay
from ._reliability import ReliabilityDisplay

__all__ = [
    "CalibrationComparisonDisplay",
    "LocalBiasDisplay",
    "NullDistributionDisplay",
    "ReliabilityDisplay",
]


def __dir__():
    return sorted(__all__)
