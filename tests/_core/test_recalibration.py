"""Training of the recalibration networks against reference values and slow oracles."""

from functools import partial
from itertools import pairwise

import jax
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib._core.gate import call
from sklearn_calib._core.network_training import Rows, Settings, loss_terms, total_loss
from sklearn_calib._core.recalibration import (
    _draw_batches,
    held_out_rows,
    initial_params,
    log_probabilities,
    network,
    train_networks,
)
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
@pytest.mark.slow
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


def _rows(n_classes, n=12, n_features=2, seed=0):
    rng = np.random.default_rng(seed)
    base = rng.dirichlet(np.ones(n_classes), size=n)
    seen = base[:, 1:] if n_classes == 2 else base
    inputs = np.column_stack([np.ones(n), seen, rng.normal(size=(n, n_features))])
    codes = rng.integers(0, n_classes, n).astype(np.int32)
    return Rows(inputs, base, codes, rng.uniform(0.5, 2.0, n)), rng


def _slow_terms(params, skip, rows, prob_bandwidth, feature_bandwidth, link):
    """Add up the definitions, row by row and pair by pair."""
    n, n_classes = rows.base.shape
    new = np.empty((n, n_classes))
    for i in range(n):
        value = rows.inputs[i]
        for w, b in params[:-1]:
            value = np.maximum(value @ w + b, 0.0)
        output = value @ params[-1][0] + params[-1][1] + rows.inputs[i] @ skip
        if n_classes == 2:
            output = np.array([0.0 if link == "logit" else -output[0], output[0]])
        if link == "logit":
            raw = rows.base[i] * np.exp(output)
        else:
            raw = np.clip(rows.base[i] + output, 1e-6, 1 - 1e-6)
        new[i] = raw / raw.sum()
    weight, total = rows.weight, rows.weight.sum()
    divergence = log_loss = pair_sum = pair_weight = 0.0
    for i in range(n):
        divergence += weight[i] / total * (rows.base[i] @ np.log(rows.base[i] / new[i]))
        log_loss -= weight[i] / total * np.log(new[i, rows.codes[i]])
        for j in range(n):
            if i != j:
                kept = slice(1, None) if n_classes == 2 else slice(None)
                d_prob = (new[i, kept] - new[j, kept]) / prob_bandwidth
                d_feature = (rows.inputs[i, -2:] - rows.inputs[j, -2:]) / feature_bandwidth
                kernel = np.exp(-(d_prob @ d_prob) - d_feature @ d_feature)
                e_i = (np.eye(n_classes)[rows.codes[i]] - new[i])[kept]
                e_j = (np.eye(n_classes)[rows.codes[j]] - new[j])[kept]
                pair_sum += weight[i] * weight[j] * kernel * (e_i @ e_j)
                pair_weight += weight[i] * weight[j]
    return divergence, pair_sum / pair_weight, log_loss


@pytest.mark.parametrize("link", ["logit", "identity"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_terms_against_plain_loops(n_classes, link):
    rows, rng = _rows(n_classes)
    n_outputs = 1 if n_classes == 2 else n_classes
    sizes = [rows.inputs.shape[1], 5, n_outputs]
    params = [(0.3 * rng.normal(size=s), 0.1 * rng.normal(size=s[1])) for s in pairwise(sizes)]
    skip = 0.1 * rng.normal(size=(sizes[0], n_outputs))
    widths = np.array([0.7, 1.9])
    settings = Settings(0.0, 1.0, 0.0, 0.4, widths, 0.1, 0, 0, 0.0)
    terms = call(jax.jit(partial(loss_terms, link=link)), params, skip, rows, settings)
    assert_allclose(terms, _slow_terms(params, skip, rows, 0.4, widths, link), rtol=1e-11)


def test_rows_of_weight_zero_change_nothing():
    rows, _ = _rows(3)
    params = [(np.zeros((6, 3)), np.zeros(3))]
    skip = np.random.default_rng(1).normal(size=(6, 3))
    settings = Settings(0.0, 1.0, 0.0, 0.4, np.ones(2), 0.1, 0, 0, 0.0)
    weight = rows.weight.copy()
    weight[8:] = 0.0
    evaluate = partial(call, jax.jit(partial(loss_terms, link="logit")), params, skip)
    padded = evaluate(rows._replace(weight=weight), settings)
    assert_allclose(padded, evaluate(Rows(*(a[:8] for a in rows)), settings), rtol=1e-12)


@pytest.mark.parametrize("weights", [[1.0, 0.0, 0.0], [1e-9, 1.0, 0.0]])
def test_a_batch_without_pairs_has_finite_gradient(weights):
    """As C35: nothing may divide zero by zero or differentiate a root at zero."""
    rows, _ = _rows(2, n=3)
    rows = rows._replace(
        weight=np.array(weights), base=np.eye(2)[[0, 1, 1]], codes=np.int32([0, 1, 1])
    )
    params = [
        tuple(a[0] for a in layer)
        for layer in initial_params([4, 5, 1], 1, np.random.default_rng(0))
    ]
    settings = Settings(0.02, 1.0, 0.1, 0.4, np.ones(2), 0.1, 0, 0, 0.0)
    gradient = call(
        jax.jit(partial(jax.grad(total_loss), link="logit")),
        params,
        np.zeros((4, 1)),
        rows,
        settings,
    )
    assert all(np.isfinite(a).all() for layer in gradient for a in layer)


def test_networks_start_at_no_correction():
    params = initial_params([4, 8, 8, 3], 2, np.random.default_rng(0))
    output = network(params, np.zeros((4, 3)), np.random.default_rng(1).normal(size=(7, 4)))
    assert output.shape == (2, 7, 3)
    assert not output.any()
    assert all(w.any() for w, _ in params[:-1])


@pytest.mark.parametrize(("n_networks", "fraction"), [(5, 0.2), (4, 0.25), (1, 0.1)])
def test_held_out_rows_have_the_classes_in_proportion(n_networks, fraction):
    codes = np.repeat([0, 1, 2], [200, 150, 50])
    held_out = held_out_rows(codes, n_networks, fraction, np.random.default_rng(0))
    assert held_out.shape == (n_networks, 400 * fraction)
    if n_networks > 1:
        assert_array_equal(np.sort(held_out.ravel()), np.arange(400))
    for own in held_out:
        share = np.bincount(codes[own], minlength=3)
        assert_allclose(share, fraction * np.array([200, 150, 50]), atol=2.0)


@pytest.mark.parametrize("batch_size", [7, 100])
def test_no_network_trains_on_its_held_out_rows(batch_size):
    held_out = held_out_rows(np.arange(40) % 2, 4, 0.25, np.random.default_rng(0))
    batches = _draw_batches(40, held_out, batch_size, 12, np.random.default_rng(1))
    for k, own in enumerate(held_out):
        assert not np.isin(own, batches[:, k]).any()
        used = np.unique(batches[:4, k])  # an epoch is 30 // 7 = 4 batches
        assert used.size == (28 if batch_size == 7 else 30)
