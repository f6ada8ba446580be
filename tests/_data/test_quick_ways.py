"""What is done quickly for plain arrays is what the general way does."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib._data.bins import bin_index, count_below, quantile_bin_index, starts
from sklearn_calib._data.labels import check_labels, distinct_labels
from sklearn_calib.metrics import ece


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64, np.uint64, float, str])
def test_distinct_labels_are_those_of_unique(dtype):
    for values in ([0, 1, 1], [1, 1], [3, 1, 2, 3], [127, 0, 5]):
        y = np.array(values).astype(dtype)
        found = distinct_labels(y)
        assert_array_equal(found, np.unique(y), strict=True)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (np.int8, [-128, 127, 3]),
        (np.uint64, [2**64 - 1, 2**64 - 3, 2**64 - 2]),
        (np.int64, [-(2**63), 2**63 - 1, 0]),
        (np.int64, [10**6, 0, 7]),
    ],
)
def test_distinct_labels_at_the_ends_of_a_type(dtype, values):
    y = np.array(values, dtype=dtype)
    assert_array_equal(distinct_labels(y), np.unique(y), strict=True)


@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("n_bins", [1, 2, 10, 15, 64, 65, 66, 300])
def test_few_edges_are_compared_and_many_are_searched_alike(n_bins, closed):
    edges = np.arange(n_bins + 1) / n_bins
    p = np.concatenate([edges, np.nextafter(edges[1:], 0), np.nextafter(edges[:-1], 1)])
    side = "right" if closed == "left" else "left"
    expected = np.clip(np.searchsorted(edges, p, side=side) - 1, 0, n_bins - 1)
    assert_array_equal(bin_index(p, edges, closed), expected)


def test_quantile_bins_without_weights_are_those_with_equal_ones():
    rng = np.random.default_rng(0)
    for p in (rng.random(100), rng.random(100).round(1), np.full(7, 0.5), np.array([0.3])):
        for n_bins in (1, 3, 10, 100):
            without = quantile_bin_index(p, n_bins)
            assert_array_equal(without, quantile_bin_index(p, n_bins, np.ones(p.size)))


def test_starts_of_runs():
    assert_array_equal(starts(np.array([1.0, 1.0, 2.0, 3.0, 3.0])), [0, 2, 3])
    assert_array_equal(count_below(np.array([0.5]), np.array([])), [0])


@pytest.mark.parametrize("y", [np.array([0.0, np.nan]), np.array([0, 1j]), np.array([0.5, 1.0])])
def test_labels_that_are_none_are_refused_as_before(y):
    with pytest.raises(ValueError, match="y_true must"):
        check_labels(y)


def test_subclasses_and_complex_numbers_do_not_pass_unchecked():
    with pytest.raises(ValueError, match="y_proba must be a numeric array"):
        ece([0, 1], np.array([0.5, 0.5 + 0j]))
    with pytest.raises(ValueError, match="masked"):
        ece([0, 1], np.ma.array([0.2, 0.7], mask=[True, False]))
