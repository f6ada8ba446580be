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
    alpha = 0.05
    pvalue, left, right = infer_mean(low[:, 0], high[:, 0], 1.0, alpha)
    assert_allclose(pvalue, pvalue_by_enumeration(d, weight, 0.0), rtol=1e-12)
    grid = np.linspace(-0.5, 1.0, 301) + 1e-5
    kept = [pvalue_by_enumeration(d, weight, delta) > alpha for delta in grid]
    assert_array_equal((grid >= left) & (grid <= right), kept)
    assert 0 < sum(kept) < len(kept)


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
