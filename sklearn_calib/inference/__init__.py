"""Tests of calibration, and where predictions are wrong."""

from ._check_calibration import check_calibration
from ._nulls import GivenDraws
from ._result import CalibrationTestResult

__all__ = ["CalibrationTestResult", "GivenDraws", "check_calibration"]
