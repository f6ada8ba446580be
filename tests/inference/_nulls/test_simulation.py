"""Simulated labels: exact p-values, and how labels are drawn."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.inference import check_calibration
from sklearn_calib.inference._nulls.simulation import draw_labels
from sklearn_calib.metrics import average_calibration_error, ece, kce, klce, mce, mmce, skce
from tests.inference._data import binary_data, multiclass_data

GLOBAL = (skce, kce, mmce, ece, mce, average_calibration_error)


def _exact_pvalue(metric, y, proba, **options):
    """Enumerate all label vectors with their probabilities under the predictions."""
    matrix = np.column_stack([1 - proba, proba]) if proba.ndim == 1 else proba
    n, n_classes = matrix.shape
    observed, total = metric(y, proba, labels=np.arange(n_classes), **options), 0.0
    for labels in product(range(n_classes), repeat=n):
        value = metric(np.array(labels), proba, labels=np.arange(n_classes), **options)
        if value >= observed - 1e-12:
            total += np.prod(matrix[np.arange(n), labels])
    return total


@pytest.mark.parametrize("metric", GLOBAL)
def test_simulated_pvalue_tends_to_the_enumerated_one(metric):
    y, p, _ = binary_data(6, seed=3)
    exact = _exact_pvalue(metric, y, p)
    n_draws = 20_000
    result = check_calibration(
        y, p, statistic=metric.__name__, n_resamples=n_draws, labels=[0, 1], random_state=0
    )
    assert 0.02 < exact < 0.98
    assert_allclose(result.pvalue, exact, rtol=0, atol=4 * np.sqrt(exact / n_draws))


@pytest.mark.parametrize("target", ["confidence", "classwise", "canonical"])
def test_simulated_pvalue_of_three_classes(target):
    y, proba, X = multiclass_data(4, seed=1)
    n_draws = 20_000
    options = {"labels": [0, 1, 2], "n_resamples": n_draws, "target": target, "random_state": 0}
    for statistic, features in ((skce, None), (klce, X)):
        result = check_calibration(y, proba, features, **options)
        if statistic is skce:
            exact = _exact_pvalue(skce, y, proba, target=target)
        elif target == "canonical":
            exact = _exact_pvalue(klce, y, proba, X=X)
        else:
            continue
        assert_allclose(result.pvalue, exact, rtol=0, atol=4 * np.sqrt(exact / n_draws))


def test_drawn_labels_follow_the_probabilities():
    proba = np.array([[0.2, 0.5, 0.3], [0.0, 1.0, 0.0], [0.05, 0.0, 0.95]])
    n_draws = 200_000
    codes = draw_labels(np.random.default_rng(0), proba, n_draws)
    share = np.stack([(codes == k).mean(axis=1) for k in range(3)], axis=1)
    assert_allclose(share, proba, rtol=0, atol=4 * 0.5 / np.sqrt(n_draws))
    assert (share[proba == 0] == 0).all()


def test_a_class_of_probability_zero_is_never_drawn():
    """Float32 rows do not sum to one exactly; what is missing belongs to no class."""

    class Highest:
        def random(self, shape):
            return np.full(shape, np.nextafter(1.0, 0.0))

    assert draw_labels(Highest(), np.array([[0.0, 0.4, 0.6 - 1e-7]]), 1)[0, 0] == 1


def test_two_columns_draw_the_labels_of_one():
    p = np.random.default_rng(0).random(50).astype(np.float32).astype(np.float64)
    one = draw_labels(np.random.default_rng(1), np.column_stack([1 - p, p]), 500)
    two = draw_labels(np.random.default_rng(1), np.column_stack([1 - p - 4e-7, p]), 500)
    assert_array_equal(one, two)
