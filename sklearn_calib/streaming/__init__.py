"""States of calibration metrics that are updated by batches of rows and merged, and a monitor.

For data that do not fit into memory, that come as a stream, or that lie on many machines.
"""

from ._monitor import CalibrationMonitor
from ._monitoring.alarm import CalibrationAlarm
from ._sorted_skce import SortedSkceState
from ._state import CalibrationState

__all__ = ["CalibrationAlarm", "CalibrationMonitor", "CalibrationState", "SortedSkceState"]


def __dir__():
    return sorted(__all__)
