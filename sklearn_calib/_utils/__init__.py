"""Shared ground: input validation, targets, bins, scikit-learn compatibility and docstrings."""
