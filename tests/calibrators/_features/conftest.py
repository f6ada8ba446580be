"""A sample with local bias, and a recalibrator fitted on it."""

import numpy as np
import pytest
from scipy.special import expit

from sklearn_calib.datasets import make_calibration_data
from tests.calibrators._features._data import small_recalibrator


@pytest.fixture(scope="session")
def biased():
    """`[1 - p, p, x]`, labels, and the true probability, 0.25 below p where x >= 0."""
    X, y, f = make_calibration_data(1000, seed=0)
    return np.column_stack([1 - f, f, X]), y, expit(1.5 * X[:, 0])


@pytest.fixture(scope="session")
def fitted(biased):
    S, y, _ = biased
    return small_recalibrator().fit(S, y)
