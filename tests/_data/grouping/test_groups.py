"""Sums over groups agree with sums over masks of rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib._data.group_columns import group_columns, read_groups
from sklearn_calib._data.groups import ALL_ROWS, Groups

RNG = np.random.default_rng(0)
N = 200
TABLE = {
    "a": RNG.choice(["x", "y", "z"], N),
    "b": RNG.integers(0, 2, N),
    "c": RNG.choice(["u", "v"], N, p=[0.9, 0.1]),
}
WEIGHT = RNG.random(N) + 0.1


def make(max_interaction=2, min_rows=1, weight=WEIGHT):
    columns = group_columns(read_groups(TABLE), 4)
    return Groups(columns, weight, max_interaction=max_interaction, min_rows=min_rows)


def masks(groups):
    """Return the rows of each group by its names."""
    found = []
    for feature, category in zip(groups.features, groups.categories):
        mask = np.ones(N, bool)
        if feature != ALL_ROWS:
            for name, value in zip(feature.split(" & "), category.split(" & ")):
                mask &= TABLE[name].astype(str) == value
        found.append(mask)
    return np.array(found)


@pytest.mark.parametrize("max_interaction", [1, 2, 3, 9])
def test_groups_are_all_categories_and_combinations_with_enough_rows(max_interaction):
    groups = make(max_interaction, min_rows=8)
    mask = masks(groups)
    assert_array_equal(groups.n_rows, mask.sum(axis=1))
    n_columns = np.array([one.count("&") + 1 for one in groups.features])
    assert n_columns.max() == min(max_interaction, 3)
    assert groups.n_rows[n_columns > 1].min(initial=8) >= 8
    assert len(set(groups.labels)) == len(groups)
    possible = {1: 7, 2: 7 + 16, 3: 7 + 16 + 12}[min(max_interaction, 3)]
    if max_interaction == 1:
        assert len(groups) == 1 + possible
    else:
        everything = make(max_interaction, min_rows=1)
        assert len(everything) <= 1 + possible
        small = everything.n_rows < 8
        assert len(groups) == len(everything) - np.count_nonzero(small)


def test_sums_overlaps_and_histograms():
    groups = make(3)
    mask, values = masks(groups), RNG.normal(size=(N, 3))
    weight = WEIGHT / WEIGHT.max()
    assert_allclose(groups.sums(values), mask @ (weight[:, np.newaxis] * values), rtol=1e-12)
    some = np.array([0, 3, 5, len(groups) - 1])
    expected = (mask[some] * values[:, 0]) @ mask[some].T
    assert_allclose(groups.overlaps(values[:, 0], some), expected, rtol=1e-12, atol=1e-14)
    index = RNG.integers(0, 4, N)
    expected = mask @ ((index[:, np.newaxis] == np.arange(4)) * values[:, [1]])
    assert_allclose(groups.histogram(index, 4, values[:, 1]), expected, rtol=1e-12, atol=1e-14)


def test_rows_of_each_group_in_order():
    groups = make(2, min_rows=5)
    found = dict(groups.rows())
    assert list(found) == list(range(len(groups)))
    for k, mask in enumerate(masks(groups)):
        assert_array_equal(found[k], np.flatnonzero(mask))


def test_too_many_combinations_are_refused():
    columns = group_columns(read_groups(RNG.normal(size=(2000, 40))), 4)
    with pytest.raises(ValueError, match="max_interaction=4 of 40 columns"):
        Groups(columns, None, max_interaction=4, min_rows=10)
