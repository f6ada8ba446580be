"""Means by a factor of the kernel matrix: close to the exact ones, and with an honest bound."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._core import LowRankMeans, local_means

RNG = np.random.default_rng(0)
N = 400
POINTS = RNG.normal(size=(N, 2))
QUERIES = RNG.normal(size=(50, 2))
CODES, QUERY_CODES = RNG.integers(2, size=(N, 1)), RNG.integers(2, size=(50, 1))
WEIGHTS = RNG.uniform(0.2, 3.0, size=N)
VARIANCES = RNG.uniform(0.05, 0.25, size=(N, 2))
NO_CODES = {"codes": np.zeros((N, 0), int), "query_codes": np.zeros((50, 0), int)}
PLAIN = {"similarity": np.empty(0), "weights": None, **NO_CODES}
CATEGORIES = {
    "codes": CODES,
    "query_codes": QUERY_CODES,
    "similarity": np.array([0.3]),
    "weights": WEIGHTS,
}
BANDWIDTH = np.array([1.0, 2.0])


def _make(queries, options, variances=VARIANCES, *, tol=1e-8, ranks=(1, 1000), wanted=None):
    """Return means by low rank and the exact ones of some columns."""
    data, columns = {"bandwidth": BANDWIDTH, **options}, RNG.normal(size=(N, 3))
    local = local_means(POINTS, queries, columns, variances=variances, **data)
    if wanted is None:
        wanted = np.ones(len(queries), dtype=bool)
    extent = {"wanted": wanted, "tol": tol, "ranks": ranks}
    low = LowRankMeans(POINTS, queries, variances, local, **data, **extent)
    return low, columns, local.mean


@pytest.mark.parametrize("options", [PLAIN, CATEGORIES])
def test_a_full_factor_gives_the_exact_means(options):
    low, columns, exact = _make(QUERIES, options)
    every = np.ones(50, dtype=bool)
    assert low.error.max() < 1e-3
    assert_allclose(low.mean(columns, every), exact, rtol=0, atol=1e-6)
    some = np.arange(50) % 3 == 0
    assert_allclose(low.mean(columns, some), exact[some], rtol=0, atol=1e-6)


@pytest.mark.parametrize("options", [PLAIN, CATEGORIES])
@pytest.mark.parametrize("rank", [5, 20, 60])
def test_the_bound_holds(options, rank):
    """The standard deviation of the error, by the kernel matrix itself."""
    low = _make(QUERIES, options, ranks=(1, rank))[0]
    assert low.rank <= rank
    kernel = np.exp(-np.sum(((QUERIES[:, np.newaxis] - POINTS) / BANDWIDTH) ** 2, axis=2))
    if options is CATEGORIES:
        kernel *= np.where(CODES[:, 0] == QUERY_CODES, 1.0, 0.3) * WEIGHTS
    shares = kernel / kernel.sum(axis=1, keepdims=True)
    missing = shares - low.mean(np.eye(N), np.ones(50, dtype=bool))
    deviation = np.sqrt(missing**2 @ VARIANCES) / np.sqrt(shares**2 @ VARIANCES)
    assert (deviation.max(axis=1) <= low.error + 1e-12).all()
    assert (low.error < 100 * deviation.max(axis=1)).all()


def test_the_factor_is_no_larger_than_the_tolerance_needs():
    ranks = []
    for tol in (1.0, 0.1, 1e-3):
        low = _make(POINTS, {**PLAIN, "query_codes": PLAIN["codes"]}, tol=tol)[0]
        assert np.mean(low.error <= tol) >= 0.99
        ranks.append(low.rank)
    assert ranks[0] < ranks[1] < ranks[2] < 0.9 * N
    low = _make(POINTS, {**PLAIN, "query_codes": PLAIN["codes"]}, tol=1.0, ranks=(60, 1000))[0]
    assert ranks[0] < 60 <= low.rank


def test_query_points_that_do_not_matter_need_no_columns():
    options = {**PLAIN, "query_codes": PLAIN["codes"]}
    inner = np.abs(POINTS).max(axis=1) < 1.0
    some, every = (
        _make(POINTS, options, tol=0.01, wanted=own)[0] for own in (inner, np.ones(N, bool))
    )
    assert some.rank < every.rank
    assert np.mean(some.error[inner] <= 0.01) >= 0.99


def test_rows_as_query_points():
    low, columns, exact = _make(POINTS, {**PLAIN, "query_codes": PLAIN["codes"]})
    assert_allclose(low.mean(columns, np.ones(N, bool)), exact, rtol=0, atol=1e-6)


def test_where_nothing_is_near_the_error_is_infinite():
    far = np.array([[500.0, 500.0]])
    low = _make(far, {**PLAIN, "query_codes": np.zeros((1, 0), int)})[0]
    assert low.error == np.inf


def test_where_nothing_varies_the_error_is_infinite():
    """There the size of a bias is not measured in standard deviations."""
    low = _make(QUERIES, PLAIN, np.zeros((N, 1)))[0]
    assert (low.error == np.inf).all()
