"""The domain model: predictions, labels, targets, bins, bandwidths and features."""
