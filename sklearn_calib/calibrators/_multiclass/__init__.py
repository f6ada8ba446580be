"""Calibrators of any number of classes."""
