"""The error from kernel density estimates against densities of scipy, and known values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import beta, dirichlet

from sklearn_calib import check_calibration
from sklearn_calib.metrics import ece, kde_ece, skce
from sklearn_calib.metrics._smooth import kde_ece as module
from tests.metrics._cases import close

Y, P = [0, 0, 1, 1, 1, 0], [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]


def loop_binary(y, p, h, power=1, weight=None):
    """Leave each row out in turn; return the mean gap between its estimate and it."""
    n = len(p)
    weight = np.ones(n) if weight is None else np.asarray(weight)
    total = 0.0
    for j in range(n):
        kernels = [
            0.0 if i == j else weight[i] * beta.pdf(p[j], p[i] / h + 1, (1 - p[i]) / h + 1)
            for i in range(n)
        ]
        rate = sum(kernel * hit for kernel, hit in zip(kernels, y)) / sum(kernels)
        total += weight[j] / weight.sum() * abs(rate - p[j]) ** power
    return total


def loop_canonical(y, proba, h, power=1):
    n, n_classes = proba.shape
    total = 0.0
    for j in range(n):
        kernels = np.array([dirichlet.pdf(proba[j], proba[i] / h + 1) for i in range(n)])
        kernels[j] = 0.0
        for k in range(n_classes):
            rate = np.sum(kernels * (y == k)) / kernels.sum()
            total += abs(rate - proba[j, k]) ** power / n
    return total


@pytest.mark.parametrize("h", [0.01, 0.1, 1.0])
def test_equals_loops_over_beta_densities(h):
    rng = np.random.default_rng(0)
    p = rng.random(25)
    y = (rng.random(25) < p).astype(int)
    weight = rng.uniform(0.2, 2.0, 25)
    assert_allclose(kde_ece(y, p, bandwidth=h), loop_binary(y, p, h), rtol=1e-10)
    squares = kde_ece(y, p, bandwidth=h, norm="l2") ** 2
    assert_allclose(squares, loop_binary(y, p, h, power=2), rtol=1e-10)
    weighted = kde_ece(y, p, bandwidth=h, sample_weight=weight)
    assert_allclose(weighted, loop_binary(y, p, h, weight=weight), rtol=1e-10)


@pytest.mark.parametrize("h", [0.02, 0.3])
def test_equals_loops_over_dirichlet_densities(h):
    rng = np.random.default_rng(1)
    proba = rng.dirichlet(np.ones(3), size=25)
    y = rng.integers(0, 3, 25)
    assert_allclose(kde_ece(y, proba, bandwidth=h), loop_canonical(y, proba, h), rtol=1e-10)
    squares = kde_ece(y, proba, bandwidth=h, norm="l2") ** 2
    assert_allclose(squares, loop_canonical(y, proba, h, power=2), rtol=1e-10)


def test_two_rows_see_each_other_only():
    """The estimate at 0.2 is the label at 0.7, and the other way round."""
    for h in (1e-6, 0.01, 1.0):
        close(kde_ece([0, 1], [0.2, 0.7], bandwidth=h), (0.8 + 0.7) / 2)
        close(kde_ece([0, 0], [0.2, 0.7], bandwidth=h), (0.2 + 0.7) / 2)


def test_canonical_error_of_two_classes_is_twice_the_binary_one():
    y, p = np.array(Y), np.array(P)
    both = np.column_stack([1 - p, p])
    for h in (0.05, 0.5):
        binary = kde_ece(y, p, bandwidth=h)
        close(kde_ece(y, both, bandwidth=h, target="canonical"), 2 * binary)


def test_other_targets():
    rng = np.random.default_rng(2)
    proba = rng.dirichlet(np.ones(3), size=40)
    y = rng.integers(0, 3, 40)
    top, hit = proba.max(axis=1), proba.argmax(axis=1) == y
    assert_allclose(
        kde_ece(y, proba, bandwidth=0.1, target="confidence"),
        kde_ece(hit, top, bandwidth=0.1),
        rtol=1e-12,
    )
    each = [kde_ece(y == k, proba[:, k]) for k in range(3)]
    assert_allclose(kde_ece(y, proba, target="classwise"), np.mean(each), rtol=1e-12)


def test_ends_are_compared_with_their_like():
    """Rows at exactly 0 and 1 see each other; a single row at 0 sees the nearest one."""
    close(kde_ece([0, 1, 1, 1, 0], [0, 0, 0, 1, 1], bandwidth=0.1), (1 + 0.5 + 0.5 + 1 + 0) / 5)
    p = np.array([0.0, 0.3, 0.9, 0.9])
    y = np.array([0, 1, 0, 0])
    expected = loop_binary(y[1:], p[1:], 0.01)
    estimate = kde_ece(y, p, bandwidth=0.01)
    assert estimate > 0.25
    assert estimate != pytest.approx(expected)
    assert np.isfinite(kde_ece([0, 1, 1], [0.0, 5e-324, 1.0], bandwidth=1e-6))


def test_the_bandwidth_has_the_largest_leave_one_out_likelihood():
    rng = np.random.default_rng(3)
    p = rng.beta(2, 3, size=60)
    y = rng.integers(0, 2, 60)

    def likelihood(h):
        density = beta.pdf(p[:, np.newaxis], p / h + 1, (1 - p) / h + 1)
        np.fill_diagonal(density, 0.0)
        with np.errstate(divide="ignore"):
            return np.log(density.sum(axis=1) / 59).sum()

    best = max(module._CANDIDATES, key=likelihood)
    assert 1e-3 < best < 0.1
    assert kde_ece(y, p) == kde_ece(y, p, bandwidth=best)
    test = check_calibration(y, p, statistic="kde_ece", n_resamples=9)
    assert test.prob_bandwidth == best


def test_the_bandwidth_of_many_rows_does_not_depend_on_their_order():
    rng = np.random.default_rng(4)
    proba = rng.dirichlet([1, 2, 3], size=1500)
    weight = rng.uniform(0.5, 2.0, 1500)
    order = rng.permutation(1500)
    h = module.likeliest_bandwidth(proba, weight)
    assert h == module.likeliest_bandwidth(proba[order], weight[order])
    assert 1e-3 < h < 0.1


@pytest.mark.parametrize("weight", [[1.0, 1e-17, 1e-17], [1e-12, 1.0, 2e-12]])
def test_the_likeliest_bandwidth_where_one_row_has_all_the_weight(weight):
    p = np.array([0.3, 0.35, 0.9])
    (k,) = np.flatnonzero(np.array(weight) == 1.0)
    likelihood = [
        sum(
            weight[i] * beta.pdf(p[k], p[i] / h + 1, (1 - p[i]) / h + 1) for i in range(3) if i != k
        )
        for h in module._CANDIDATES
    ]
    best = module._CANDIDATES[np.argmax(likelihood)]
    assert best > module._CANDIDATES[0]
    assert module.likeliest_bandwidth(np.column_stack([1 - p, p]), np.array(weight)) == best


def test_the_blocks_are_no_part_of_the_result(monkeypatch):
    rng = np.random.default_rng(5)
    proba = rng.dirichlet(np.ones(4), size=50)
    y = rng.integers(0, 4, 50)
    expected = kde_ece(y, proba)
    monkeypatch.setattr(module, "_CELLS", 170)
    assert_allclose(kde_ece(y, proba), expected, rtol=1e-12)


def test_it_sees_what_errors_of_one_event_cannot():
    """Cyclic rates: each class and the top one are right on average, the vectors are not."""
    corners = np.array([[0.6, 0.3, 0.1], [0.1, 0.6, 0.3], [0.3, 0.1, 0.6]])
    rates = np.array([[0.6, 0.1, 0.3], [0.3, 0.6, 0.1], [0.1, 0.3, 0.6]])
    rows = np.repeat(corners, 10, axis=0)
    y = np.concatenate([np.repeat([0, 1, 2], np.rint(10 * r).astype(int)) for r in rates])
    assert ece(y, rows) < 1e-12
    assert skce(y, rows, estimator="biased") > 0.005
    value = kde_ece(y, rows, bandwidth=1e-3)
    assert_allclose(value, loop_canonical(y, rows, 1e-3), rtol=1e-10)
    assert value > 0.3


@pytest.mark.parametrize("bandwidth", [0, -0.1, 1e-7, np.nan, np.inf, "median", None, True, [0.1]])
def test_bad_bandwidths_are_refused(bandwidth):
    with pytest.raises(ValueError, match='bandwidth must be a number of at least 1e-6 or "like'):
        kde_ece([0, 1], [0.2, 0.7], bandwidth=bandwidth)


def test_other_norms_are_refused():
    with pytest.raises(ValueError, match=r"norm must be one of 'l1', 'l2', got 'max'"):
        kde_ece([0, 1], [0.2, 0.7], norm="max")


def test_no_row_of_the_sample_is_drawn_twice(monkeypatch):
    """For evenly spread rows the widest kernel is best; beside equal ones a narrower one is."""
    p = np.linspace(0.01, 0.99, 200)
    proba, weight = np.column_stack([1 - p, p]), np.ones(200)
    assert module.likeliest_bandwidth(proba, weight) == 1.0
    monkeypatch.setattr(module, "_N_LIKELIHOOD", 199)
    assert module.likeliest_bandwidth(proba, weight) == 1.0
