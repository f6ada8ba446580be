"""Truths that a recalibrator should find: a score, features, and a known error of the score.

Each maker returns ``(X, y, f, truth)``: a table of features, labels, forecasts, true probabilities.
Log-odds of the forecast have a standard deviation near 1.5 and depend on three of four features.
"""

import numpy as np
import pandas as pd
from scipy.special import expit

N_CATEGORIES = 12


def _draw(n, seed, error, heavy=False, n_features=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_t(1.5, (n, n_features)) if heavy else rng.normal(size=(n, n_features))
    score = np.clip(X[:, :3], -3, 3) @ [0.8, -0.6, 0.4] + rng.normal(size=n)
    truth = expit(score + error(score, X))
    X = pd.DataFrame(X, columns=[f"x{k + 1}" for k in range(n_features)])
    return X, rng.uniform(size=n) < truth, expit(score), truth


def step(n, seed):
    """Log-odds 0.8 too low where the first feature is above 0.5."""
    return _draw(n, seed, lambda s, X: 0.8 * (X[:, 0] > 0.5))


def interaction(n, seed):
    """Log-odds wrong by 0.8, with the sign of the product of two features."""
    return _draw(n, seed, lambda s, X: 0.8 * np.sign(X[:, 0] * X[:, 1]))


def smooth(n, seed):
    """Log-odds wrong by a wave in the first feature and a line in the second."""
    return _draw(n, seed, lambda s, X: 0.8 * np.sin(2.0 * X[:, 0]) + 0.3 * X[:, 1])


def right(n, seed):
    """Nothing is wrong."""
    return _draw(n, seed, lambda s, X: 0.0 * s)


def score_only(n, seed):
    """Log-odds too large, and shifted, whatever the features."""
    return _draw(n, seed, lambda s, X: -0.4 * s + 0.3)


def categories(n, seed):
    """Twelve categories, each with its own shift and slope of the log-odds."""
    effects = np.random.default_rng(1000 + seed % 10_000)
    shift = 0.5 * effects.normal(size=N_CATEGORIES)
    slope = 0.4 * effects.normal(size=N_CATEGORIES)
    rng = np.random.default_rng(seed)
    category = rng.integers(N_CATEGORIES, size=n)
    score = 1.5 * rng.normal(size=n)
    truth = expit(score + shift[category] + slope[category] * score)
    names = np.array([f"c{k:02d}" for k in range(N_CATEGORIES)])
    X = pd.DataFrame({"category": pd.Categorical(names[category], categories=names)})
    return X, rng.uniform(size=n) < truth, expit(score), truth


def innocent(n, seed, n_features=4, heavy=False):
    """Nothing is wrong; any number of features, by request with heavy tails (t, 1.5 degrees)."""
    return _draw(n, seed, lambda s, X: 0.0 * s, heavy, n_features)


TRUTHS = {
    "step": step,
    "interaction": interaction,
    "12 categories": categories,
    "smooth": smooth,
    "calibrated": right,
    "wrong score only": score_only,
}
SIZES = (500, 2000, 10_000)


def excess_log_loss(truth, proba):
    """Return the expected log loss above that of the truth."""
    proba = np.clip(proba, 1e-12, 1 - 1e-12)
    q = np.clip(truth, 1e-300, 1.0)
    other = np.clip(1 - truth, 1e-300, 1.0)
    return float(np.mean(q * np.log(q / proba) + other * np.log(other / (1 - proba))))
