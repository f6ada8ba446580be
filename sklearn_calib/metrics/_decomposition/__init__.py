"""Decomposition of proper scores by isotonic recalibration."""
