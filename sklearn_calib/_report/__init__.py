"""The parts of the calibration report: its numbers, its regions, its pages, and its input files."""
