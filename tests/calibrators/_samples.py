"""Samples for binary calibrators, and a gradient summed row by row."""

import numpy as np


def sample(seed, n_samples=60, power=1.5, ends=False):
    """Return probabilities with ties, labels that follow a distorted version, and weights."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(size=n_samples), 2)
    p = p if ends else np.clip(p, 0.01, 0.99)
    y = (rng.uniform(size=n_samples) < p**power).astype(int)
    y[:2] = [0, 1]
    return p, y, rng.uniform(0.1, 2.0, size=n_samples)


def mean_gradient(features, target, weight, coef):
    """Return the gradient of the mean log loss, summed row by row."""
    total = np.zeros(len(coef))
    for row, t, w in zip(features, target, weight):
        total += w * (1 / (1 + np.exp(-sum(c * x for c, x in zip(coef, row)))) - t) * row
    return total / sum(weight)
