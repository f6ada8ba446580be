"""States of calibration metrics, summaries for calibrators, and a monitor; all of them merge.

For data that do not fit into memory, that come as a stream, or that lie on many machines.
"""

from ._monitor import CalibrationMonitor
from ._monitoring.alarm import CalibrationAlarm
from ._sorted_skce import SortedSkceState
from ._state import CalibrationState
from ._summary import CalibrationSummary

__all__ = [
    "CalibrationAlarm",
    "CalibrationMonitor",
    "CalibrationState",
    "CalibrationSummary",
    "SortedSkceState",
]


def __dir__():
    return sorted(__all__)
