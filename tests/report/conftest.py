import numpy as np
import pytest

from sklearn_calib import (
    calibration_report,
)
from sklearn_calib.datasets import make_calibration_data


@pytest.fixture(scope="session")
def binary():
    X, y, p = make_calibration_data(n=300, seed=1)
    X = np.column_stack([X, np.random.default_rng(0).normal(size=300)])
    return y.astype(int), p, X


@pytest.fixture(scope="session")
def report(binary):
    return calibration_report(*binary, n_resamples=99, feature_names=["age", "dose"])


@pytest.fixture(scope="session")
def multiclass():
    rng = np.random.default_rng(2)
    proba = rng.dirichlet([1.0, 1.0, 2.0], 200)
    truth = np.where(rng.random((200, 1)) < 0.5, proba, proba[:, [1, 0, 2]])
    codes = [rng.choice(3, p=row) for row in truth]
    return np.array(["ant", "bee", "cat"])[codes], proba, rng.normal(size=(200, 2))
