"""Errors computed from pairs of rows."""
