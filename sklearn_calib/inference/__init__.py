"""Tests of calibration, and where predictions are wrong."""

from ._bias_band import LocalBiasBand, local_bias_band
from ._check_calibration import check_calibration
from ._local_bias import local_calibration_bias
from ._nulls import GivenDraws
from ._result import CalibrationTestResult

__all__ = [
    "CalibrationTestResult",
    "GivenDraws",
    "LocalBiasBand",
    "check_calibration",
    "local_bias_band",
    "local_calibration_bias",
]
