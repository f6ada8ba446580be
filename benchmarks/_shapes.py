"""Shapes of features and calibrated predictions on which tests are known to go wrong."""

import numpy as np
from scipy.special import expit, softmax


def uniform(rng, n):
    return rng.uniform(-2, 2, size=(n, 2)), rng.uniform(0.05, 0.95, size=n)


def bimodal(rng, n):
    return rng.normal(size=(n, 2)), rng.beta(0.2, 0.2, size=n)


def rare(rng, n):
    return rng.normal(size=(n, 2)), rng.beta(1, 30, size=n)


def uncertain_cluster(rng, n):
    """Put some rows into a tight cluster with p near one half, the rest far out and confident."""
    inside = rng.random(n) < 0.2
    X = np.where(inside[:, np.newaxis], rng.normal(0, 0.1, (n, 2)), rng.uniform(-4, 4, (n, 2)))
    confident = np.where(rng.random(n) < 0.5, 0.02, 0.98)
    return X, np.where(inside, rng.uniform(0.4, 0.6, n), confident)


def confident_cluster(rng, n):
    """Put most rows into a tight cluster with confident p, the rest far out and uncertain."""
    inside = rng.random(n) < 0.7
    X = np.where(inside[:, np.newaxis], rng.normal(0, 0.1, (n, 2)), rng.uniform(-4, 4, (n, 2)))
    return X, np.where(inside, rng.uniform(0.01, 0.03, n), rng.uniform(0.4, 0.6, n))


def threshold(rng, n):
    """Step from p = 0.02 to p = 0.5 where the feature exceeds 0.6."""
    x = rng.uniform(size=(n, 1))
    return x, np.where(x[:, 0] > 0.6, 0.5, 0.02)


def correlated(rng, n):
    common = rng.normal(size=(n, 1))
    X = common + 0.3 * rng.normal(size=(n, 5))
    return X, expit(X.mean(axis=1) + 0.3 * rng.normal(size=n))


def three_classes(rng, n):
    X = rng.normal(size=(n, 2))
    return X, softmax(X @ [[1.5, -1.0, 0.0], [0.0, 1.0, -2.0]], axis=1)


def ten_classes(rng, n):
    return rng.normal(size=(n, 3)), rng.dirichlet(np.full(10, 0.3), size=n)


SHAPES = {
    "uniform": uniform,
    "bimodal, confident": bimodal,
    "rare events": rare,
    "tight uncertain cluster": uncertain_cluster,
    "tight confident cluster": confident_cluster,
    "threshold in a feature": threshold,
    "correlated features": correlated,
    "3 classes": three_classes,
    "10 classes": ten_classes,
}


def draw(rng, proba):
    """Draw labels that follow the predictions, and return them with the list of classes."""
    if proba.ndim == 1:
        return (rng.random(proba.size) < proba).astype(int), [0, 1]
    cumulative = proba.cumsum(axis=1)
    cumulative /= cumulative[:, -1:]
    codes = (rng.random((len(proba), 1)) >= cumulative).sum(axis=1)
    return codes, list(range(proba.shape[1]))
