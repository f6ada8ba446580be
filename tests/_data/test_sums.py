"""Totals in twice the precision of float64."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from sklearn_calib._data.sums import Totals, add_by_cell, add_up, joined

numbers = st.floats(-1e30, 1e30, allow_subnormal=False)


def _exact(values):
    return sum((Fraction(float(value)) for value in values), Fraction(0))


def _error(totals, values, cell=0):
    """Return the error of a total relative to the sum of the sizes of the values."""
    found = Fraction(float(totals.high[cell])) + Fraction(float(totals.low[cell]))
    size = sum((abs(Fraction(float(value))) for value in values), Fraction(0))
    return abs(found - _exact(values)) / size if size else abs(found)


@settings(max_examples=50, deadline=None)
@given(values=st.lists(numbers, max_size=40))
def test_sums_of_a_batch(values):
    values = np.array(values, dtype=float)
    assert _error(add_up(values), values) <= 2.0**-80


@settings(max_examples=50, deadline=None)
@given(values=st.lists(numbers, min_size=1, max_size=40), order=st.randoms())
def test_sums_of_totals_in_any_order(values, order):
    parts = [Totals.of(np.array([value])) for value in values]
    order.shuffle(parts)
    total = sum(parts[1:], start=parts[0])
    assert _error(total, values) <= 2.0**-98
    # The high part is the sum rounded to float64.
    if total.high[0]:
        assert abs(total.low[0]) <= 2.0**-52 * abs(total.high[0])


def test_cells_are_added_up_apart():
    rng = np.random.default_rng(0)
    values, cell = rng.random(5000), rng.integers(0, 7, 5000)
    totals = add_by_cell(values, cell, 8)
    for k in range(7):
        assert _error(totals, values[cell == k], k) <= 2.0**-80
    assert totals.values[7] == 0.0


def test_numbers_of_very_different_size():
    values = np.array([1e10, 1.0, -1e10, 1e-5] * 250)
    assert_array_equal(add_up(values).values, [float(_exact(values))])
    tiny = np.full(10, 5e-324)
    assert_array_equal(add_up(tiny).values, [5e-323])


def test_smallest_values():
    first = Totals.of(np.zeros(1), least=[1.0, -2.0])
    second = Totals.of(np.zeros(1), least=[0.5, np.inf])
    assert_array_equal((first + second).least, [0.5, -2.0])
    assert_array_equal((first + Totals.zero(1, 2)).least, first.least)


@pytest.mark.parametrize("size", [0, 3])
def test_no_rows(size):
    assert_array_equal(
        add_by_cell(np.zeros(0), np.zeros(0, dtype=int), size).values, np.zeros(size)
    )
    both = joined([Totals.zero(size), add_up(np.zeros(0))])
    assert_array_equal(both.values, np.zeros(size + 1))
