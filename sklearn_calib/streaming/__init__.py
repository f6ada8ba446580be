"""States of calibration metrics, and summaries for calibrators, that take batches and merge.

For data that do not fit into memory, that come as a stream, or that lie on many machines.
"""

from ._state import CalibrationState
from ._summary import CalibrationSummary

__all__ = ["CalibrationState", "CalibrationSummary"]


def __dir__():
    return sorted(__all__)
