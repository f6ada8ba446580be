"""The smallest p-value of several statistics, against a slow loop and by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.inference._statistics.omnibus.min_p import (
    SmallestPvalueTest,
    smallest_pvalues,
)


def ranks(values, alternative):
    """Count, for each value, how many are at least as extreme, itself counted in."""
    counts = []
    for one in values:
        above, below = np.sum(values >= one), np.sum(values <= one)
        two_sided = min(2 * min(above, below), values.size)
        counts.append(above if alternative == "greater" else two_sided)
    return np.array(counts)


def test_the_smallest_pvalue_against_a_slow_loop():
    """Ties between ranks aside, which the loop counts as extreme."""
    rng = np.random.default_rng(0)
    kinds = ["greater", "two-sided", "greater"]
    for _ in range(20):
        everything = np.round(rng.normal(size=(3, 40)), 1)
        rank = np.array([ranks(row, kind) for row, kind in zip(everything, kinds)])
        smallest = rank.min(axis=0)
        outcome = smallest_pvalues(everything[:, 0], everything[:, 1:], kinds)
        assert_allclose(outcome.pvalues, rank[:, 0] / 40, rtol=1e-14)
        at_most = np.sum(smallest <= smallest[0]) / 40
        below = (np.sum(smallest < smallest[0]) + 1) / 40
        assert below <= outcome.adjusted.min() <= at_most
        assert (outcome.adjusted >= outcome.pvalues - 1e-14).all() or "two-sided" in kinds
        order = np.argsort(outcome.values, kind="stable")
        assert (np.diff(smallest[1:][order]) <= 0).all()


def test_by_hand():
    """One part of five values: ranks 2 and a tie, which counts against the data."""
    outcome = smallest_pvalues(np.array([3.0]), np.array([[5.0, 3.0, 1.0, 0.0]]), ["greater"])
    assert outcome.pvalues.tolist() == [3 / 5]
    assert outcome.adjusted.tolist() == [3 / 5]
    # Rank 3, and the distance 0 from the median 3: the tie stays.
    assert_allclose(outcome.statistic, -np.log10(3 / 5), rtol=1e-14)
    # Rank 1; distance 2 from the median in units of the median distance 2: t = 1.
    assert_allclose(outcome.values[0], -np.log10((1 - 1 / 4 - 1 / 202) / 5), rtol=1e-14)


def test_a_value_far_beyond_all_draws_has_the_smallest_possible_pvalue():
    """Although one draw of each other part is the largest there, too."""
    values = np.random.default_rng(0).normal(size=(3, 99))
    outcome = smallest_pvalues(np.array([0.0, 0.0, 1e3]), values, ["greater"] * 3)
    assert outcome.adjusted[2] == 1 / 100
    assert outcome.adjusted[:2].min() > 0.1


@pytest.mark.parametrize("kind", ["greater", "two-sided"])
@pytest.mark.parametrize("value", [1e6, np.inf])
def test_also_in_a_part_of_small_importance(kind, value):
    """Or else no error of its kind could be found with few draws."""
    values = np.random.default_rng(0).normal(size=(3, 19))
    observed = np.array([0.0, 0.0, value])
    outcome = smallest_pvalues(observed, values, ["greater", "greater", kind], [1.0, 1.0, 0.5])
    assert outcome.adjusted[2] == 1 / 20


def test_the_order_of_the_draws_does_not_matter():
    rng = np.random.default_rng(0)
    observed, values, order = rng.normal(size=2), rng.normal(size=(2, 50)), rng.permutation(50)
    kinds = ["greater", "two-sided"]
    first = smallest_pvalues(observed, values, kinds)
    again = smallest_pvalues(observed, values[:, order], kinds)
    assert_allclose(again.values, first.values[order], rtol=1e-14)
    assert_allclose(again.adjusted, first.adjusted, rtol=1e-14)


def test_rounding_does_not_break_ties():
    values = np.array([[1.0 + 1e-15, 1.0 - 1e-15, 0.5, 0.0]])
    outcome = smallest_pvalues(np.array([1.0]), values, ["greater"])
    assert outcome.pvalues[0] == 3 / 5
    assert_allclose(outcome.values[:2], outcome.statistic, rtol=1e-14)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_draws_without_a_number_count_as_larger_than_everything(bad):
    values = np.array([[bad, 0.1, 0.2, 0.3]])
    outcome = smallest_pvalues(np.array([0.5]), values, ["greater"])
    assert outcome.pvalues[0] == 2 / 5
    assert np.isfinite(outcome.values).all()


def test_all_values_equal():
    outcome = smallest_pvalues(np.zeros(2), np.zeros((2, 19)), ["greater", "two-sided"])
    assert outcome.adjusted.tolist() == [1.0, 1.0]
    assert outcome.statistic == 0.0


def test_parts_of_small_importance_count_less():
    """A part with half the importance is compared by twice its p-value."""
    values = np.tile(np.arange(39.0), (2, 1))
    values[1] = values[1][::-1]
    observed = np.array([35.5, 35.5])
    outcome = smallest_pvalues(observed, values, ["greater"] * 2, [1.0, 0.5])
    assert outcome.pvalues.tolist() == [4 / 40, 4 / 40]
    assert outcome.adjusted[0] < outcome.adjusted[1]


def test_exact_whatever_the_parts():
    """Data and draws that come from one distribution: the p-value is at most uniform."""
    rng = np.random.default_rng(0)
    pvalues = []
    for _ in range(2000):
        x = rng.normal(size=(2, 40))
        everything = np.stack([x[0], np.exp(x[1]), np.round(x[0] + x[1])])
        kinds = ["two-sided", "greater", "greater"]
        outcome = smallest_pvalues(everything[:, 0], everything[:, 1:], kinds, [1, 0.5, 0.8])
        pvalues.append(outcome.adjusted.min())
    for level in (0.05, 0.1, 0.25, 0.5):
        bound = level + 4 * np.sqrt(level * (1 - level) / 2000)
        assert np.mean(np.array(pvalues) <= level) <= bound
    # And not far below where ties are few.
    assert np.mean(np.array(pvalues) <= 0.1) >= 0.07


def test_the_test_of_the_smallest_pvalue_by_hand():
    """Four draws of two parts; p-values of the less important one count double."""
    values = np.array([[1.0, 2.0, 3.0, 4.0], [-2.0, -1.0, 1.0, 2.0]])
    options = ["greater", "two-sided"], [2.0, 1.0]
    # The parts have 1, 3/4, 1/2, 1/4 and twice 1/2, 1, 1, 1/2.
    test = SmallestPvalueTest(values, 0.5, *options)
    assert test.critical == 0.5
    assert SmallestPvalueTest(values, 0.2, *options).critical == 0.25
    assert SmallestPvalueTest(values, 0.1, *options).critical is None
    # Beyond all draws of the first part, of the second part, and in the middle of both.
    assert test.power(np.array([[9.0, 2.5, 0.0], [0.0, 3.0, 0.0]])) == pytest.approx(2 / 3)
    # A draw without a number is the largest one, and no more than that.
    without = np.array([[1.0, 2.0, 3.0, np.nan], [-2.0, -1.0, 1.0, 2.0]])
    assert SmallestPvalueTest(without, 0.2, *options).critical == 0.25
    assert SmallestPvalueTest(without, 0.2, *options).power(without) == pytest.approx(1 / 4)
