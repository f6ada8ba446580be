"""How many rows a test or an interval needs."""
