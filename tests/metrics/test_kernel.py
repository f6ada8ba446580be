"""Kernel errors against double loops, identities and the expectation of unbiased estimates."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm as normal

from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.metrics import kce, klce, mmce, skce
from sklearn_calib.metrics._kernel.pair_error import KernelError
from tests._oracles import loop_events, loop_kernel, loop_kernel_error, loop_median_distance

TOLERANCE = {"rtol": 1e-10, "atol": 1e-14}


def _data(kind, n_classes, n=31, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "smooth":
        P = rng.dirichlet(np.ones(n_classes), size=n)
    elif kind == "hard":
        P = np.eye(n_classes)[rng.integers(0, n_classes, n)]
    elif kind == "sharp":
        P = rng.dirichlet(np.full(n_classes, 0.1), size=n)
    elif kind == "constant":
        P = np.tile(rng.dirichlet(np.ones(n_classes)), (n, 1))
    else:
        P = rng.dirichlet(np.ones(n_classes), size=5)[rng.integers(0, 5, n)]
    return rng.integers(0, n_classes, n), P, rng.uniform(0.1, 3.0, n)


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
    y, P, w = _data(kind, n_classes)
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
            assert_allclose(value, loop_kernel_error(y, P, weight=weight, **options), **TOLERANCE)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", ["smooth", "hard", "tied"])
def test_kce_is_the_double_loop(kind, n_classes):
    y, P, w = _data(kind, n_classes)
    target = "binary" if n_classes == 2 else "canonical"
    for kernel, bandwidth in [("rbf", "median"), ("laplacian", 0.3)]:
        options = {"kernel": kernel, "bandwidth": bandwidth}
        data = {"labels": np.arange(n_classes), "sample_weight": w}
        for squared, estimator in [(True, "uq"), (False, "biased")]:
            value = kce(y, P, squared=squared, **options, **data)
            loop = loop_kernel_error(y, P, target=target, estimator=estimator, weight=w, **options)
            assert_allclose(value, loop if squared else math.sqrt(max(loop, 0)), **TOLERANCE)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_mmce_is_the_root_of_the_double_loop(n_classes):
    y, P, w = _data("smooth", n_classes)
    target = "binary" if n_classes == 2 else "confidence"
    loop = loop_kernel_error(
        y, P, target=target, estimator="biased", kernel="laplacian", bandwidth=0.2, weight=w
    )
    assert_allclose(mmce(y, P, sample_weight=w), math.sqrt(loop), **TOLERANCE)
    biased = skce(y, P, estimator="biased", target=target, sample_weight=w)
    assert_allclose(mmce(y, P, sample_weight=w) ** 2, biased, rtol=0, atol=1e-12)
    assert mmce(y, P, bandwidth="median") > 0


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("widths", [0.7, "median", "scaled", [0.5, 40.0, 2.0]])
def test_klce_is_the_double_loop(n_classes, widths):
    y, P, w = _data("smooth", n_classes)
    X = np.random.default_rng(3).normal(size=(31, 3)) * [1.0, 100.0, 1.0]
    if widths == "median":
        h = [loop_median_distance(X.tolist(), w)] * 3
    elif widths == "scaled":
        h = [loop_median_distance(X[:, [k]].tolist(), w) * math.sqrt(3) for k in range(3)]
    else:
        h = [widths] * 3 if np.ndim(widths) == 0 else widths
    scaled = (X / h).tolist()
    for prob_bandwidth in (0.2, "median"):
        loop = loop_kernel_error(
            y,
            P,
            target="binary" if n_classes == 2 else "canonical",
            estimator="uq",
            kernel="rbf",
            bandwidth=prob_bandwidth,
            weight=w,
            factor=lambda i, j: loop_kernel(scaled[i], scaled[j], "rbf", 1.0),
        )
        options = {"prob_bandwidth": prob_bandwidth, "feature_bandwidth": widths}
        value = klce(y, P, X, sample_weight=w, **options)
        assert_allclose(value, loop, **TOLERANCE)


# By hand.


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
    y, P, w = _data("smooth", 3)
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
        assert_allclose(value, np.mean(each), **TOLERANCE)


def test_one_block_of_all_rows_is_the_quadratic_estimator_and_pairs_are_the_linear_one():
    y, P, _ = _data("smooth", 3)
    assert_allclose(skce(y, P, estimator="block", block_size=31), skce(y, P), **TOLERANCE)
    pairs = skce(y, P, estimator="block", block_size=2)
    assert_allclose(pairs, skce(y, P, estimator="ul"), **TOLERANCE)


@pytest.mark.parametrize("kernel", ["laplacian", "rbf"])
@pytest.mark.parametrize("estimator", ["uq", "ul", "biased"])
def test_canonical_for_two_classes_is_twice_binary(kernel, estimator):
    """Both columns move together, so distances grow by sqrt(2)."""
    y, P, w = _data("smooth", 2)
    for h in (0.05, 0.2, 3.0):
        options = {"estimator": estimator, "kernel": kernel, "sample_weight": w}
        canonical = skce(y, P, target="canonical", bandwidth=h, **options)
        binary = skce(y, P, bandwidth=h / math.sqrt(2), **options)
        assert_allclose(canonical, 2 * binary, **TOLERANCE)
    canonical = skce(y, P, target="canonical", bandwidth="median")
    assert_allclose(canonical, 2 * skce(y, P, bandwidth="median"), **TOLERANCE)


def test_the_biased_and_the_unbiased_sum_differ_by_the_diagonal():
    y, P, _ = _data("smooth", 3)
    n = len(y)
    diagonal = np.sum((np.eye(3)[y] - P) ** 2)
    biased = skce(y, P, estimator="biased")
    assert_allclose(biased * n**2 - diagonal, skce(y, P) * n * (n - 1), rtol=1e-11)


@pytest.mark.parametrize(("n", "ones"), [(9, 5), (10, 2), (10, 4), (11, 7)])
def test_rounding_does_not_make_the_biased_form_negative(n, ones):
    """Constant predictions at the base rate: the exact value is zero."""
    y, p = np.repeat([1, 0], [ones, n - ones]), np.full(n, ones / n)
    biased = skce(y, p, estimator="biased")
    assert 0 <= biased < 1e-16
    assert mmce(y, p) ** 2 == pytest.approx(biased, abs=1e-30)
    assert 0 <= kce(y, p, squared=False) < 1e-8


def test_bandwidth_limits():
    y, P, _ = _data("smooth", 2)
    e = y - P[:, 1]
    wide = (e.sum() ** 2 - (e**2).sum()) / (31 * 30)
    for kernel in ("laplacian", "rbf"):
        assert_allclose(skce(y, P, kernel=kernel, bandwidth=1e12), wide, rtol=1e-9)
        assert skce(y, P, kernel=kernel, bandwidth=1e-9) == 0.0
    biased = skce(y, P, estimator="biased", bandwidth=1e-9)
    assert_allclose(biased, (e**2).sum() / 31**2, rtol=1e-12)


def test_median_is_the_width_of_the_remaining_rows():
    y, P, w = _data("smooth", 3)
    w[3:20] = 0
    keep = w > 0
    for target in ("confidence", "canonical"):
        points = loop_events(y[keep], P[keep], target)[0][0]
        options = {"target": target, "sample_weight": w}
        value = skce(y, P, bandwidth="median", **options)
        assert value == skce(y, P, bandwidth=loop_median_distance(points, w[keep]), **options)


def test_median_of_equal_predictions_is_one():
    y, p = np.array([0, 1, 1]), np.full(3, 0.3)
    assert_allclose(skce(y, p, bandwidth="median"), skce(y, p, bandwidth=1.0), rtol=1e-14)
    assert_allclose(kce(y, p), (0.7 * 0.7 - 2 * 0.3 * 0.7) / 3, rtol=1e-12)


# Weights far apart.


@pytest.mark.parametrize("options", [{}, {"estimator": "ul"}, {"estimator": "block"}])
def test_a_pair_of_rows_has_the_same_error_whatever_their_weights(options):
    """``W^2 - sum w^2`` loses a weight of 1e-20 beside one; the ratio must not become 0/0."""
    if options:
        options = {**options, "block_size": 2}
    expected = skce([0, 1], [0.1, 0.2], **options)
    assert expected < 0
    for w in ([1.0, 1e-20], [1e-12, 1e12], [1e-150, 1e100], [1e-300, 1e-300], [1e300, 1e300]):
        value = skce([0, 1], [0.1, 0.2], sample_weight=w, **options)
        assert_allclose(value, expected, rtol=1e-12)


def test_a_row_of_huge_weight_leaves_its_pairs():
    y, P, _ = _data("smooth", 2, n=5)
    w = np.array([1e30, 1.0, 1.0, 1.0, 1.0])
    pairs = [skce(y[[0, k]], P[[0, k]], labels=[0, 1]) for k in range(1, 5)]
    value = skce(y, P, sample_weight=w, labels=[0, 1])
    assert_allclose(value, np.mean(pairs), rtol=1e-12)


# Features.


def test_klce_does_not_feel_offsets_or_the_order_of_features():
    y, P, _ = _data("smooth", 2)
    X = np.random.default_rng(4).normal(size=(31, 3))
    for width in (0.2, 1.0, "median", "scaled"):
        value = klce(y, P, X, feature_bandwidth=width)
        assert_allclose(klce(y, P, X[:, ::-1], feature_bandwidth=width), value, rtol=1e-12)
        assert_allclose(klce(y, P, X + 1e4, feature_bandwidth=width), value, rtol=1e-8)


def test_klce_with_scaled_bandwidths_does_not_feel_units():
    y, P, _ = _data("smooth", 3)
    X = np.random.default_rng(5).normal(size=(31, 2))
    value = klce(y, P, X, feature_bandwidth="scaled")
    other = klce(y, P, X * [1000.0, 0.01], feature_bandwidth="scaled")
    assert_allclose(other, value, rtol=1e-10)
    assert abs(klce(y, P, X * [1000.0, 0.01]) - klce(y, P, X)) > 1e-6


def test_klce_of_equal_features_is_kce():
    for n_classes in (2, 3):
        y, P, w = _data("smooth", n_classes)
        value = klce(y, P, np.full((31, 2), 7.0), sample_weight=w)
        assert_allclose(value, kce(y, P, sample_weight=w), **TOLERANCE)


def test_klce_sees_what_the_global_error_cannot():
    """One prediction for all, right on average, wrong by 0.3 on either side of zero."""
    x = np.linspace(-1, 1, 400)
    rng = np.random.default_rng(6)
    y = (rng.random(400) < np.where(x > 0, 0.8, 0.2)).astype(int)
    p = np.full(400, y.mean())
    assert abs(kce(y, p)) < 0.002
    assert klce(y, p, x, feature_bandwidth=0.5) > 0.01


# Statistics.


@pytest.mark.parametrize("estimator", ["uq", "ul", "block"])
@pytest.mark.parametrize("target", ["confidence", "classwise", "canonical"])
def test_unbiased_estimates_are_zero_on_average_under_calibration(estimator, target):
    rng = np.random.default_rng(7)
    P = rng.dirichlet(np.ones(3), size=30)
    draws = (rng.random((30, 1, 2000)) > P.cumsum(axis=1)[:, :2, np.newaxis]).sum(axis=1)
    error = KernelError(
        check_predictions(draws[:, 0], P, labels=[0, 1, 2]),
        estimator=estimator,
        kernel="laplacian",
        bandwidth=0.2,
        target=target,
        block_size=5 if estimator == "block" else None,
    )
    values = error(draws)
    assert abs(values.mean()) < normal.isf(1e-4) * values.std() / math.sqrt(2000)
    biased = KernelError(
        check_predictions(draws[:, 0], P, labels=[0, 1, 2]),
        estimator="biased",
        kernel="laplacian",
        bandwidth=0.2,
        target=target,
    )(draws)
    reductions = loop_events(draws[:, 0], P, target)
    variance = np.mean(
        [np.sum([r * (1 - r) for row in points for r in row]) / 30 for points, _ in reductions]
    )
    standard_error = biased.std() / math.sqrt(2000)
    assert abs(biased.mean() - variance / 30) < normal.isf(1e-4) * standard_error
    assert biased.min() >= 0


@pytest.mark.parametrize("estimator", ["uq", "ul", "block", "biased"])
@pytest.mark.parametrize("target", ["confidence", "classwise", "canonical"])
def test_columns_of_labels_give_the_errors_of_each(estimator, target):
    y, P, w = _data("smooth", 3)
    options = {
        "estimator": estimator,
        "kernel": "laplacian",
        "bandwidth": "median",
        "target": target,
        "block_size": 3 if estimator == "block" else None,
    }
    error = KernelError(check_predictions(y, P, sample_weight=w), **options)
    draws = np.random.default_rng(8).integers(0, 3, (31, 4))
    each = [skce(d, P, labels=[0, 1, 2], sample_weight=w, **options) for d in draws.T]
    assert_allclose(error(draws), each, rtol=1e-12, atol=1e-16)
