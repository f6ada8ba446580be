"""What parameters of estimators may be, where scikit-learn's own constraints let too much pass."""

from numbers import Integral

import numpy as np

from .compat import Interval as AnyInterval
from .compat import StrOptions
from .options import is_finite_real

__all__ = ["N_JOBS", "Interval", "StrOptions"]


class Interval(AnyInterval):
    """An interval of finite numbers, to which booleans do not belong."""

    def is_satisfied_by(self, value):
        """Return whether a parameter lies in it."""
        if self.type is Integral:
            return not isinstance(value, bool | np.bool_) and super().is_satisfied_by(value)
        return is_finite_real(value) and super().is_satisfied_by(value)


# All processors but some, or a number of processes.
N_JOBS = [
    Interval(Integral, None, -1, closed="right"),
    Interval(Integral, 1, None, closed="left"),
    None,
]
