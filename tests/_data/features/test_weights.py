"""Weights of rows in the encoding of features."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._data.features import FeatureEncoder
from sklearn_calib.inference import local_calibration_bias


def _replacement(values, weight=None):
    """Return the number that replaces a missing one."""
    table = pd.DataFrame({"x": [*values, np.nan]})
    weight = None if weight is None else np.array([*weight, 1.0])
    return FeatureEncoder().fit(table, weight).transform(table).numbers[-1, 0]


@pytest.mark.parametrize(
    ("weight", "median"),
    [
        ([1, 1, 1, 1], 2.5),  # 1.5, 2.5, 2.5, 8.5
        ([3, 1, 1, 1], 2.0),  # the middle between 1.5 and 2.5
        ([4, 1, 1, 1], 1.5),
        ([1, 1, 1, 9], 8.5),
        ([1, 1, 1, 3], 5.5),
    ],
)
def test_a_missing_number_is_the_median_of_the_copies(weight, median):
    """By hand, and in whatever unit the weights are."""
    values = np.array([1.5, 2.5, 2.5, 8.5])
    assert _replacement(np.repeat(values, weight)) == median
    for unit in (1.0, 0.1, 1 / 3, 1e-9, 1e9):
        assert _replacement(values, unit * np.array(weight)) == median


def test_weights_are_copies_of_random_rows():
    rng = np.random.default_rng(0)
    for n in (*range(1, 12), 200, 201):
        values, weight = rng.exponential(size=n), rng.integers(1, 6, n)
        assert _replacement(values, weight / 7) == np.median(np.repeat(values, weight))


def test_the_bias_of_weighted_rows_is_that_of_the_copies_where_numbers_are_missing():
    """Rows with a missing number are compared, at the median of the others, with other rows."""
    rng = np.random.default_rng(3)
    n = 60
    p, present = rng.random(n), rng.exponential(size=n)
    y = (rng.random(n) < p).astype(int)
    X = pd.DataFrame({"m": np.where(rng.random(n) < 0.25, np.nan, present)})
    weight = np.where(present > 1.5, 9, rng.integers(1, 6, n))
    options = {"feature_bandwidth": 0.5, "prob_bandwidth": 0.3, "category_similarity": 0.5}
    options |= {"X_query": X[:9], "proba_query": p[:9]}
    rows = np.repeat(np.arange(n), weight)
    copies = local_calibration_bias(y[rows], p[rows], X.iloc[rows], **options)
    weighted = local_calibration_bias(y, p, X, sample_weight=weight / 4, **options)
    assert_allclose(weighted, copies, rtol=0, atol=1e-13)


@pytest.mark.parametrize("unit", [0.01, 1.0, 100.0])
def test_the_unit_of_the_weights_does_not_decide_what_is_a_category(unit):
    """Four whole numbers are categories from 80 rows on, which are counted without weights."""
    for n, is_category in ((79, False), (80, True)):
        table = pd.DataFrame({"stage": np.arange(n) % 4})
        assert FeatureEncoder().fit(table, np.full(n, unit)).is_category(0) == is_category
