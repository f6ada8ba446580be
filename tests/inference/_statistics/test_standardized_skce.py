"""The standardised kernel error: its moments by enumeration, and its limit."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import check_calibration
from sklearn_calib._data.predictions import check_predictions
from sklearn_calib.inference._statistics.standardized_skce import prepare_standardized_skce
from sklearn_calib.metrics import skce
from tests.inference._data import binary_data


def all_labels(p):
    """Return every set of labels as columns, and its probability."""
    codes = np.array(list(product((0, 1), repeat=p.size))).T
    return codes, np.prod(np.where(codes == 1, p[:, None], 1 - p[:, None]), axis=0)


@pytest.mark.parametrize("kernel", ["laplacian", "rbf"])
@pytest.mark.parametrize("weight", [None, np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0, 1.0])])
def test_moments_over_all_labels(kernel, weight):
    """Mean zero, variance one and the skewness of the limit, summed over all 128 label sets."""
    p = np.array([0.1, 0.15, 0.3, 0.3, 0.62, 0.9, 0.97])
    predictions = check_predictions(np.zeros(7, dtype=int), p, labels=[0, 1], sample_weight=weight)
    prepared = prepare_standardized_skce(predictions, kernel=kernel, bandwidth=0.3)
    codes, chance = all_labels(p)
    values = prepared(codes)
    assert_allclose(chance @ values, 0.0, atol=1e-14)
    assert_allclose(chance @ values**2, 1.0, rtol=1e-12)
    limit = prepared.limit
    assert_allclose(limit.stats("mvs"), [0.0, 1.0, chance @ values**3], rtol=1e-10, atol=1e-12)


def test_the_third_moment_of_many_rows_is_close_to_the_exact_one(monkeypatch):
    """Groups of neighbours instead of rows: within two percent."""
    y, p, _ = binary_data(3000)
    predictions = check_predictions(y, p)
    grouped = prepare_standardized_skce(predictions).limit.stats("s")
    monkeypatch.setattr("sklearn_calib.inference._statistics.standardized_skce._EXACT_ROWS", 3000)
    exact = prepare_standardized_skce(predictions).limit.stats("s")
    assert exact > 0.5
    assert_allclose(grouped, exact, rtol=0.02)


def test_groups_of_equal_predictions_have_the_exact_third_moment(monkeypatch):
    """Two groups, of two rows and of three; a row may be met twice, as rows of a group are one."""
    p, weight = np.array([0.2, 0.2, 0.6, 0.6, 0.6]), np.array([1.0, 2.0, 0.5, 1.0, 3.0])
    order = [3, 0, 2, 1, 4]
    predictions = check_predictions(
        np.zeros(5, dtype=int), p[order], labels=[0, 1], sample_weight=weight[order]
    )
    prepared = prepare_standardized_skce(predictions, bandwidth=0.4)
    monkeypatch.setattr("sklearn_calib.inference._statistics.standardized_skce._EXACT_ROWS", 2)
    mass = prepared.weight**2 * prepared.variance
    near = np.exp(-np.abs(prepared.p[:, None] - prepared.p) / 0.4)
    rows = range(5)
    expected = sum(
        near[i, j] * near[j, k] * near[k, i] * mass[i] * mass[j] * mass[k]
        for i, j, k in product(rows, rows, rows)
    )
    assert_allclose(prepared._triangles(), expected, rtol=1e-12)


def test_certain_predictions_have_a_limit_without_skewness():
    predictions = check_predictions([0, 1], [0.0, 1.0])
    assert_allclose(prepare_standardized_skce(predictions).limit.stats("mvs"), [0.0, 1.0, 0.0])


def test_with_drawn_labels_the_pvalue_is_that_of_skce():
    y, p, _ = binary_data()
    options = {"n_resamples": 99, "random_state": 0}
    result = check_calibration(y, p, statistic="standardized_skce", **options)
    assert result.pvalue == check_calibration(y, p, **options).pvalue
    assert_allclose(result.statistic * 1.0, skce(y, p) / skce_spread(p), rtol=1e-10)


def skce_spread(p):
    n, v = p.size, p * (1 - p)
    k = np.exp(-np.abs(p[:, None] - p) / 0.2)
    np.fill_diagonal(k, 0.0)
    return np.sqrt(2 * v @ k**2 @ v) / (n * (n - 1))


def test_the_limit_has_the_tail_of_the_draws():
    """The exact distribution is simulated; the limit is right within the noise of 4000 draws."""
    y, p, _ = binary_data(300)
    result = check_calibration(
        y, p, statistic="standardized_skce", n_resamples=4000, random_state=0
    )
    predictions = check_predictions(y, p)
    limit = prepare_standardized_skce(predictions).limit
    for level in (0.2, 0.05):
        share = np.mean(result.null_distribution > limit.isf(level))
        assert abs(share - level) <= 4 * np.sqrt(level / 4000)


def test_certain_predictions():
    y = np.array([0, 1, 1])
    options = {"statistic": "standardized_skce", "null": "asymptotic"}
    assert check_calibration(y, y.astype(float), **options).statistic == 0.0
    wrong = check_calibration([0, 0, 1], [1.0, 1.0, 1.0], **options)
    assert (wrong.statistic, wrong.pvalue) == (np.inf, 0.0)


@pytest.mark.parametrize("light", [1.0, 1e-4, 1e-12])
def test_one_row_may_have_nearly_all_the_weight(light):
    """By hand: the only pair has residuals of -1/4, whose variances are 3/16."""
    weight = np.array([light, 1e4])
    predictions = check_predictions([0, 0], [0.25, 0.25], sample_weight=weight, labels=[0, 1])
    error = prepare_standardized_skce(predictions)
    assert_allclose(error.spread, 3 / 16, rtol=1e-7)
    assert_allclose(error(predictions.codes[:, np.newaxis]), 1 / 3, rtol=1e-7)
