"""Data for the study of local recalibration: planted with a known truth, and real."""

import numpy as np
from scipy.special import expit
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_calib.datasets import make_calibration_data


def planted(n, seed):
    """One feature, 0.25 too much on one side; the truth is logistic in the feature."""
    X, y, f = make_calibration_data(n, seed=seed)
    return X, y, f, expit(1.5 * X[:, 0])


def nonlinear(n, seed):
    """Two features, 0.25 too much where the second is positive; the truth waves in the first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    truth = expit(2.0 * np.sin(3.0 * X[:, 0]) + 0.7 * X[:, 1])
    forecast = np.where(X[:, 1] > 0, np.clip(truth + 0.25, 0.001, 0.999), truth)
    return X, rng.uniform(size=n) < truth, forecast, truth


def calibrated(n, seed):
    """One feature, nothing wrong."""
    X, y, f = make_calibration_data(n, miscalibration=0.0, seed=seed)
    return X, y, f, f


def calibrated_5(n, seed):
    """Five features, nothing wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    truth = expit(X @ [1.0, -0.8, 0.5, 0.3, 0.0])
    return X, rng.uniform(size=n) < truth, truth, truth


def _logistic_on(columns):
    """Return a logistic regression that sees some columns only."""
    seen = make_column_transformer((StandardScaler(), columns))
    return make_pipeline(seen, LogisticRegression(max_iter=2000))


def breast_cancer(seed):
    """Two classes; the classifier sees 3 of 30 features."""
    X, y = load_breast_cancer(return_X_y=True)
    split = train_test_split(X, y, test_size=0.4, stratify=y, random_state=seed)
    return _logistic_on([1, 4, 8]), *split


def wine(seed):
    """Three classes; the classifier sees 2 of 13 features."""
    X, y = load_wine(return_X_y=True)
    split = train_test_split(X, y, test_size=0.4, stratify=y, random_state=seed)
    return _logistic_on([1, 2]), *split


def subgroup_shift(seed):
    """Binary; labels of the rows beyond 0.5 in the first feature are drawn anew half the time."""
    rng = np.random.default_rng(seed)
    X, y = make_classification(
        4000, n_features=6, n_informative=4, n_redundant=0, shuffle=False, random_state=seed
    )
    redrawn = (X[:, 0] > 0.5) & (rng.uniform(size=len(y)) < 0.5)
    y = np.where(redrawn, rng.integers(0, 2, len(y)), y)
    split = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    return _logistic_on([1, 2, 3, 4, 5]), *split


def digits(seed):
    """Ten classes; the classifier sees the upper half of the picture."""
    X, y = load_digits(return_X_y=True)
    split = train_test_split(X, y, test_size=0.4, stratify=y, random_state=seed)
    return _logistic_on(list(range(32))), *split


REAL = {
    "breast cancer": breast_cancer,
    "wine": wine,
    "subgroup shift": subgroup_shift,
    "digits": digits,
}
