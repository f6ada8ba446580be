"""Groups that are wrong only because they share rows with others, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from sklearn_calib.inference._groups.overlap import explain_overlaps

FAMILY = SimpleNamespace(single_step=lambda deviation: 2 * norm.sf(abs(deviation)))


class _Groups:
    """Groups of a hundred rows by their ranges of rows."""

    def __init__(self, *ranges, n_columns=None, absent=None):
        rows = np.arange(100)
        self.masks = np.array([(rows >= low) & (rows < high) for low, high in ranges], dtype=float)
        self.n_columns = np.ones(len(ranges)) if n_columns is None else np.array(n_columns)
        self.absent = np.zeros(len(ranges)) if absent is None else np.array(absent)

    def sums(self, values):
        return self.masks @ values

    def overlaps(self, values, some):
        return (self.masks[some] * values) @ self.masks[some].T


def _explained(groups, residual, alpha=0.05):
    """Return what is explained where every label has the variance 1/4."""
    quarter = np.full(100, 0.25)
    deviation = groups.sums(residual) / np.sqrt(groups.sums(quarter))
    pvalue = np.array([FAMILY.single_step(one) for one in deviation])
    scores = residual, quarter, quarter
    return explain_overlaps(groups, scores, deviation, pvalue, FAMILY, alpha), deviation, pvalue


WRONG_FIRST_HALF = np.where(np.arange(100) < 50, 0.3, 0.0)


def test_a_group_that_shares_the_wrong_rows_is_explained_by_those():
    """Half of the second group is in the first one, which accounts for all of its deviation."""
    found, deviation, pvalue = _explained(_Groups((0, 50), (25, 75)), WRONG_FIRST_HALF)
    assert deviation == pytest.approx([15 / 12.5**0.5, 7.5 / 12.5**0.5])
    assert found.by.tolist() == [-1, 0]
    assert found.pvalue == pytest.approx([pvalue[0], 1.0])


def test_groups_that_are_wrong_by_themselves_both_stay():
    """What is left of 15 given the other is 15 - 15 / 2, with the variance 12.5 (1 - 1 / 4)."""
    residual = np.where((np.arange(100) < 25) | (np.arange(100) >= 50), 0.6, 0.0)
    groups = _Groups((0, 50), (25, 75))
    found, _, pvalue = _explained(groups, residual)
    left = (15 - 0.5 * 15) / np.sqrt(12.5 * 0.75)
    assert found.by.tolist() == [-1, -1]
    assert found.pvalue == pytest.approx([2 * 2 * norm.sf(left)] * 2)
    assert (found.pvalue > pvalue).all()


def test_groups_without_common_rows_keep_their_pvalues():
    residual = np.where(np.arange(100) < 50, 0.3, -0.3)
    found, _, pvalue = _explained(_Groups((0, 50), (50, 100)), residual)
    assert found.by.tolist() == [-1, -1]
    assert found.pvalue.tolist() == pvalue.tolist()


def test_combinations_of_columns_are_dropped_first_and_of_equal_groups_the_last():
    found, _, _ = _explained(_Groups((0, 50), (0, 50), n_columns=[2, 1]), WRONG_FIRST_HALF)
    assert found.by.tolist() == [1, -1]
    found, _, _ = _explained(_Groups((0, 50), (0, 50)), WRONG_FIRST_HALF)
    assert found.by.tolist() == [-1, 0]
    found, _, _ = _explained(_Groups((0, 50), (0, 50), absent=[1, 0]), WRONG_FIRST_HALF)
    assert found.by.tolist() == [1, -1]


def test_only_groups_that_are_significant_are_compared():
    found, _, pvalue = _explained(_Groups((0, 50), (40, 90)), WRONG_FIRST_HALF)
    assert pvalue[1] > 0.05
    assert found.by.tolist() == [-1, -1]
    assert found.pvalue.tolist() == pvalue.tolist()
    found, _, _ = _explained(_Groups((0, 50), (40, 90)), WRONG_FIRST_HALF, alpha=pvalue[1])
    assert found.by.tolist() == [-1, 0]


def test_a_group_has_the_largest_pvalue_of_those_it_was_dropped_and_is_explained_with():
    """The third group is dropped given both others; one of them stays, which leaves it less."""
    residual = np.repeat([0.3, 0.0, 0.0, 0.6, 0.3, 0.0, 0.6, 0.0, 0.0, -0.3], 10)
    groups = _Groups((30, 60), (0, 50), (20, 40))
    score, information = groups.sums(residual), 0.25 * groups.masks @ groups.masks.T

    def pvalue_given(k, given):
        share = np.linalg.solve(information[np.ix_(given, given)], information[given, k])
        variance = information[k, k] - share @ information[given, k]
        left = (score[k] - share @ score[given]) / np.sqrt(variance)
        return min(1.0, 2 * 2 * norm.sf(abs(left)))

    found, _, pvalue = _explained(groups, residual)
    assert found.by.tolist() == [1, -1, 1]
    assert pvalue_given(2, [1]) < pvalue_given(2, [0, 1]) == pytest.approx(1.0)
    expected = [pvalue_given(0, [1]), pvalue[1], pvalue_given(2, [0, 1])]
    assert found.pvalue == pytest.approx(expected)


def test_a_group_counts_again_where_what_it_was_dropped_for_is_dropped():
    """The fourth one, for which the first and the third were dropped, goes for the second one.

    That shares no row with the first one, which explains the third.
    """
    residual = np.repeat([0.6, 0.3, 0.3, 0.1], 25)
    groups = _Groups((60, 95), (20, 60), (55, 90), (40, 75), n_columns=[2, 3, 4, 1])
    found, _, pvalue = _explained(groups, residual)
    assert (pvalue < 0.05).all()
    assert found.by.tolist() == [-1, -1, 0, 1]
    assert found.pvalue[:2].tolist() == pvalue[:2].tolist()
