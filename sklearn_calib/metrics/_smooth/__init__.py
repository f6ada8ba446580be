"""Errors computed from smoothed residuals."""
