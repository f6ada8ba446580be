"""Calibrators that read features."""
