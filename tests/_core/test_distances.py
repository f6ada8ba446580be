import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sklearn_calib._core import median_distance
from sklearn_calib._core.distances import (
    _without_wide_gaps,
    kernel_of_differences,
    shorten_gaps,
)
from tests._oracles import loop_median_distance


@settings(max_examples=100, deadline=None)
@given(
    hnp.arrays(
        float,
        st.tuples(st.integers(0, 12), st.integers(1, 3)),
        elements=st.sampled_from([0.0, 0.1, 0.3, 1.0, -2.5, 7.0]),
    )
)
def test_median_distance_agrees_with_the_loop(values):
    expected = loop_median_distance(values.tolist())
    np.testing.assert_allclose(median_distance(values), expected, rtol=1e-14)


@pytest.mark.parametrize("d", [1, 5])
def test_equal_rows_are_left_out_and_offsets_are_harmless(d):
    rng = np.random.default_rng(0)
    # Multiples of 1/1024 stay what they are when 1e9 is added.
    distinct = np.round(rng.normal(size=(50, d)) * 1024) / 1024
    values = np.concatenate([distinct, np.repeat(distinct[:1], 450, axis=0)])
    expected = median_distance(values)
    assert expected == pytest.approx(loop_median_distance(values.tolist()), rel=1e-14)
    assert expected > 0.1
    assert median_distance(values + 1e9) == expected


def test_one_axis_is_one_column():
    values = np.array([0.0, 1.0, 2.0, 3.0])
    assert median_distance(values) == median_distance(values[:, None]) == 1.5


@pytest.mark.parametrize("values", [[], [0.3], [0.1, 0.1, 0.1], np.full((4, 3), 0.7)])
def test_no_distance_is_left(values):
    assert median_distance(values) == 1.0


def test_subsample_above_max_samples():
    values = np.random.default_rng(0).normal(size=(300, 2))
    kept = np.random.default_rng(4).choice(300, size=40, replace=False)
    assert median_distance(values, max_samples=40, seed=4) == median_distance(values[kept])
    assert median_distance(values, max_samples=300, seed=4) == median_distance(values)


@pytest.mark.parametrize("unit", [2.0**600, 2.0**-600])
def test_units_beyond_all_squares_do_not_matter(unit):
    values = np.random.default_rng(0).normal(size=(50, 3))
    assert median_distance(values * unit) == median_distance(values) * unit
    assert median_distance(values[:, 0] * unit) == median_distance(values[:, 0]) * unit


def test_extreme_numbers_keep_the_median_usable():
    limits = np.finfo(np.float64)
    assert median_distance(np.array([[-limits.max] * 3, [limits.max] * 3])) == limits.max
    assert median_distance(np.array([0.0, limits.smallest_subnormal])) == limits.tiny
    assert median_distance(np.array([[1e300, 0.0], [1e300, 1e-100]])) == 1e-100


def test_positions_at_both_ends_of_the_range_of_numbers_have_a_finite_distance():
    found = _without_wide_gaps(np.array([1.7e308, -1.7e308, 1.5e308]), 1e307)
    np.testing.assert_allclose(found, [34.0, 0.0, 32.0], rtol=1e-12)


@pytest.mark.parametrize("bandwidth", [0.5, 1.0, 3.0, 1e150])
def test_gaps_are_shortened_between_groups_of_points_and_nowhere_else(bandwidth):
    """Within a group the differences in bandwidths stay, and between them there are 2048."""
    group = np.array([0.0, 0.25, 1.0, 1000.0, 3000.0])
    narrow = np.array([bandwidth])
    points = bandwidth * np.concatenate([[2.0**60], group, [-(2.0**60), 2.0**60]])
    own, (moved, other) = shorten_gaps(narrow, points[:, np.newaxis], points[::-1, np.newaxis])
    assert (own, narrow) == (1.0, bandwidth)
    moved = moved[:, 0] - moved[-2, 0]
    assert moved.tolist() == [7096.0, 2048.0, 2048.25, 2049.0, 3048.0, 5048.0, 0.0, 7096.0]
    np.testing.assert_array_equal(other[::-1, 0] - other[1, 0], moved)


def test_a_gap_of_2048_bandwidths_is_not_wide():
    points = np.array([[0.0], [2048.0], [4097.0], [2.0**60]])
    _, (moved,) = shorten_gaps(np.ones(1), points)
    assert np.diff(moved[:, 0]).tolist() == [2048.0, 2048.0, 2048.0]


@pytest.mark.parametrize("bandwidth", [2.0**-600, 2.0**600])
def test_units_of_extreme_bandwidths_are_powers_of_two(bandwidth):
    points = np.array([[0.0, 1.0], [3.0, 5.0], [-1.0, 2.0]])
    own, (moved,) = shorten_gaps(np.array([1.5 * bandwidth, 2.0]), points * [bandwidth, 1.0])
    np.testing.assert_array_equal(moved / own, points / [1.5, 2.0])
    assert 0.5 <= own[0] < 1.0
    assert own[1] == 2.0
    np.testing.assert_array_equal(moved[:, 1], points[:, 1])


@settings(max_examples=50, deadline=None)
@given(
    hnp.arrays(float, (6, 2), elements=st.sampled_from([0.0, 0.1, 0.3, 1.0, -2.5, 7.0])),
    hnp.arrays(int, 6, elements=st.integers(0, 3)),
)
def test_a_weight_counts_as_copies_of_the_row(values, weight):
    weight[0] += 1  # not all are zero
    copies = np.repeat(values, weight, axis=0)
    expected = loop_median_distance(copies.tolist())
    for unit in (1.0, 1e-200, 7.0):
        found = median_distance(values, weight * unit)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_weights_are_how_probable_rows_are_in_a_random_subsample():
    """Nearly all pairs are of the two heavy rows, whatever the many others are."""
    values = np.concatenate([[0.0, 3.0], np.linspace(100.0, 200.0, 3000)])
    weight = np.concatenate([[1e6, 1e6], np.ones(3000)])
    assert median_distance(values, weight) == 3.0
    assert median_distance(values, np.full(3002, 7.0)) == median_distance(values)
    assert median_distance(values, max_samples=2000, seed=0) == median_distance(values)
    assert median_distance(values, max_samples=2001, seed=0) != median_distance(values)
    assert median_distance(values, max_samples=2000, seed=1) != median_distance(values)


def test_a_kernel_of_differences_by_hand():
    differences = np.array([[3.0, 4.0], [0.0, 0.5]])
    expected = np.exp([-25.0, -0.25])
    np.testing.assert_allclose(kernel_of_differences(differences, "rbf"), expected, rtol=1e-15)
    expected = np.exp([-5.0, -0.5])
    np.testing.assert_allclose(
        kernel_of_differences(differences, "laplacian"), expected, rtol=1e-15
    )
