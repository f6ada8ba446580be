"""Public kernels and bandwidths: reference values, and what the definitions promise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.kernels import (
    klce_kernel,
    klce_statistic,
    laplacian_kernel,
    median_heuristic,
    rbf_kernel,
    select_bandwidths,
)
from sklearn_calib.metrics import klce
from tests._reference import parametrize_cases

CLOSE = {"rtol": 1e-10, "atol": 1e-14}


def _of(function):
    return lambda case: case["params"]["function"] == function


@parametrize_cases("klce", keep=_of("rbf_kernel"))
def test_rbf_kernel(case):
    K = rbf_kernel(
        case["inputs"]["X"], case["inputs"]["Y"], bandwidth=case["params"]["gamma"] ** -0.5
    )
    assert_allclose(K, case["expected"]["K"], **CLOSE)


@parametrize_cases("klce", keep=_of("create_kernel"))
def test_klce_kernel(case):
    params = case["params"]
    K = klce_kernel(
        case["inputs"]["X"],
        case["inputs"]["p"],
        prob_bandwidth=params["prob_kernel_width"],
        feature_bandwidth=params["x_kernel_width"],
    )
    assert_allclose(K, case["expected"]["K"], **CLOSE)


@parametrize_cases("klce", keep=_of("KLCE2_estimator"))
def test_klce_statistic(case):
    value = klce_statistic(case["inputs"]["K"], case["inputs"]["err"])
    assert_allclose(value, case["expected"]["statistic"], **CLOSE)


@parametrize_cases("klce", keep=_of("KLCE2_boosting"))
def test_loss_form_is_the_error_of_the_given_probabilities(case):
    params, inputs = case["params"], case["inputs"]
    value = klce(
        inputs["y"],
        inputs["f"],
        inputs["X"],
        prob_bandwidth=params["prob_kernel_width"],
        feature_bandwidth=params["x_kernel_width"],
    )
    assert_allclose(value, case["expected"]["loss"], **CLOSE)


@parametrize_cases("bandwidth", keep=_of("median_heuristic"))
def test_median_heuristic(case):
    params = case["params"]
    value = median_heuristic(
        case["inputs"]["values"], max_samples=params["max_samples"], seed=params["seed"]
    )
    assert_allclose(value, case["expected"]["width"], **CLOSE)


@parametrize_cases("bandwidth", keep=_of("select_bandwidths"))
def test_select_bandwidths(case):
    params, expected = case["params"], case["expected"]
    pair = select_bandwidths(
        case["inputs"]["X"],
        case["inputs"]["f"],
        max_samples=params["max_samples"],
        seed=params["seed"],
    )
    assert_allclose(pair, (expected["prob_kernel_width"], expected["x_kernel_width"]), **CLOSE)


def _data(n_classes=3, n=25):
    rng = np.random.default_rng(0)
    X, proba = rng.normal(size=(n, 2)), rng.dirichlet(np.ones(n_classes), size=n)
    return rng.integers(n_classes, size=n), proba, X


def test_laplacian_kernel_by_hand():
    K = laplacian_kernel([[0.0, 0.0]], [[3.0, 4.0], [0.0, 0.0]], bandwidth=5.0)
    assert_allclose(K, [[np.exp(-1.0), 1.0]], rtol=1e-15)


def test_one_bandwidth_per_feature_divides_each_column():
    _, _, X = _data()
    K = rbf_kernel(X, bandwidth=[0.5, 4.0])
    assert_allclose(K, rbf_kernel(X / [0.5, 4.0], bandwidth=1.0), rtol=1e-13)


def test_words_for_bandwidths():
    _, _, X = _data()
    median = rbf_kernel(X, bandwidth=median_heuristic(X))
    scaled = rbf_kernel(X, bandwidth=[np.sqrt(2) * median_heuristic(x) for x in X.T])
    assert_allclose(rbf_kernel(X, bandwidth="median"), median, rtol=1e-13)
    assert_allclose(rbf_kernel(X, bandwidth="scaled"), scaled, rtol=1e-13)


def test_offset_is_harmless():
    _, _, X = _data()
    X = np.round(X * 1024) / 1024
    for kernel in (rbf_kernel, laplacian_kernel):
        assert_allclose(kernel(X + 2.0**30, bandwidth=0.3), kernel(X, bandwidth=0.3), rtol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_kernel_and_statistic_make_klce(n_classes):
    y, proba, X = _data(n_classes)
    options = {"prob_bandwidth": 0.3, "feature_bandwidth": 1.2}
    residuals = np.eye(n_classes)[y] - proba
    if n_classes == 2:
        residuals = residuals[:, 1]
    value = klce_statistic(klce_kernel(X, proba, **options), residuals)
    assert_allclose(klce(y, proba, X, **options), value, rtol=1e-11)


def test_binary_probabilities_in_either_form():
    _, proba, X = _data(2)
    options = {"prob_bandwidth": "median", "feature_bandwidth": "median"}
    one, two = klce_kernel(X, proba[:, 1], **options), klce_kernel(X, proba, **options)
    assert_allclose(one, two, rtol=1e-13)
    assert select_bandwidths(X, proba[:, 1]) == select_bandwidths(X, proba)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rbf_kernel([0.0, 1.0], bandwidth=0.0), "bandwidth must be a positive number"),
        (lambda: rbf_kernel([0.0, np.nan], bandwidth=1.0), "X must be finite; row 1"),
        (lambda: rbf_kernel([[0.0, 1.0]], [[0.0]], bandwidth=1.0), "features, got 2 and 1"),
        (lambda: laplacian_kernel([["a"]], bandwidth=1.0), "X must be numeric"),
        (
            lambda: klce_kernel([0.0], [0.5, 0.5], prob_bandwidth=1.0, feature_bandwidth=1.0),
            "X and y_proba must have the same number of rows, got 1 and 2",
        ),
        (
            lambda: klce_kernel([0.0], [1.5], prob_bandwidth=1.0, feature_bandwidth=1.0),
            r"y_proba must hold probabilities in \[0, 1\]",
        ),
        (lambda: klce_statistic([[1.0]], [0.5]), "at least 2 rows"),
        (lambda: klce_statistic(np.ones((2, 3)), [0.5, 0.1]), r"shape \(2, 2\), got \(2, 3\)"),
        (
            lambda: median_heuristic([1.0, 2.0], max_samples=1),
            "max_samples must be a whole number of at least 2, got 1",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
