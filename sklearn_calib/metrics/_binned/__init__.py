"""Errors computed from bins."""
