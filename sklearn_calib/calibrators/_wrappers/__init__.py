"""A classifier together with its calibrator, cross-fitted."""
