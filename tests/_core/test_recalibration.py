"""Training of the recalibration networks against reference values and slow oracles."""

from functools import partial

import jax
import numpy as np
from numpy.testing import assert_allclose

from sklearn_calib._core._gate import call
from sklearn_calib._core._network_training import Rows, Settings, loss_terms, total_loss
from sklearn_calib._core._recalibration import log_probabilities, network, train_networks
from tests._reference import parametrize_cases

reference = parametrize_cases("recalibration")


def _data(case, suffix=""):
    p = np.array(case["inputs"]["y_proba" + suffix])
    x = np.array(case["inputs"]["x_cal" if not suffix else "x" + suffix]).reshape(p.size, -1)
    return np.column_stack([np.ones_like(p), p, x]), np.column_stack([1 - p, p])


def _initial(case):
    given = {name: np.array(value) for name, value in case["inputs"]["init_params"].items()}
    layers = range(len(given) // 2)
    return [(given[f"W{k}"][np.newaxis], given[f"b{k}"][np.newaxis]) for k in layers]


def _options(case):
    params = case["params"]
    n_features = _data(case)[0].shape[1] - 2
    return {
        "alpha": params["alpha"],
        "beta": params["beta"],
        "gamma": 0.0,
        "prob_bandwidth": params["sigma_k_used"],
        "feature_bandwidth": np.full(n_features, params["sigma_l_used"]),
        "learning_rate": params["learning_rate"],
    }


def _train(case, max_iter):
    inputs, base = _data(case)
    n = len(base)
    codes = np.array(case["inputs"]["y"], dtype=int)
    return train_networks(
        inputs,
        base,
        codes,
        np.ones(n),
        params=_initial(case),
        skip=np.zeros((1, inputs.shape[1], 1)),
        held_out=np.empty((1, 0), dtype=int),
        batch_size=n,
        link="identity",
        max_iter=max_iter,
        **_options(case),
    )


def _evaluate(function, case):
    inputs, base = _data(case)
    codes = np.array(case["inputs"]["y"], dtype=np.int32)
    settings = Settings(**_options(case), max_iter=0, n_iter_no_change=0, tol=0.0)
    params = [(w[0], b[0]) for w, b in _initial(case)]
    rows = Rows(inputs, base, codes, np.ones(len(base)))
    skip = np.zeros((inputs.shape[1], 1))
    return call(jax.jit(partial(function, link="identity")), params, skip, rows, settings)


@reference
def test_terms_of_the_loss(case):
    divergence, klce, _ = _evaluate(loss_terms, case)
    assert_allclose(divergence, case["expected"]["distillation_term"], rtol=0, atol=1e-12)
    assert_allclose(klce, case["expected"]["kernel_term"], rtol=0, atol=1e-12)
    total = _evaluate(total_loss, case)
    assert_allclose(total, case["expected"]["total_loss"], rtol=0, atol=1e-12)


@parametrize_cases("recalibration", keep=lambda case: "grad" in case["expected"])
def test_gradient(case):
    gradient = _evaluate(jax.grad(total_loss), case)
    for k, (weights, biases) in enumerate(gradient):
        assert_allclose(weights, case["expected"]["grad"][f"W{k}"], rtol=0, atol=1e-12)
        assert_allclose(biases, case["expected"]["grad"][f"b{k}"], rtol=0, atol=1e-12)


@reference
def test_training_curve_and_predictions(case):
    steps = case["params"]["num_steps"]
    curve = _train(case, steps + 1).loss_curve
    for step, loss in case["expected"]["losses"].items():
        assert_allclose(curve[int(step)], loss, rtol=0, atol=1e-9)
    trained = _train(case, steps)
    assert trained.n_iter == trained.best_iter == steps
    for k, (weights, biases) in enumerate(trained.params):
        if "final_params" in case["expected"]:
            assert_allclose(weights[0], case["expected"]["final_params"][f"W{k}"], atol=1e-9)
            assert_allclose(biases[0], case["expected"]["final_params"][f"b{k}"], atol=1e-9)
    for suffix in ("", "_query"):
        inputs, base = _data(case, suffix)
        output = network(trained.params, np.zeros((inputs.shape[1], 1)), inputs)[0]
        proba = np.exp(log_probabilities(base, output, "identity"))[:, 1]
        expected = case["expected"]["predict_proba" + suffix]
        assert_allclose(proba, expected, rtol=0, atol=1e-9)
