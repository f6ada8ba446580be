"""Between probabilities and log-odds."""

import numpy as np
from scipy.special import expit
from scipy.special import logit as _logit

__all__ = ["expit", "logit"]


def logit(p, eps=2.0**-52):
    """Return the log-odds of probabilities clipped to ``[eps, 1 - eps]``.

    With the default, the machine epsilon, exact 0 and 1 become -36.04 and 36.04.
    """
    return _logit(np.clip(p, eps, 1.0 - eps))
