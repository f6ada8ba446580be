"""Statistics of cumulative residuals in the order of the predictions."""
