"""Training of the recalibration networks against reference values and slow oracles."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib._core.recalibration import (
    _draw_batches,
    held_out_rows,
    initial_params,
    log_probabilities,
    network,
    train_networks,
)
from tests._core._networks import case_data, reference, some_rows, train_case


@reference
@pytest.mark.slow
def test_training_curve_and_predictions(case):
    steps = case["params"]["num_steps"]
    curve = train_case(case, steps + 1).loss_curve
    for step, loss in case["expected"]["losses"].items():
        assert_allclose(curve[int(step)], loss, rtol=0, atol=1e-9)
    trained = train_case(case, steps)
    assert trained.n_iter == trained.best_iter == steps
    for k, (weights, biases) in enumerate(trained.params):
        if "final_params" in case["expected"]:
            assert_allclose(weights[0], case["expected"]["final_params"][f"W{k}"], atol=1e-9)
            assert_allclose(biases[0], case["expected"]["final_params"][f"b{k}"], atol=1e-9)
    for suffix in ("", "_query"):
        inputs, base = case_data(case, suffix)
        output = network(trained.params, np.zeros((inputs.shape[1], 1)), inputs)[0]
        proba = np.exp(log_probabilities(base, output, "identity"))[:, 1]
        expected = case["expected"]["predict_proba" + suffix]
        assert_allclose(proba, expected, rtol=0, atol=1e-9)


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


def _best(scores, tol):
    """Return the number of the check that is kept: later ones are not better by more than tol."""
    best = 0
    for k, score in enumerate(scores):
        if score > scores[best] + tol:
            best = k
    return best


def _train_with_held_out_rows(n_iter_no_change, tol):
    rows, rng = some_rows(3, n=40)
    held_out = held_out_rows(rows.codes, 2, 0.25, rng)
    return train_networks(
        *rows,
        params=initial_params([6, 8, 3], 2, np.random.default_rng(0)),
        skip=np.zeros((2, 6, 3)),
        held_out=held_out,
        batch_size=40,
        link="logit",
        alpha=0.0,
        beta=0.0,
        gamma=1.0,
        prob_bandwidth=1.0,
        feature_bandwidth=np.ones(2),
        learning_rate=0.01,
        max_iter=300,
        n_iter_no_change=n_iter_no_change,
        tol=tol,
    )


@pytest.mark.parametrize("tol", [0.0, 0.2])
def test_training_stops_so_many_steps_after_the_best_check(tol):
    """A check every 20 steps; training itself does not depend on when it stops."""
    whole = _train_with_held_out_rows(10_000, tol)
    scores = whole.validation_scores
    assert (whole.n_iter, scores.size, whole.stopped) == (300, 16, False)
    for patience in (20, 50, 60, 100):
        known = (k for k in range(16) if 20 * (k - _best(scores[: k + 1], tol)) >= patience)
        last = next(known, 15)
        made = _train_with_held_out_rows(patience, tol)
        assert made.n_iter == 20 * last
        assert made.best_iter == 20 * _best(scores[: last + 1], tol)
        assert made.stopped == (made.n_iter - made.best_iter >= patience)
        assert_array_equal(made.validation_scores, scores[: last + 1])
