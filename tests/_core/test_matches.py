"""Kernels on categories: products with an RBF kernel, by every way and around query points."""

import numpy as np
import pytest

from sklearn_calib._core import local_means, merge_codes, pair_form
from tests._core._data import assert_same_form, residual_columns

# Coordinates, categories per column, kernel between different categories.
SHAPES = {
    "cells on a line": (1, [5, 3], [0.0, 0.0]),
    "one category": (1, [1], [0.0]),
    "a cell for each row": (1, [400], [0.0]),
    "line with a soft match": (1, [4], [0.3]),
    "exact and soft": (2, [5, 3], [0.0, 0.3]),
    "exact": (3, [7, 4], [0.0, 0.0]),
    "soft": (2, [3, 2], [0.2, 0.5]),
}


def make(shape, n=400, seed=0):
    dimension, n_categories, similarity = SHAPES[shape]
    rng = np.random.default_rng(seed)
    points = rng.random((n, dimension))
    codes = np.column_stack([rng.integers(k, size=n) for k in n_categories])
    return points, codes, np.array(similarity)


def product_kernel(points, codes, similarity, queries, query_codes, bandwidth=0.3):
    """Return the kernel of every row with every query, one factor after the other."""
    kernel = np.ones((len(points), len(queries)))
    for i in range(len(points)):
        for q in range(len(queries)):
            kernel[i, q] = np.exp(-np.sum((points[i] - queries[q]) ** 2) / bandwidth**2)
            for k, between in enumerate(similarity):
                if codes[i, k] != query_codes[q, k]:
                    kernel[i, q] *= between
    return kernel


@pytest.mark.parametrize("shape", SHAPES)
def test_every_way_agrees_with_the_loops(shape):
    points, codes, similarity = make(shape)
    columns = residual_columns(len(points), 2, True)
    kernel = product_kernel(points, codes, similarity, points, codes)
    np.fill_diagonal(kernel, 0.0)
    expected = np.einsum("ic,ij,jc->c", columns, kernel, columns)
    on_line = shape in ("cells on a line", "one category", "a cell for each row")
    for algorithm in ("auto", "tiles", "low_rank", *(("windows", "fourier") if on_line else ())):
        form = pair_form(
            points,
            kernel="rbf",
            bandwidth=0.3,
            codes=codes,
            similarity=similarity,
            algorithm=algorithm,
            max_rank=400,
            tol=1e-14,
        )
        assert_same_form(form(columns), expected, columns)
    if not on_line:
        with pytest.raises(ValueError, match=r"with categories|in [23] dimensions"):
            pair_form(
                points,
                kernel="rbf",
                bandwidth=0.3,
                codes=codes,
                similarity=similarity,
                algorithm="windows",
            )


def test_low_rank_says_how_far_it_is_from_the_product_kernel():
    points, codes, similarity = make("exact and soft", n=600)
    options = {"kernel": "rbf", "bandwidth": 0.3, "codes": codes, "similarity": similarity}
    form = pair_form(points, algorithm="low_rank", max_rank=60, **options)
    columns = np.random.default_rng(3).normal(size=(600, 400))
    exact = pair_form(points, algorithm="tiles", **options)(columns)
    error = form(columns) - exact
    stated = form.certificate.relative_std
    assert 0.01 < stated < 1.0
    np.testing.assert_allclose(error.std() / exact.std(), stated, rtol=0.15)
    bound = form.certificate.trace * (columns**2).sum(axis=0)
    assert (np.abs(error) <= bound).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_means_around_queries_agree_with_the_loops(shape):
    points, codes, similarity = make(shape)
    queries, query_codes, _ = make(shape, n=90, seed=1)
    n = len(points)
    columns, variances = residual_columns(n, 2, False), np.random.default_rng(2).random((n, 1))
    weights = np.random.default_rng(3).exponential(size=n)
    kernel = weights[:, np.newaxis] * product_kernel(
        points, codes, similarity, queries, query_codes
    )
    result = local_means(
        points,
        queries,
        columns,
        bandwidth=0.3,
        codes=codes,
        query_codes=query_codes,
        similarity=similarity,
        variances=variances,
        weights=weights,
    )
    total = kernel.sum(axis=0)
    met = total > 0
    kernel, total = kernel[:, met], total[met]
    np.testing.assert_allclose(result.mean[met], kernel.T @ columns / total[:, np.newaxis], 1e-11)
    np.testing.assert_allclose(result.effective_size[met], total**2 / (kernel**2).sum(axis=0))
    spread = (kernel**2).T @ variances / total[:, np.newaxis] ** 2
    np.testing.assert_allclose(result.variance[met], spread, 1e-11)
    np.testing.assert_array_equal(result.effective_size[~met], 0.0)
    assert np.isfinite(result.mean).all()


def test_a_query_that_no_row_equals_averages_the_rows_that_differ_least():
    codes = np.array([[0, 0], [0, 1], [1, 1], [1, 1]])
    values = np.array([1.0, 2.0, 3.0, 5.0])
    result = local_means(
        np.zeros(4),
        np.zeros(2),
        values,
        bandwidth=1.0,
        codes=codes,
        query_codes=np.array([[1, 0], [2, 2]]),
        similarity=0.0,
    )
    # (1, 0) differs in one column from all but (0, 1); (2, 2) differs in both from all.
    np.testing.assert_allclose(result.mean[:, 0], [(1 + 3 + 5) / 3, (1 + 2 + 3 + 5) / 4])
    np.testing.assert_array_equal(result.effective_size, 0.0)


def test_leaving_out_the_only_row_of_a_cell():
    codes = np.array([[0], [0], [1]])
    result = local_means(
        np.zeros(3),
        np.zeros(3),
        np.array([1.0, 2.0, 6.0]),
        bandwidth=1.0,
        codes=codes,
        query_codes=codes,
        similarity=0.0,
        leave_one_out=True,
    )
    np.testing.assert_allclose(result.mean[:, 0], [2.0, 1.0, 1.5])
    np.testing.assert_array_equal(result.effective_size, [1.0, 1.0, 0.0])


def test_order_of_rows_and_names_of_codes_do_not_matter():
    points, codes, similarity = make("exact and soft")
    columns = residual_columns(len(points), 1, False)
    options = {"kernel": "rbf", "bandwidth": 0.3, "similarity": similarity}
    form = pair_form(points, codes=codes, **options)(columns)
    order = np.random.default_rng(5).permutation(len(points))
    renamed = (codes * 7 + 3) % 41
    again = pair_form(points[order], codes=renamed[order], **options)(columns[order])
    assert_same_form(again, form, columns)


def test_only_rows_of_the_same_cell_are_counted_as_pairs():
    codes = np.array([[0, 5], [0, 5], [1, 5], [1, 6]])
    assert merge_codes(4, codes, np.zeros(2)).n_pairs == 4 + 1 + 1
    assert merge_codes(4, codes, np.array([0.5, 0.0])).n_pairs == 9 + 1
    assert merge_codes(4, None, None).n_pairs == 16
