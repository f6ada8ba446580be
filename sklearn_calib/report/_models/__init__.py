"""The report of several models for the same rows."""
