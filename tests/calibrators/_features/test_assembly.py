"""Parts are fitted on top of each other: what the networks start from."""

import numpy as np
from numpy.testing import assert_allclose

from sklearn_calib.calibrators._features import assembly
from sklearn_calib.calibrators._features.assembly import NetworkOptions, Training, fit_parts
from sklearn_calib.calibrators._features.inputs import InputMap
from sklearn_calib.calibrators._features.parts import NetworksPart


def test_networks_are_added_to_the_linear_part_as_far_as_it_is_taken(monkeypatch):
    """The linear part here doubles the log-odds, which is what the labels need."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.1, 0.9, size=2000)
    codes = (rng.random(2000) < p**2 / (p**2 + (1 - p) ** 2)).astype(int)
    base = np.column_stack([1 - p, p])
    input_map = InputMap("logit", False, []).fit(base, None, np.ones(2000))
    held_out = np.arange(2000).reshape(2, 1000)
    training = Training(input_map.transform(base, None), codes, np.ones(2000), held_out)
    calls = []

    def train(training, base, skip, hidden, options, rng):
        calls.append((skip, hidden))
        weights = [np.zeros((2, 2, 3)), np.zeros((2, 3, 1))] if hidden else [np.zeros((2, 2, 1))]
        if not hidden:
            weights[0][:, 1] = 1.0
        return NetworksPart(weights, [np.zeros((2, one.shape[2])) for one in weights])

    monkeypatch.setattr(assembly, "_train", train)
    options = NetworkOptions([3], 2, 0.1, "logit", {"say": lambda *words: None})
    found = fit_parts(training, ("linear", "networks"), input_map, options, rng)
    (first, no_layers), (skip, layers) = calls
    assert (first, no_layers, layers) == (None, [], [3])
    taken = skip[0, 1, 0]  # which the choice beside the networks changes a little
    assert 0.9 < taken < 1.2
    assert_allclose(skip, np.broadcast_to([[0.0], [taken]], (2, 2, 1)))
    assert_allclose(found.parts["linear"].factor, taken, rtol=0.05)
    assert found.parts["networks"].factor == 0.0
    assert found.losses[1] < found.losses[0]
