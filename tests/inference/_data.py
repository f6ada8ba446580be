"""Calibrated labels with features, for two classes and for more."""

import numpy as np


def binary_data(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X, p = rng.normal(size=(n, 2)), rng.uniform(0.05, 0.95, size=n)
    return (rng.random(n) < p).astype(int), p, X


def multiclass_data(n=60, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X, proba = rng.normal(size=(n, 2)), rng.dirichlet(np.ones(n_classes), size=n)
    return np.array([rng.choice(n_classes, p=row) for row in proba]), proba, X
