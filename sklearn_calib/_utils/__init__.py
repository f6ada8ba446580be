"""Shared ground: options, docstring texts, files, progress, results and other packages."""
