"""Every statistic of `check_calibration` that has a name: one line here runs the common tests.

A test fails as long as a name that `check_calibration` accepts is not here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sklearn_calib import metrics


@dataclass(frozen=True)
class NamedStatistic:
    """What the common tests need to know of a statistic.

    Attributes
    ----------
    function : callable
        ``function(y_true, y_proba)``, or with a third argument `X`, computes it on its own.
    features : bool
        Whether it takes `X`.
    """

    function: Callable
    features: bool = False

    def arguments(self, y, proba, X):
        """Return the positional arguments of a call."""
        return (y, proba, X) if self.features else (y, proba)


STATISTICS = {
    "skce": NamedStatistic(metrics.skce),
    "kce": NamedStatistic(metrics.kce),
    "mmce": NamedStatistic(metrics.mmce),
    "klce": NamedStatistic(metrics.klce, features=True),
    "ece": NamedStatistic(metrics.ece),
    "mce": NamedStatistic(metrics.mce),
    "average_calibration_error": NamedStatistic(metrics.average_calibration_error),
}
