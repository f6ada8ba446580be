"""Where predictions are wrong."""
