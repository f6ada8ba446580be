"""Errors over groups of rows."""
