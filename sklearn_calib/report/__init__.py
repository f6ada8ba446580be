"""A report: whether predictions are calibrated, and where they are wrong, on one page."""

from ._calibration_report import CalibrationReport, calibration_report

__all__ = ["CalibrationReport", "calibration_report"]
