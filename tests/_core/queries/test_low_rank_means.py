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


@pytest.mark.parametrize("options", [PLAIN, CATEGORIES])
def test_a_full_factor_gives_the_exact_means(options):
    low = LowRankMeans(POINTS, QUERIES, VARIANCES, bandwidth=BANDWIDTH, **options)
    columns = RNG.normal(size=(N, 3))
    exact = local_means(
        POINTS, QUERIES, columns, variances=VARIANCES, bandwidth=BANDWIDTH, **options
    )
    every = np.ones(50, dtype=bool)
    assert low.error.max() < 1e-3
    assert_allclose(low.mean(columns, every), exact.mean, rtol=0, atol=1e-6)
    assert_allclose(low.variance, exact.variance, rtol=1e-5)
    some = np.arange(50) % 3 == 0
    assert_allclose(low.mean(columns, some), low.mean(columns, every)[some], rtol=1e-12)


@pytest.mark.parametrize("options", [PLAIN, CATEGORIES])
@pytest.mark.parametrize("rank", [5, 20, 60])
def test_the_bound_holds(options, rank):
    """The error of sums is that of a kernel matrix made from unit columns, row by row."""
    low = LowRankMeans(POINTS, QUERIES, VARIANCES, bandwidth=BANDWIDTH, max_rank=rank, **options)
    assert low.rank <= rank
    weight = np.ones(N) if options["weights"] is None else options["weights"] / WEIGHTS.max()
    squared = np.sum(((QUERIES[:, np.newaxis] - POINTS) / BANDWIDTH) ** 2, axis=2)
    kernel = np.exp(-squared)
    if options is CATEGORIES:
        kernel *= np.where(CODES[:, 0] == QUERY_CODES, 1.0, 0.3)
    usable = np.isfinite(low.error)
    assert usable.mean() > 0.5
    mean = low.mean(np.eye(N), usable)  # the weights over their sum
    scale = low._total[usable, np.newaxis]
    missing = kernel[usable] * weight - mean * scale
    deviation = np.sqrt(missing**2 @ VARIANCES) / np.sqrt((mean * scale) ** 2 @ VARIANCES)
    assert (deviation <= low.error[usable, np.newaxis] + 1e-12).all()
    assert_allclose(low.variance[usable], mean**2 @ VARIANCES, rtol=1e-8)


def test_rows_as_query_points():
    options = {**PLAIN, "query_codes": PLAIN["codes"]}
    low = LowRankMeans(POINTS, POINTS, VARIANCES, bandwidth=BANDWIDTH, **options)
    columns = RNG.normal(size=(N, 1))
    exact = local_means(POINTS, POINTS, columns, bandwidth=BANDWIDTH)
    assert_allclose(low.mean(columns, np.ones(N, bool)), exact.mean, rtol=0, atol=1e-6)


def test_where_nothing_is_near_the_error_is_infinite():
    far = np.array([[500.0, 500.0]])
    options = {**PLAIN, "query_codes": np.zeros((1, 0), int)}
    low = LowRankMeans(POINTS, far, VARIANCES, bandwidth=BANDWIDTH, **options)
    assert low.error == np.inf
