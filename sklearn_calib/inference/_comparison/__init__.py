"""Compare the predictions of several models for the same rows."""
