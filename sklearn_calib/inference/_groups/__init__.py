"""For whom predictions are wrong."""
