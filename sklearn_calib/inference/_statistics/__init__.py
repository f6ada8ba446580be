"""What a test computes from the data."""
