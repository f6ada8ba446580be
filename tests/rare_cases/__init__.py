"""Refusals, texts and shortcuts that few data meet."""
