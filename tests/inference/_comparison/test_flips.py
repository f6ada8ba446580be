"""The exchange of two models in random rows: by enumeration, inverted, and corrected."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib.inference._comparison.adjust import adjust
from sklearn_calib.inference._comparison.flips import (
    infer_difference,
    infer_mean,
    subset_ranges,
)

GRID = np.linspace(-0.5, 1.0, 1501) + 1e-5


def every_flip(n):
    """Return every choice of rows to flip but the empty one, which stands for the data."""
    return np.array(list(product((False, True), repeat=n)))[1:]


def pvalue_by_enumeration(d, w, delta):
    """Share of sign changes whose weighted sum is at least as large in size as that of the data."""
    centred = w * (d - delta)
    signs = np.array(list(product((1, -1), repeat=d.size)))
    return np.mean(np.abs(signs @ centred) >= abs(centred.sum()) - 1e-12)


@pytest.mark.parametrize("weight", [np.ones(8), np.array([1.0, 2, 0.5, 1, 3, 1, 1, 0.1])])
def test_every_change_of_signs(weight):
    """P-value and interval agree with the definition for each hypothesis on a grid."""
    d = np.array([0.3, -0.1, 0.25, 0.4, 0.02, -0.05, 0.6, 0.11])
    low, high = subset_ranges(d[:, np.newaxis], weight, every_flip(8))
    pvalues = np.array([pvalue_by_enumeration(d, weight, delta) for delta in GRID])
    for alpha in (0.05, 0.1, 0.11, 0.25, 0.5):
        pvalue, left, right = infer_mean(low[:, 0], high[:, 0], 1.0, alpha)
        assert_allclose(pvalue, pvalue_by_enumeration(d, weight, 0.0), rtol=1e-12)
        assert_array_equal((left <= GRID) & (right >= GRID), pvalues > alpha)
    assert pvalues.min() < 0.05 < pvalues.max()


def test_equal_models():
    """All differences are zero, and so are all subset means."""
    flips = every_flip(6)
    low, high = subset_ranges(np.zeros((6, 1)), np.ones(6), flips)
    assert infer_mean(low[:, 0], high[:, 0], 0.0, 0.05) == (1.0, 0.0, 0.0)


def test_flipping_all_rows_says_nothing():
    low, high = subset_ranges(np.ones((3, 1)), np.ones(3), np.ones((1, 3), dtype=bool))
    assert (low[0, 0], high[0, 0]) == (-np.inf, np.inf)


def test_few_draws_reject_nothing():
    """With 9 draws no p-value is below 0.1, so a 95 % interval leaves nothing out."""
    rng = np.random.default_rng(0)
    low, high = subset_ranges(np.ones((30, 1)), np.ones(30), rng.random((9, 30)) < 0.5)
    assert infer_mean(low[:, 0], high[:, 0], 1.0, 0.05) == (0.1, -np.inf, np.inf)
    assert infer_difference(1.0, np.zeros(9), 0.05) == (0.1, -np.inf, np.inf)


def test_difference_among_draws():
    """Of 19 draws four are as large in size as the difference, so p = 5 / 20."""
    draws = np.array([0.1, -0.2, 0.3, -0.3, 0.31, *np.full(14, 0.05)])
    pvalue, low, high = infer_difference(-0.2, draws, 0.1)
    assert pvalue == 0.25
    assert_allclose([low, high], [-0.5, 0.1], rtol=1e-12)  # the second largest size is 0.3


def test_interval_and_pvalue_agree():
    rng = np.random.default_rng(1)
    for observed in (0.0, 1.0, 1.9, 2.1, 3.0):
        pvalue, low, high = infer_difference(observed, rng.normal(size=199), 0.05)
        assert (pvalue <= 0.05) == (not low <= 0.0 <= high)


def test_an_end_that_is_zero_but_for_rounding_is_zero():
    """The p-value counts it as a tie, so that zero is not rejected and belongs to the interval."""
    rounded = np.array([1.85e-17, *np.full(18, 0.1)])
    assert infer_mean(rounded, np.ones(19), 1.0, 0.1) == (0.1, 0.1, 1.0)  # the second smallest
    assert infer_mean(rounded, np.ones(19), 1.0, 0.05) == (0.1, 0.0, 1.0)  # the smallest
    assert infer_mean(-np.ones(19), -rounded, 1.0, 0.05) == (0.1, -1.0, 0.0)
    draws = np.array([0.1 + 0.2, *np.zeros(18)])  # larger than 0.3 by rounding
    assert infer_difference(0.3, draws, 0.05) == (0.1, 0.0, 0.6000000000000001)
    assert infer_difference(-0.3, draws, 0.05) == (0.1, -0.6000000000000001, 0.0)
    below = np.array([0.7 - 0.4, *np.zeros(18)])  # smaller than 0.3 by rounding
    assert below[0] < 0.3
    assert infer_difference(0.3, below, 0.05)[:2] == (0.1, 0.0)


@pytest.mark.parametrize("n", [8, 12, 17])
def test_an_interval_leaves_zero_out_exactly_if_the_test_rejects_it(n):
    """With rounded predictions, whose sums are often zero in exact arithmetic."""
    rng = np.random.default_rng(n)
    rejected = 0
    for _ in range(300):
        y = rng.integers(0, 2, n)
        one, other = rng.integers(1, 10, (2, n)) / 10
        d = ((other - y) ** 2 - (one - y) ** 2)[:, np.newaxis]
        low, high = subset_ranges(d, np.ones(n), rng.random((39, n)) < 0.5)
        pvalue, left, right = infer_mean(low[:, 0], high[:, 0], np.abs(d).max(), 0.2)
        assert (pvalue <= 0.2) == (not left <= 0.0 <= right)
        rejected += pvalue <= 0.2
    assert 30 < rejected < 200


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("none", [0.01, 0.04, np.nan, 0.03, 0.005]),
        ("bonferroni", [0.04, 0.16, np.nan, 0.12, 0.02]),
        ("holm", [0.03, 0.06, np.nan, 0.06, 0.02]),
    ],
)
def test_corrections_by_hand(correction, expected):
    """Holm's example: 0.005 x 4, 0.01 x 3, 0.03 x 2, and 0.04 x 1 is not below the one before."""
    assert_allclose(adjust([0.01, 0.04, np.nan, 0.03, 0.005], correction), expected, rtol=1e-12)
    assert adjust([0.9, 0.8], "bonferroni").max() == 1.0
