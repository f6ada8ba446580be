"""Notice class predictions in place of probabilities, and probabilities in place of scores."""

import numpy as np

from .._utils.fitting_context import current_caller
from .._utils.stack import warn

# With fewer rows, zeros and ones alone are no sign of anything.
FEWEST_ROWS = 64
_SCALES = {"score": "scores", "logit": "logits", "log_probability": "log-probabilities"}


def is_hard(values):
    """Tell whether numbers, one column or several, look like the output of `predict`.

    The rule: at least 64 rows, every value is exactly 0 or 1 and both occur. In several columns,
    every row has a single one, and not always in the same column.
    """
    if values.shape[0] < FEWEST_ROWS or values[0, 0] not in (0.0, 1.0):
        return False
    if not np.all((values == 0.0) | (values == 1.0)):
        return False
    if values.shape[1] == 1:
        return bool(values.min() != values.max())
    return bool((values.sum(axis=1) == 1.0).all() and np.count_nonzero(values.any(axis=0)) > 1)


def warn_if_hard(values, name):
    """Warn if values look like the output of `predict` and nobody said that they may."""
    if current_caller() != "user" or not is_hard(values):
        return
    warn(
        f"All values of {name} are exactly 0 or 1, as if predict had been used instead of "
        "predict_proba. Pass the output of predict_proba; if these are its values, as those of an "
        "unpruned decision tree, this warning does not matter.",
    )


def warn_if_probabilities(scores, name, scale):
    """Warn if all scores for a calibrator of scores or logits lie in [0, 1].

    Class predictions, which `warn_if_hard` has spoken of, are not mentioned again. `name` is what
    the calibrator is called, and `scale` what it takes: "score", "logit" or "log_probability".
    """
    if current_caller() != "user" or is_hard(scores):
        return
    if scores.min() < 0.0 or scores.max() > 1.0:
        return
    warn(
        f"All values of S lie in [0, 1], but {name} takes {_SCALES[scale]}. Pass "
        "input='probability' if they are probabilities, to have them converted.",
    )
