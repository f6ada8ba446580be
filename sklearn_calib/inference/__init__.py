"""Tests of calibration, intervals, comparisons of models, and audits of groups and regions."""

from ._calibration_line import CalibrationLineResult, calibration_line
from ._check_calibration import check_calibration
from ._compare_calibration import compare_calibration
from ._comparison.result import CalibrationComparison, ModelDifference
from ._confidence_interval import CalibrationInterval, GroupIntervals, calibration_ci
from ._cross_validated import CrossValidatedTestResult, calibration_test_score
from ._groups.by_group import calibration_by_group
from ._groups.result import GroupCalibration
from ._local.band import LocalBiasBand, local_bias_band
from ._local.bias import local_calibration_bias
from ._nulls.given_draws import GivenDraws
from ._relevant import RelevantMiscalibrationResult, check_relevant_miscalibration
from ._result import CalibrationTestResult
from ._sample_size.required import required_sample_size
from ._sample_size.result import RequiredSampleSize
from ._statistics.omnibus.outcome import OmnibusPart

__all__ = [
    "CalibrationComparison",
    "CalibrationInterval",
    "CalibrationLineResult",
    "CalibrationTestResult",
    "CrossValidatedTestResult",
    "GivenDraws",
    "GroupCalibration",
    "GroupIntervals",
    "LocalBiasBand",
    "ModelDifference",
    "OmnibusPart",
    "RelevantMiscalibrationResult",
    "RequiredSampleSize",
    "calibration_by_group",
    "calibration_ci",
    "calibration_line",
    "calibration_test_score",
    "check_calibration",
    "check_relevant_miscalibration",
    "compare_calibration",
    "local_bias_band",
    "local_calibration_bias",
    "required_sample_size",
]


def __dir__():
    return sorted(__all__)
