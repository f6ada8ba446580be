"""Calibration rows of different shapes, and losses of fitted calibrators."""

import numpy as np


def _normal(rng, n):
    z = 2 * rng.normal(size=n)
    return 1 / (1 + np.exp(-z)), 1 / (1 + np.exp(-0.7 * z - 0.3)), None


def _rare(rng, n):
    p = rng.beta(0.3, 30, n)
    return p, 0.5 * p**0.9, None


def _forest(rng, n):
    p = rng.binomial(100, rng.beta(0.5, 0.5, n)) / 100
    return p, 0.1 + 0.8 * p, None


def _single_precision(rng, n):
    p = rng.random(n).astype(np.float32)
    return p, p**2, 2 * rng.random(n)


def _extreme(rng, n):
    p = rng.beta(0.05, 0.05, n)
    p[:20], p[20:40] = 0.0, 1.0
    return p, np.clip(p, 0.02, 0.98), None


def _rounded(rng, n):
    p = np.round(rng.beta(1, 4, n), 3)
    return p, p, rng.integers(1, 5, n)


SHAPES = {
    "normal": _normal,
    "rare": _rare,
    "forest": _forest,
    "single precision": _single_precision,
    "extreme": _extreme,
    "rounded": _rounded,
}


def binary_rows(shape, n=2000, seed=0):
    """Return labels, probabilities and weights or None."""
    rng = np.random.default_rng(seed)
    p, rate, weight = SHAPES[shape](rng, n)
    return (rng.random(n) < rate).astype(int), p, weight


def several_rows(n=3000, seed=0, n_classes=4):
    """Return text labels, probabilities of several classes and weights."""
    rng = np.random.default_rng(seed)
    z = 2 * rng.normal(size=(n, n_classes))
    proba = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    rate = np.exp(0.6 * z) / np.exp(0.6 * z).sum(axis=1, keepdims=True)
    codes = (rate.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return np.array(list("abcdefgh"))[codes], proba, rng.integers(1, 4, n)


def mean_loss(loss, calibrator, y, proba, weight, smoothed=False):
    """Return the loss that a calibrator minimises, row by row."""
    p = calibrator.predict_proba(proba)[:, 1]
    if loss == "brier_score":
        return np.average((y - p) ** 2, weights=weight)
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    target = y.astype(float)
    if smoothed:
        n1, n0 = weight[y == 1].sum(), weight[y == 0].sum()
        target = np.where(y == 1, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    log_p, log_q = np.log(p), np.log(calibrator.predict_proba(proba)[:, 0])
    terms = np.where(target > 0, target * log_p, 0.0)
    terms += np.where(target < 1, (1 - target) * log_q, 0.0)
    return -np.average(terms, weights=weight)
