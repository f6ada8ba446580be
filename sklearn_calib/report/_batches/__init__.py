"""Reports of rows that come in batches and are never in memory at once."""
