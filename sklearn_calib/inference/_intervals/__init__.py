"""How an interval of a calibration error is constructed."""
