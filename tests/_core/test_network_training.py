"""The loss of the recalibration networks against reference values and plain loops."""

from functools import cache, partial
from itertools import pairwise

import jax
import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._core.gate import call
from sklearn_calib._core.network_training import Settings, TrainingRows, loss_terms, total_loss
from sklearn_calib._core.recalibration import initial_params
from tests._core._networks import evaluate, reference, some_rows
from tests._reference import load_cases, parametrize_cases


def _terms_total_and_gradient(*data, link):
    """Give all that is compared with reference values, so that a case is compiled once."""
    functions = loss_terms, total_loss, jax.grad(total_loss)
    return [function(*data, link=link) for function in functions]


@cache
def _evaluated(name):
    (case,) = (one for one in load_cases("recalibration") if one["name"] == name)
    return evaluate(_terms_total_and_gradient, case)


@reference
def test_terms_of_the_loss(case):
    (divergence, klce, _), total, _ = _evaluated(case["name"])
    assert_allclose(divergence, case["expected"]["distillation_term"], rtol=0, atol=1e-12)
    assert_allclose(klce, case["expected"]["kernel_term"], rtol=0, atol=1e-12)
    assert_allclose(total, case["expected"]["total_loss"], rtol=0, atol=1e-12)


@parametrize_cases("recalibration", keep=lambda case: "grad" in case["expected"])
def test_gradient(case):
    *_, gradient = _evaluated(case["name"])
    for k, (weights, biases) in enumerate(gradient):
        assert_allclose(weights, case["expected"]["grad"][f"W{k}"], rtol=0, atol=1e-12)
        assert_allclose(biases, case["expected"]["grad"][f"b{k}"], rtol=0, atol=1e-12)


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
    rows, rng = some_rows(n_classes)
    n_outputs = 1 if n_classes == 2 else n_classes
    sizes = [rows.inputs.shape[1], 5, n_outputs]
    params = [(0.3 * rng.normal(size=s), 0.1 * rng.normal(size=s[1])) for s in pairwise(sizes)]
    skip = 0.1 * rng.normal(size=(sizes[0], n_outputs))
    widths = np.array([0.7, 1.9])
    settings = Settings(0.0, 1.0, 0.0, 0.4, widths, 0.1, 0, 0, 0.0)
    terms = call(jax.jit(partial(loss_terms, link=link)), params, skip, rows, settings)
    assert_allclose(terms, _slow_terms(params, skip, rows, 0.4, widths, link), rtol=1e-11)


def test_rows_of_weight_zero_change_nothing():
    rows, _ = some_rows(3)
    params = [(np.zeros((6, 3)), np.zeros(3))]
    skip = np.random.default_rng(1).normal(size=(6, 3))
    settings = Settings(0.0, 1.0, 0.0, 0.4, np.ones(2), 0.1, 0, 0, 0.0)
    weight = rows.weight.copy()
    weight[8:] = 0.0
    evaluate = partial(call, jax.jit(partial(loss_terms, link="logit")), params, skip)
    padded = evaluate(rows._replace(weight=weight), settings)
    assert_allclose(padded, evaluate(TrainingRows(*(a[:8] for a in rows)), settings), rtol=1e-12)


@pytest.mark.parametrize("weights", [[1.0, 0.0, 0.0], [1e-9, 1.0, 0.0]])
def test_a_batch_without_pairs_has_finite_gradient(weights):
    """Nothing may divide zero by zero or differentiate a root at zero."""
    rows, _ = some_rows(2, n=3)
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
