"""Log-odds with one column for two classes, and log-probabilities with one column per class."""

import numpy as np

from ..._core import recalibration as core
from ..._utils.links import expit, softmax


def to_proba(logits):
    """Return the probabilities, one column (that of the second class) for two classes."""
    return expit(logits) if logits.shape[-1] == 1 else softmax(logits)


def log_loss(logits, target):
    """Return the log loss of each row.

    `logits` are log-odds (one output) or log-probabilities up to a constant, and `target` is one
    where the row has the class of the output.
    """
    if logits.shape[-1] == 1:
        return np.logaddexp(0.0, logits[..., 0]) - target[..., 0] * logits[..., 0]
    top = logits.max(axis=-1)
    log_sum = top + np.log(np.exp(logits - top[..., np.newaxis]).sum(axis=-1))
    return log_sum - (target * logits).sum(axis=-1)


def to_logits(proba):
    """Return the log-odds of the second of two classes, or log-probabilities, kept finite."""
    clipped = np.clip(proba, core.SMALLEST, 1.0 - core.SMALLEST)
    if proba.shape[1] == 2:
        return np.log(clipped[:, 1:]) - np.log(clipped[:, :1])
    return np.log(clipped)


def to_target(codes, n_classes):
    """Return one where the row has the class of the output."""
    if n_classes == 2:
        return codes[:, np.newaxis].astype(float)
    return (codes[:, np.newaxis] == np.arange(n_classes)).astype(float)
