"""Calibrators of one event."""
