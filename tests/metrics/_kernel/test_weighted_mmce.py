"""The weighted maximum mean calibration error: its double loop, and what it is not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.metrics import mmce, weighted_mmce
from tests.metrics._registry import binary_data, multiclass_data


def _loop(hit, r, width, w):
    """Add up the three sums of the paper: both wrong, both right, one of each."""
    n_hit, n_miss = w[hit].sum(), w[~hit].sum()
    total = 0.0
    for a in range(r.size):
        for b in range(r.size):
            k = w[a] * w[b] * np.exp(-abs(r[a] - r[b]) / width)
            if hit[a] and hit[b]:
                total += (1 - r[a]) * (1 - r[b]) * k / n_hit**2
            elif not hit[a] and not hit[b]:
                total += r[a] * r[b] * k / n_miss**2
            else:
                share = (1 - r[a]) * r[b] if hit[a] else (1 - r[b]) * r[a]
                total -= share * k / (n_hit * n_miss)
    return np.sqrt(total)


@pytest.mark.parametrize("weighted", [False, True])
def test_is_the_double_loop(weighted):
    w = np.random.default_rng(0).uniform(0.2, 3.0, 40) if weighted else np.ones(40)
    given = w if weighted else None
    y, p = binary_data()
    expected = _loop(y == 1, p, 0.2, w)
    assert_allclose(weighted_mmce(y, p, sample_weight=given), expected, rtol=1e-10)
    y, P = multiclass_data()
    expected = _loop(P.argmax(axis=1) == y, P.max(axis=1), 0.4, w)
    assert_allclose(weighted_mmce(y, P, bandwidth=0.4, sample_weight=given), expected, rtol=1e-10)


def test_rows_that_are_certain_and_right_count_as_rows_of_their_outcome():
    # Two events with residuals 0 and 0.5: their mean is 0.25, not 0.5.
    assert_allclose(weighted_mmce([1, 1], [1.0, 0.5], bandwidth=1e9), 0.25, rtol=1e-8)


def test_a_calibrated_model_has_a_positive_value_where_the_outcomes_differ_in_number():
    p = np.repeat([0.1, 0.3], 1000)
    y = np.concatenate([np.arange(1000) < 100, np.arange(1000) < 300]).astype(int)
    assert mmce(y, p) == pytest.approx(0.0, abs=1e-7)
    # At both values the observed rate is the predicted one, but the sums have other divisors.
    at = [share * (1 / 400 - 1 / 1600) for share in (100 * 0.9, 300 * 0.7)]
    k = np.exp(-1.0)
    expected = np.sqrt(at[0] ** 2 + at[1] ** 2 + 2 * k * at[0] * at[1])
    assert weighted_mmce(y, p) == pytest.approx(expected, rel=1e-9)


def test_one_outcome_has_the_unweighted_value():
    p = [0.2, 0.5, 0.9]
    assert_allclose(weighted_mmce([1, 1, 1], p), mmce([1, 1, 1], p), rtol=1e-12)
