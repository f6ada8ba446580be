"""States of calibration metrics that are updated by batches of rows and merged.

For data that do not fit into memory, that come as a stream, or that lie on many machines.
"""

from ._state import CalibrationState

__all__ = ["CalibrationState"]


def __dir__():
    return sorted(__all__)
