"""The picture of a monitor over time."""
