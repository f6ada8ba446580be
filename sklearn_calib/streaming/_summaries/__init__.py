"""Summaries of calibration rows from which calibrators are fitted."""
