"""The networks that correct probabilities, by hand."""

import numpy as np
import pytest

from sklearn_calib._core.correction import network


def test_a_unit_of_a_network_at_zero_passes_nothing_on():
    """By hand: two hidden units with the values 2, 0 and -3 for three rows."""
    params = [
        (np.array([[1.0, -1.0]]), np.array([0.0, 0.0])),
        (np.array([[2.0], [10.0]]), np.array([0.5])),
    ]
    inputs = np.array([[2.0], [0.0], [-3.0]])
    assert network(params, None, inputs).tolist() == [[4.5], [0.5], [30.5]]
    skip = np.array([[100.0]])
    assert network(params, skip, inputs).tolist() == [[204.5], [0.5], [-269.5]]


def test_a_unit_of_a_network_at_zero_has_no_gradient():
    """The derivative that other software takes where the function has a corner."""
    jax = pytest.importorskip("jax")
    last = (np.array([[3.0]]), np.array([0.0]))

    def output(weight, value):
        first = (weight.reshape(1, 1), jax.numpy.zeros(1))
        return network([first, last], None, jax.numpy.array([[value]]), jax.numpy)[0, 0]

    slope = [float(jax.grad(output)(jax.numpy.array(w), v)) for w, v in ((0.0, 2.0), (1.0, 2.0))]
    assert slope == [0.0, 6.0]
