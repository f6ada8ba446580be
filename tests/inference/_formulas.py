"""Slow and obvious forms of the statistics of one event, to compare with."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

STARTS = ([0.0, 1.0], [0.0, 0.0], [0.5, -1.0])


def one_event(y, proba):
    """Return the indicator and the probability of the positive class or of the top label."""
    if proba.ndim == 1:
        return (y == 1).astype(float), proba
    top = proba.argmax(axis=1)
    return (top == y).astype(float), proba[np.arange(len(y)), top]


def deciles(p, n_groups=10):
    """Return the rows of each group: floor(groups times the share of rows strictly below)."""
    number = np.array([int(n_groups * np.sum(p < one) / p.size + 1e-12) for one in p])
    return [np.flatnonzero(number == g) for g in range(n_groups) if np.any(number == g)]


def hosmer_lemeshow(y, proba, n_groups=10):
    e, p = one_event(y, proba)
    total = 0.0
    for rows in deciles(p, n_groups):
        n, mean = rows.size, p[rows].mean()
        total += (e[rows].sum() - n * mean) ** 2 / (n * mean * (1 - mean))
    return total


def pigeon_heyse(y, proba, n_groups=10):
    e, p = one_event(y, proba)
    total = 0.0
    for rows in deciles(p, n_groups):
        n, mean = rows.size, p[rows].mean()
        factor = np.sum(p[rows] * (1 - p[rows])) / (n * mean * (1 - mean))
        total += (e[rows].sum() - n * mean) ** 2 / (factor * n * mean * (1 - mean))
    return total


def partial_sums(y, proba):
    """Return the standardised sum of residuals up to each value that a prediction has."""
    e, p = one_event(y, proba)
    sums = [np.sum((e - p)[p <= level]) for level in np.unique(p)]
    return np.array([0.0, *sums]) / np.sqrt(np.sum(p * (1 - p)))


def ks(y, proba):
    return np.abs(partial_sums(y, proba)).max()


def kuiper(y, proba):
    return np.ptp(partial_sums(y, proba))


def log_likelihood(e, q, weight=1.0):
    q = np.clip(q, 1e-300, 1.0)
    return np.sum(weight * np.where(e == 1, np.log(q), np.log(np.maximum(1 - q, 1e-300))))


def cox_likelihood_ratio(y, proba, weight=1.0):
    e, p = one_event(y, proba)
    x = logit(p)

    def loss(theta):
        return -log_likelihood(e, expit(theta[0] + theta[1] * x), weight)

    options = {"xatol": 1e-9, "fatol": 1e-13}
    best = min(
        (minimize(loss, start, method="Nelder-Mead", options=options) for start in STARTS),
        key=lambda found: found.fun,
    )
    return 2 * (-best.fun - log_likelihood(e, p, weight))


def standardized_skce(y, proba, h=0.2, kernel=lambda d: np.exp(-d)):
    e, p = one_event(y, proba)
    total = variance = 0.0
    for i in range(p.size):
        for j in range(p.size):
            if i != j:
                k = kernel(abs(p[i] - p[j]) / h)
                total += k * (e[i] - p[i]) * (e[j] - p[j])
                variance += 2 * k**2 * p[i] * (1 - p[i]) * p[j] * (1 - p[j])
    return total / np.sqrt(variance)
