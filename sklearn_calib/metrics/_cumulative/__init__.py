"""Calibration errors from cumulative sums of residuals in the order of the predictions."""
