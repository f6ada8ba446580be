"""Tests of calibration, and estimates of where predictions are wrong."""

from ._check_calibration import check_calibration
from ._confidence_interval import CalibrationInterval, calibration_ci
from ._cross_validated import CrossValidatedTestResult, calibration_test_score
from ._groups.by_group import calibration_by_group
from ._groups.result import GroupCalibration
from ._local.band import LocalBiasBand, local_bias_band
from ._local.bias import local_calibration_bias
from ._nulls.given_draws import GivenDraws
from ._result import CalibrationTestResult

__all__ = [
    "CalibrationInterval",
    "CalibrationTestResult",
    "CrossValidatedTestResult",
    "GivenDraws",
    "GroupCalibration",
    "LocalBiasBand",
    "calibration_by_group",
    "calibration_ci",
    "calibration_test_score",
    "check_calibration",
    "local_bias_band",
    "local_calibration_bias",
]
