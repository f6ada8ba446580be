"""Binomial tails against SciPy, where numbers are whole, and by hand where they are not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import beta, binom

from sklearn_calib.inference._intervals.binomial import at_least, at_most, gap_pvalue, rate_limits

HITS = np.arange(-1.0, 9.0)


@pytest.mark.parametrize("rate", [0.0, 0.2, 0.5, 1.0])
def test_tails_of_whole_numbers(rate):
    upper, lower = at_least(HITS, 7.0, rate), at_most(HITS, 7.0, rate)
    assert_allclose(upper, binom.sf(HITS - 1.0, 7, rate), rtol=1e-8, atol=1e-8)
    assert_allclose(lower, binom.cdf(HITS, 7, rate), rtol=1e-8, atol=1e-8)
    # Hits between whole numbers are those of the next one that is as extreme.
    assert_allclose(at_least(HITS - 0.3, 7.0, rate), upper, rtol=1e-12)
    assert_allclose(at_most(HITS + 0.3, 7.0, rate), lower, rtol=1e-12)


def test_tails_of_an_effective_number_of_rows_lie_between_whole_ones():
    assert at_least(2.5, 7.5, 0.3) == pytest.approx(beta.cdf(0.3, 2.5, 6.0), rel=1e-12)
    assert at_most(2.5, 7.5, 0.3) == pytest.approx(beta.sf(0.3, 3.5, 5.0), rel=1e-9)


@pytest.mark.parametrize("size", [0.0, 0.05, 0.15, 0.5])
@pytest.mark.parametrize("proba", [0.1, 0.5, 0.9])
def test_the_pvalue_of_a_gap_is_that_of_the_worst_rate(proba, size):
    """Rates end at zero and one, also where the predicted one is not so far from them."""
    gap, n = 0.3, 10
    expected = 0.0
    for truth in (max(proba - size, 0.0), min(proba + size, 1.0)):
        above = binom.sf(np.ceil(n * (proba + gap) - 1e-9) - 1, n, truth)
        below = binom.cdf(np.floor(n * (proba - gap) + 1e-9), n, truth)
        expected = max(expected, above + below)
    assert gap_pvalue(gap, float(n), proba, size) == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_limits_of_clopper_and_pearson():
    hits = np.arange(8.0)
    lowest, highest = rate_limits(hits, 7.0, 0.025)
    assert_allclose(lowest[1:], beta.ppf(0.025, hits[1:], 8.0 - hits[1:]), rtol=1e-10)
    assert_allclose(highest[:-1], beta.ppf(0.975, hits[:-1] + 1.0, 7.0 - hits[:-1]), rtol=1e-10)
    assert (lowest[0], highest[-1]) == (pytest.approx(0.0, abs=1e-12), 1.0)


def test_rounding_of_large_numbers_is_forgiven():
    for hits in (1000.0, 2000.0, 2000.0 * (1.0 + 1e-15)):
        for n in (4000.0, 4000.0 + 1e-10):
            expected = binom.sf(round(hits) - 1, 4000, 0.5)
            assert at_least(hits, n, 0.5) == pytest.approx(expected, rel=1e-6)
            assert at_least(hits - 0.7, n, 0.5) == pytest.approx(expected, rel=1e-6)
