"""The exponent of the probabilities with the largest likelihood, against a general optimiser."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from sklearn_calib.inference._statistics.omnibus.findings import _fit_exponent


@pytest.mark.parametrize("true", [0.05, 0.4, 1.0, 3.0, 12.0])
def test_the_exponent_is_that_of_the_largest_likelihood(true):
    rng = np.random.default_rng(0)
    gain = rng.normal(size=(400, 3))
    gain -= gain.mean(axis=1, keepdims=True)
    cumulative = softmax(true * gain, axis=1).cumsum(axis=1)
    codes = (cumulative < rng.random((400, 1))).sum(axis=1)
    weight = rng.uniform(0.5, 2.0, size=400)
    found = _fit_exponent(gain, SimpleNamespace(codes=codes), weight)

    def loss(b):
        return -weight @ log_softmax(b * gain, axis=1)[np.arange(400), codes]

    best = minimize_scalar(loss, bounds=(1e-3, 100.0), method="bounded", options={"xatol": 1e-10})
    assert found == pytest.approx(best.x, rel=1e-5)


def test_there_is_none_where_the_likelihood_grows_without_end():
    gain = np.array([[1.0, -1.0], [-1.0, 1.0], [2.0, -2.0]])
    right, wrong = (SimpleNamespace(codes=np.array(codes)) for codes in ([0, 1, 0], [1, 0, 1]))
    assert _fit_exponent(gain, right, np.ones(3)) is None
    assert _fit_exponent(gain, wrong, np.ones(3)) is None
    assert _fit_exponent(np.zeros((3, 2)), right, np.ones(3)) is None
