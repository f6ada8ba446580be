"""Predictions for the kernel errors."""

import numpy as np


def kernel_data(kind, n_classes, n=31, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "smooth":
        P = rng.dirichlet(np.ones(n_classes), size=n)
    elif kind == "hard":
        P = np.eye(n_classes)[rng.integers(0, n_classes, n)]
    elif kind == "sharp":
        P = rng.dirichlet(np.full(n_classes, 0.1), size=n)
    elif kind == "constant":
        P = np.tile(rng.dirichlet(np.ones(n_classes)), (n, 1))
    else:
        P = rng.dirichlet(np.ones(n_classes), size=5)[rng.integers(0, 5, n)]
    return rng.integers(0, n_classes, n), P, rng.uniform(0.1, 3.0, n)
