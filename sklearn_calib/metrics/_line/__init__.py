"""Logistic recalibration: the slope, the intercept, and observed against expected events."""
