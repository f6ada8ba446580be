"""Statistics of groups of rows with similar predictions."""
