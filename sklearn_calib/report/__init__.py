"""A report on one page: whether predictions are calibrated, and where they are wrong."""

from ._calibration_report import CalibrationReport, calibration_report

__all__ = ["CalibrationReport", "calibration_report"]


def __dir__():
    return sorted(__all__)
