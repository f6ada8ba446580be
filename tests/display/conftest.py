import numpy as np
import pytest


@pytest.fixture(scope="session")
def models():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    return (rng.random(300) < p).astype(int), {"raw": p**2, "calibrated": p}


@pytest.fixture(scope="session")
def binary():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 2, 400)
    return (rng.random(400) < p**1.3).astype(int), p


@pytest.fixture(scope="session")
def multiclass():
    rng = np.random.default_rng(1)
    proba = rng.dirichlet([1, 2, 0.5], 300)
    return np.array(["ant", "bee", "cat"])[rng.integers(3, size=300)], proba
