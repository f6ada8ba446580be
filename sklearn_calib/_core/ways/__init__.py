"""The ways to add up pairs of rows."""
