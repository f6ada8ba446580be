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
    return total / np.sqrt(variance)


def slope_score(y, proba):
    """Standardise what the intercept leaves of the derivative by the slope."""
    happened, p = one_event(y, proba)
    x = log_odds(p)
    v = p * (1 - p)
    spread = np.sum(v * x**2) - np.sum(v * x) ** 2 / np.sum(v)
    total = np.sum((happened - p) * x) - np.sum(v * x) / np.sum(v) * np.sum(happened - p)
    return total / np.sqrt(spread)


def ranks(values):
    return [(np.sum(values < one) + 0.5 * np.sum(values == one)) / len(values) for one in values]


def pairs(happened, p, kernel):
    """Return the sum over pairs of standardised residuals times kernel, and its null spread."""
    scaled = [(a - b) / np.sqrt(max(b * (1 - b), 1 / p.size)) for a, b in zip(happened, p)]
    spread = [np.sqrt(b * (1 - b)) / np.sqrt(max(b * (1 - b), 1 / p.size)) for b in p]
    total = variance = 0.0
    for i in range(p.size):
        for j in range(p.size):
            if i != j:
                total += kernel(i, j) * scaled[i] * scaled[j]
                variance += 2 * (kernel(i, j) * spread[i] * spread[j]) ** 2
    return total, np.sqrt(variance)


def rank_skce(y, proba, bandwidth=0.05):
    happened, p = one_event(y, proba)
    rank = ranks(p)
    total, _ = pairs(happened, p, lambda i, j: np.exp(-abs(rank[i] - rank[j]) / bandwidth))
    return total / (p.size * (p.size - 1))


def feature_rank_skce(y, proba, X, bandwidth=0.1):
    happened, p = one_event(y, proba)
    largest = -np.inf
    for feature in X.T:
        rank = ranks(feature)

        def kernel(i, j, rank=rank):
            return np.exp(-abs(rank[i] - rank[j]) / bandwidth)

        total, spread = pairs(happened, p, kernel)
        largest = max(largest, total / spread)
    return largest


def median_distance(columns):
    distances = [np.linalg.norm(a - b) for k, a in enumerate(columns) for b in columns[:k]]
    return np.median(distances)


def normalized_klce(y, proba, X):
    """Average products of standardised residuals over pairs, weighted by one over the spreads."""
    happened, p = one_event(y, proba)
    widths = [0.5 * np.sqrt(X.shape[1]) * median_distance(x[:, np.newaxis]) for x in X.T]
    scaled = np.column_stack([p / median_distance(p[:, np.newaxis]), X / widths])
    kernel = np.exp(-((scaled[:, np.newaxis] - scaled[np.newaxis]) ** 2).sum(axis=2))
    total, _ = pairs(happened, p, lambda i, j: kernel[i, j])
    weight = 1 / np.sqrt(np.maximum(p * (1 - p), 1 / p.size))
    return total / (weight.sum() ** 2 - np.sum(weight**2))
