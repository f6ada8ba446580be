"""Predictions for the binned errors, and each norm as a function."""

import numpy as np

from sklearn_calib.metrics import average_calibration_error, ece, mce

FUNCTIONS = {
    "l1": ece,
    "l2": lambda *data, **options: ece(*data, norm="l2", **options),
    "max": mce,
    "mean": average_calibration_error,
}


def binned_data(kind, n_classes, seed):
    """Return labels and probabilities: smooth, tied, on the edges of ten bins, or 0 and 1."""
    rng = np.random.default_rng(seed)
    n = 60
    if kind == "smooth":
        P = rng.dirichlet(np.ones(n_classes), size=n)
    elif kind == "hard":
        P = np.eye(n_classes)[rng.integers(0, n_classes, n)]
    elif kind == "tenths":
        P = rng.multinomial(10, rng.dirichlet(np.ones(n_classes)), size=n) / 10
    else:
        P = rng.dirichlet(np.ones(n_classes), size=4)[rng.integers(0, 4, n)]
    return rng.integers(0, n_classes, n), P
