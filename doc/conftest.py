"""Doctests are in the pages that are written by hand."""

collect_ignore_glob = ["*.py", "examples/*", "auto_examples/*", "generated/*", "_build/*"]
