"""What goes into a fit, a prediction and their score: scores and labels, or rows."""
