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
    "streaming",
)
_HOME = {
    "AdaptiveCalibrator": "calibrators",
    "BetaCalibrator": "calibrators",
    "CalibratedClassifier": "calibrators",
    "CalibrationComparisonDisplay": "display",
    "CalibrationMonitor": "streaming",
    "CalibrationMonitorDisplay": "display",
    "CalibrationState": "streaming",
    "CalibrationSummary": "streaming",
    "CenteredIsotonicCalibrator": "calibrators",
    "CrossFitTransformer": "calibrators",
    "DirichletCalibrator": "calibrators",
    "GroupCalibrationDisplay": "display",
    "HistogramCalibrator": "calibrators",
    "IsotonicCalibrator": "calibrators",
    "KernelRecalibrator": "calibrators",
    "LocalBiasDisplay": "display",
    "MatrixScalingCalibrator": "calibrators",
    "ModelDifferenceDisplay": "display",
    "NullDistributionDisplay": "display",
    "OneVsRestCalibrator": "calibrators",
    "PlattCalibrator": "calibrators",
    "PriorShiftCalibrator": "calibrators",
    "ReliabilityDisplay": "display",
    "ScalingBinningCalibrator": "calibrators",
    "SortedSkceState": "streaming",
    "TemperatureCalibrator": "calibrators",
    "VectorScalingCalibrator": "calibrators",
    "VennAbersCalibrator": "calibrators",
    "average_calibration_error": "metrics",
    "calibration_bins": "metrics",
    "calibration_by_group": "inference",
    "calibration_ci": "inference",
    "calibration_intercept": "metrics",
    "calibration_line": "inference",
    "calibration_report": "report",
    "calibration_slope": "metrics",
    "calibration_test_score": "inference",
    "check_calibration": "inference",
    "check_relevant_miscalibration": "inference",
    "compare_calibration": "inference",
    "ece": "metrics",
    "ece_sweep": "metrics",
    "get_scorer": "metrics",
    "get_scorer_names": "metrics",
    "integrated_calibration_index": "metrics",
    "kce": "metrics",
    "kde_ece": "metrics",
    "klce": "metrics",
    "ks_calibration_error": "metrics",
    "kuiper_calibration_error": "metrics",
    "local_bias_band": "inference",
    "local_calibration_bias": "inference",
    "make_calibration_scorer": "metrics",
    "mce": "metrics",
    "miscalibration": "metrics",
    "mmce": "metrics",
    "multicalibration_error": "metrics",
    "observed_expected_ratio": "metrics",
    "overconfidence": "metrics",
    "required_sample_size": "inference",
    "score_decomposition": "metrics",
    "skce": "metrics",
    "smooth_calibration_error": "metrics",
    "smooth_ece": "metrics",
    "ucme": "metrics",
    "underconfidence": "metrics",
    "weighted_mmce": "metrics",
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
    from . import streaming as streaming
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
    from .display import CalibrationMonitorDisplay as CalibrationMonitorDisplay
    from .display import GroupCalibrationDisplay as GroupCalibrationDisplay
    from .display import LocalBiasDisplay as LocalBiasDisplay
    from .display import ModelDifferenceDisplay as ModelDifferenceDisplay
    from .display import NullDistributionDisplay as NullDistributionDisplay
    from .display import ReliabilityDisplay as ReliabilityDisplay
    from .inference import calibration_by_group as calibration_by_group
    from .inference import calibration_ci as calibration_ci
    from .inference import calibration_line as calibration_line
    from .inference import calibration_test_score as calibration_test_score
    from .inference import check_calibration as check_calibration
    from .inference import check_relevant_miscalibration as check_relevant_miscalibration
    from .inference import compare_calibration as compare_calibration
    from .inference import local_bias_band as local_bias_band
    from .inference import local_calibration_bias as local_calibration_bias
    from .inference import required_sample_size as required_sample_size
    from .metrics import average_calibration_error as average_calibration_error
    from .metrics import calibration_bins as calibration_bins
    from .metrics import calibration_intercept as calibration_intercept
    from .metrics import calibration_slope as calibration_slope
    from .metrics import ece as ece
    from .metrics import ece_sweep as ece_sweep
    from .metrics import get_scorer as get_scorer
    from .metrics import get_scorer_names as get_scorer_names
    from .metrics import integrated_calibration_index as integrated_calibration_index
    from .metrics import kce as kce
    from .metrics import kde_ece as kde_ece
    from .metrics import klce as klce
    from .metrics import ks_calibration_error as ks_calibration_error
    from .metrics import kuiper_calibration_error as kuiper_calibration_error
    from .metrics import make_calibration_scorer as make_calibration_scorer
    from .metrics import mce as mce
    from .metrics import miscalibration as miscalibration
    from .metrics import mmce as mmce
    from .metrics import multicalibration_error as multicalibration_error
    from .metrics import observed_expected_ratio as observed_expected_ratio
    from .metrics import overconfidence as overconfidence
    from .metrics import score_decomposition as score_decomposition
    from .metrics import skce as skce
    from .metrics import smooth_calibration_error as smooth_calibration_error
    from .metrics import smooth_ece as smooth_ece
    from .metrics import ucme as ucme
    from .metrics import underconfidence as underconfidence
    from .metrics import weighted_mmce as weighted_mmce
    from .report import calibration_report as calibration_report
    from .streaming import CalibrationMonitor as CalibrationMonitor
    from .streaming import CalibrationState as CalibrationState
    from .streaming import CalibrationSummary as CalibrationSummary
    from .streaming import SortedSkceState as SortedSkceState
else:

    def __getattr__(name):
        if name in _SUBMODULES:
            return import_module(f"{__name__}.{name}")
        if name in _HOME:
            return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
