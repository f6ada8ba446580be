"""The smooth calibration error: its linear program, known answers, bounds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from sklearn_calib.metrics import ece, smooth_calibration_error
from sklearn_calib.metrics._smooth.smooth_calibration_error import _least_cost
from tests.metrics._registry import multiclass_data


def _linear_program(y, p, w=None):
    """Maximise the sum over one value of f per row, with the condition on each pair of rows."""
    n = len(p)
    w = np.full(n, 1 / n) if w is None else w / w.sum()
    first, second = np.triu_indices(n, 1)
    differences = np.zeros((first.size, n))
    differences[np.arange(first.size), first] = 1.0
    differences[np.arange(first.size), second] = -1.0
    distances = np.abs(p[first] - p[second])
    result = linprog(
        -w * (y - p),
        A_ub=np.vstack([differences, -differences]),
        b_ub=np.concatenate([distances, distances]),
        bounds=[(-1, 1)] * n,
        method="highs",
    )
    return -result.fun


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["spread", "ties", "clustered", "two ends"])
def test_is_the_optimum_of_the_linear_program(kind, seed):
    rng = np.random.default_rng(seed)
    p = {
        "spread": rng.random(25),
        "ties": rng.integers(0, 6, 25) / 5,
        "clustered": 0.5 + 0.01 * rng.normal(size=25),
        "two ends": np.where(rng.random(25) < 0.5, 0.0, 1.0) + 0.0,
    }[kind]
    y, w = rng.integers(0, 2, 25), rng.uniform(0.1, 3.0, 25)
    if kind == "two ends":
        p = np.abs(p - 1e-3)
    assert_allclose(smooth_calibration_error(y, p), _linear_program(y, p), rtol=0, atol=1e-10)
    value = smooth_calibration_error(y, p, sample_weight=w)
    assert_allclose(value, _linear_program(y, p, w), rtol=0, atol=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_long_distances_cut_f_at_one(seed):
    rng = np.random.default_rng(seed)
    c, gaps = rng.normal(size=12), rng.exponential(size=11) * 3.0
    steps = np.eye(12)[:-1] - np.eye(12)[1:]
    result = linprog(
        -c,
        A_ub=np.vstack([steps, -steps]),
        b_ub=np.concatenate([gaps, gaps]),
        bounds=[(-1, 1)] * 12,
        method="highs",
    )
    assert_allclose(_least_cost(c, gaps.tolist()), -result.fun, rtol=1e-10)


def test_two_rows_by_hand():
    # Residuals -0.2 and 0.2, half the weight each: f may differ by 0.6, and f = -0.3, 0.3 does.
    assert_allclose(smooth_calibration_error([0, 1], [0.2, 0.8]), 0.1 * 0.6, rtol=1e-14)
    # Residuals 0.8 and 0.2: f is one everywhere.
    assert_allclose(smooth_calibration_error([1, 1], [0.2, 0.8]), 0.5, rtol=1e-14)
    # Residuals -0.2 and 0.4: f is one at 0.6 and 0.6 at 0.2.
    assert_allclose(smooth_calibration_error([0, 1], [0.2, 0.6]), 0.2 - 0.1 * 0.6, rtol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_lies_between_the_mean_residual_and_the_error_of_single_values(seed):
    rng = np.random.default_rng(seed)
    p = rng.integers(0, 33, 300) / 32
    y = (rng.random(300) < p**2).astype(int)
    value = smooth_calibration_error(y, p)
    gaps = [np.mean((p == level) * (y - p)) for level in np.unique(p)]
    assert abs(np.mean(y - p)) <= value + 1e-15
    assert value <= np.abs(gaps).sum() + 1e-15


def test_a_small_move_of_the_predictions_makes_a_small_difference_unlike_bins():
    p = np.tile([0.5 - 1e-9, 0.5 + 1e-9], 50)
    y = np.tile([0, 1], 50)
    assert smooth_calibration_error(y, p) < 1e-8
    assert smooth_calibration_error(y, np.full(100, 0.5)) == 0.0
    assert ece(y, p, n_bins=2) > 0.49


def test_classes_on_their_own_are_averaged():
    y, P = multiclass_data()
    each = [smooth_calibration_error(y == k, P[:, k]) for k in range(4)]
    value = smooth_calibration_error(y, P, target="classwise")
    assert_allclose(value, np.mean(each), rtol=1e-12)
