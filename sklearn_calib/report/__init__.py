"""A report on one page: whether predictions are calibrated, and where they are wrong."""

from ._calibration_report import calibration_report
from ._models.result import ModelsReport
from ._result import CalibrationReport

__all__ = ["CalibrationReport", "ModelsReport", "calibration_report"]


def __dir__():
    return sorted(__all__)
