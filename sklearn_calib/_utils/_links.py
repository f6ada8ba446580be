"""Between probabilities and log-odds."""

import numpy as np
from scipy.special import expit
from scipy.special import logit as _logit

__all__ = ["expit", "logit"]


def logit(p, eps=np.finfo(np.float64).eps):
    """Return the log-odds of probabilities clipped to ``[eps, 1 - eps]``.

    With the default, exact 0 and 1 become -36.04 and 36.04.
    """
    return _logit(np.clip(p, eps, 1.0 - eps))
