"""Slow and obvious score statistics, row by row and from the definition of a score test."""

import numpy as np


def events(y, proba):
    """Return (happened, probability) of each class; binary data have the positive class only."""
    if proba.ndim == 1:
        return [((y == 1).astype(float), proba)]
    return [((y == k).astype(float), proba[:, k]) for k in range(proba.shape[1])]


def one_event(y, proba):
    """Return (happened, probability) of the positive class or of the largest probability."""
    if proba.ndim == 1:
        return events(y, proba)[0]
    top = proba.argmax(axis=1)
    return (y == top).astype(float), proba.max(axis=1)


def quadratic_form(happened, p, columns):
    """Add up derivatives and their covariances over the rows, then solve."""
    total, covariance = 0.0, 0.0
    for y, rate, row in zip(happened, p, np.column_stack(columns)):
        total = total + (y - rate) * row
        covariance = covariance + rate * (1 - rate) * np.outer(row, row)
    return total @ np.linalg.solve(covariance, total)


def log_odds(p):
    return np.log(p / (1 - p))


def cox_score(y, proba):
    happened, p = one_event(y, proba)
    return quadratic_form(happened, p, [np.ones(p.size), log_odds(p)])


def classwise_score(y, proba):
    return max(
        quadratic_form(happened, p, [np.ones(p.size), log_odds(p)])
        for happened, p in events(y, proba)
    )


def logistic_score(y, proba, X):
    happened, p = one_event(y, proba)
    return quadratic_form(happened, p, [np.ones(p.size), log_odds(p), *X.T])


def temperature_score(y, proba):
    proba = np.column_stack([1 - proba, proba]) if proba.ndim == 1 else proba
    total = variance = 0.0
    for label, row in zip(y, proba):
        mean = row @ np.log(row)
        total += np.log(row[label]) - mean
        variance += row @ (np.log(row) - mean) ** 2
    return total**2 / variance


def rank_skce(y, proba, bandwidth=0.05):
    happened, p = one_event(y, proba)
    n = p.size
    rank = [(np.sum(p < one) + 0.5 * np.sum(p == one)) / n for one in p]
    scaled = [(a - b) / np.sqrt(max(b * (1 - b), 1 / n)) for a, b in zip(happened, p)]
    total = 0.0
    for i in range(n):
        for j in range(n):
            if i != j:
                total += np.exp(-abs(rank[i] - rank[j]) / bandwidth) * scaled[i] * scaled[j]
    return total / (n * (n - 1))
