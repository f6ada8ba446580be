"""Bandwidths: numbers, "median", one per feature, "scaled"."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib._data.bandwidths import (
    resolve_bandwidths,
    resolve_feature_bandwidth,
    resolve_prob_bandwidth,
)
from sklearn_calib._data.features import FeatureEncoder
from tests._oracles import loop_median_distance

X = np.random.default_rng(0).normal(size=(25, 3)) * [1.0, 50.0, 0.01]
P = np.random.default_rng(1).dirichlet(np.ones(4), size=25)


def test_a_number_is_used_as_it_is():
    assert resolve_prob_bandwidth(P, 0.3) == 0.3
    assert_array_equal(resolve_feature_bandwidth(X, 0.3), [0.3] * 3)
    assert_array_equal(resolve_feature_bandwidth(X, np.float32(2)), [2.0] * 3)
    assert_array_equal(resolve_feature_bandwidth(X, [1, 2, 3]), [1.0, 2.0, 3.0])
    assert_array_equal(resolve_feature_bandwidth(X, (0.5, 2, 3)), [0.5, 2.0, 3.0])


def test_median_is_the_plain_loop():
    for points in (P, P[:, [0]], P[[0, 0, 0, 1]], np.round(P, 1)):
        value = resolve_prob_bandwidth(points, "median")
        assert_allclose(value, loop_median_distance(points.tolist()), rtol=1e-14)
    median = loop_median_distance(X.tolist())
    assert_allclose(resolve_feature_bandwidth(X, "median"), [median] * 3, rtol=1e-14)


def test_equal_rows_have_the_median_one():
    assert resolve_prob_bandwidth(np.full((5, 2), 0.5), "median") == 1.0
    assert resolve_prob_bandwidth(np.array([[0.5]]), "median") == 1.0
    assert_array_equal(resolve_feature_bandwidth(np.full((5, 2), 1e9), "median"), [1.0, 1.0])


def test_scaled_is_one_median_per_feature_times_the_root_of_their_number():
    expected = [loop_median_distance(X[:, [k]].tolist()) * math.sqrt(3) for k in range(3)]
    assert_allclose(resolve_feature_bandwidth(X, "scaled"), expected, rtol=1e-14)
    one = resolve_feature_bandwidth(X[:, [1]], "scaled")
    assert_array_equal(one, resolve_feature_bandwidth(X[:, [1]], "median"))
    constant = np.column_stack([X[:, 0], np.full(25, 7.0)])
    assert_allclose(resolve_feature_bandwidth(constant, "scaled")[1], math.sqrt(2), rtol=1e-15)


@pytest.mark.parametrize(
    ("bandwidth", "pattern"),
    [
        (0, r'positive number or "median", got 0\. Also allowed: one number per feature.*"scaled"'),
        ("silverman", r"got 'silverman'.*\"scaled\""),
        (None, r"got None.*\"scaled\""),
        ([1.0, 2.0], r"one per feature, shape \(3,\), got shape \(2,\)"),
        ([[1.0, 2.0, 3.0]], r"shape \(3,\), got shape \(1, 3\)"),
        ([1.0, -2.0, 3.0], r"must be positive, got -2"),
        ([1.0, np.nan, 3.0], r"must be finite; row 1"),
        (["a", "b", "c"], r"must be numeric"),
    ],
)
def test_bad_feature_bandwidths(bandwidth, pattern):
    with pytest.raises(ValueError, match=f"^width .*{pattern}"):
        resolve_feature_bandwidth(X, bandwidth, "width")


def test_scaled_is_for_features_only():
    with pytest.raises(ValueError, match=r"^width must be a positive number"):
        resolve_prob_bandwidth(P, "scaled", "width")


def test_one_bandwidth_per_feature_also_where_some_are_categories():
    table = [["a", 1.0, 2.0], ["b", 2.0, 4.0], ["a", 4.0, 1.0]]
    features = FeatureEncoder().fit(table).transform(table)
    assert_array_equal(resolve_bandwidths(features, [np.nan, 0.5, 0.7]), [np.nan, 0.5, 0.7])
    for widths in ([0.5], [0.5, 0.7], [1.0, 1.0, 1.0, 1.0], [[1.0, 1.0, 1.0]]):
        with pytest.raises(ValueError, match=r"feature_bandwidth must .* shape \(3,\), got shape"):
            resolve_bandwidths(features, widths)
    only = [["a"], ["b"]]
    with pytest.raises(ValueError, match=r"shape \(1,\), got shape \(2,\)"):
        resolve_bandwidths(FeatureEncoder().fit(only).transform(only), [0.5, 0.7])
