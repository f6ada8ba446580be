"""The squared kernel calibration error: double loops, estimators and reference values."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import brier_score_loss

from sklearn_calib import metrics
from sklearn_calib.metrics import mmce, skce
from tests._oracles import loop_kernel_error
from tests._reference import load_cases, parametrize_cases
from tests.metrics._cases import KERNEL, close, reference_data
from tests.metrics._kernel._data import kernel_data

P4 = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.5, 0.25, 0.25]]
Y4 = [0, 1, 1, 2]


def test_the_brier_score_is_left_to_scikit_learn_and_two_classes_keep_their_scale():
    """The Brier score is scikit-learn's; ours keep the scale of (n,) for two classes."""
    assert not [name for name in metrics.__all__ if "brier" in name]
    close(brier_score_loss(Y4, P4, labels=[0, 1, 2]), 0.66375)
    for y_proba in ([0.8], [[0.2, 0.8]]):
        close(skce([1], y_proba, estimator="biased"), 0.04)
        close(skce([1], y_proba, estimator="biased", target="canonical"), 0.08)


def test_canonical_values_by_hand_and_twice_the_binary_ones():
    P = [[1, 0], [0, 1]]
    canonical = {"target": "canonical", "kernel": "rbf", "bandwidth": math.sqrt(2)}
    close(skce([1, 0], P, **canonical), -2 * math.exp(-1))
    close(skce([0, 1], P, **canonical), 0)
    close(skce([0, 0], P, labels=[0, 1], **canonical), 0)
    close(skce([1, 1], P, labels=[0, 1], **canonical), 0)
    for y_proba in (P, [0, 1]):
        close(skce([1, 0], y_proba, kernel="rbf", bandwidth=1.0), -math.exp(-1))
    assert "twice the binary" in " ".join(skce.__doc__.split())


@pytest.mark.parametrize("kind", ["smooth", "hard", "sharp", "constant", "tied"])
@pytest.mark.parametrize("estimator", ["uq", "ul", "biased", "block"])
@pytest.mark.parametrize(
    ("n_classes", "target"),
    [
        (2, "binary"),
        (2, "confidence"),
        (2, "classwise"),
        (2, "canonical"),
        (3, "confidence"),
        (3, "classwise"),
        (3, "canonical"),
    ],
)
def test_skce_is_the_double_loop(kind, estimator, n_classes, target):
    y, P, w = kernel_data(kind, n_classes)
    block_size = 4 if estimator == "block" else None
    for kernel, bandwidth in [("laplacian", 0.2), ("rbf", 0.05), ("laplacian", "median")]:
        options = {
            "target": target,
            "estimator": estimator,
            "kernel": kernel,
            "bandwidth": bandwidth,
            "block_size": block_size,
        }
        labels = np.arange(n_classes)
        for weight in (None, w):
            value = skce(y, P, labels=labels, sample_weight=weight, **options)
            assert_allclose(value, loop_kernel_error(y, P, weight=weight, **options), **KERNEL)


def test_linear_estimator_by_hand():
    y, p = [1, 0, 0, 1, 1], [0.5, 0.25, 0.75, 0.25, 0.1]
    first, second = math.exp(-0.25 / 0.5) * 0.5 * -0.25, math.exp(-0.5 / 0.5) * -0.75 * 0.75
    value = skce(y, p, estimator="ul", bandwidth=0.5)
    assert_allclose(value, (first + second) / 2, rtol=1e-14)
    weighted = (2 * 3 * first + 1 * 4 * second) / (2 * 3 + 1 * 4)
    value = skce(y, p, estimator="ul", bandwidth=0.5, sample_weight=[2, 3, 1, 4, 9])
    assert_allclose(value, weighted, rtol=1e-14)
    dropped = skce(y, p, estimator="ul", bandwidth=0.5, sample_weight=[0, 3, 1, 4, 9])
    pairs = [(-0.25 * -0.75 * math.exp(-1), 3 * 1), (0.75 * 0.9 * math.exp(-0.15 / 0.5), 4 * 9)]
    assert_allclose(dropped, sum(h * w for h, w in pairs) / (3 * 1 + 4 * 9), rtol=1e-14)


@pytest.mark.parametrize("target", ["confidence", "classwise", "canonical"])
@pytest.mark.parametrize("block_size", [2, 3, 7, 31])
def test_block_estimator_is_the_plain_mean_over_complete_blocks(target, block_size):
    y, P, w = kernel_data("smooth", 3)
    labels = [0, 1, 2]
    for weight in (None, w):
        each = [
            skce(
                y[rows],
                P[rows],
                target=target,
                labels=labels,
                sample_weight=None if weight is None else weight[rows],
            )
            for start in range(0, 31 - block_size + 1, block_size)
            for rows in [slice(start, start + block_size)]
        ]
        options = {"estimator": "block", "block_size": block_size, "target": target}
        value = skce(y, P, sample_weight=weight, **options)
        assert_allclose(value, np.mean(each), **KERNEL)


def test_one_block_of_all_rows_is_the_quadratic_estimator_and_pairs_are_the_linear_one():
    y, P, _ = kernel_data("smooth", 3)
    assert_allclose(skce(y, P, estimator="block", block_size=31), skce(y, P), **KERNEL)
    pairs = skce(y, P, estimator="block", block_size=2)
    assert_allclose(pairs, skce(y, P, estimator="ul"), **KERNEL)


@pytest.mark.parametrize("kernel", ["laplacian", "rbf"])
@pytest.mark.parametrize("estimator", ["uq", "ul", "biased"])
def test_canonical_for_two_classes_is_twice_binary(kernel, estimator):
    """Both columns move together, so distances grow by sqrt(2)."""
    y, P, w = kernel_data("smooth", 2)
    for h in (0.05, 0.2, 3.0):
        options = {"estimator": estimator, "kernel": kernel, "sample_weight": w}
        canonical = skce(y, P, target="canonical", bandwidth=h, **options)
        binary = skce(y, P, bandwidth=h / math.sqrt(2), **options)
        assert_allclose(canonical, 2 * binary, **KERNEL)
    canonical = skce(y, P, target="canonical", bandwidth="median")
    assert_allclose(canonical, 2 * skce(y, P, bandwidth="median"), **KERNEL)


@parametrize_cases("skce")
def test_skce(case):
    y, p, options = reference_data(case, case["params"]["type"])
    params = case["params"]
    value = skce(y, p, estimator=params["estimator"], bandwidth=params["bandwidth"], **options)
    assert_allclose(value, case["expected"]["value"], **KERNEL)


def test_skce_of_the_two_printed_examples():
    printed = {
        case["name"]: skce(*reference_data(case, case["params"]["type"])[:2])
        for case in load_cases("skce")
        if "printed" in case["expected"]
    }
    assert f"{printed['document_example_binary']:.5e}" == "9.74756e-05"
    assert f"{printed['document_example_canonical']:.8f}" == "0.01539506"


def test_the_biased_skce_is_the_squared_mmce():
    (case,) = [c for c in load_cases("skce") if "mmce" in c["expected"]]
    y, p, _ = reference_data(case, None)
    biased = skce(y, p, estimator="biased")
    assert_allclose(biased, case["expected"]["value"], **KERNEL)
    assert_allclose(mmce(y, p) ** 2, biased, rtol=0, atol=1e-12)
