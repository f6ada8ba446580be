"""Distributions of a Brownian motion: known moments, quantiles and the other form of a series."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.stats import norm

from sklearn_calib.inference._statistics.cumulative.brownian import LargestSize, Range

CATALAN = 0.915965594177219


@pytest.mark.parametrize(
    ("limit", "mean", "square"),
    [
        (LargestSize(), np.sqrt(np.pi / 2), 2 * CATALAN),
        (Range(), 2 * np.sqrt(2 / np.pi), 4 * np.log(2)),
    ],
)
def test_moments_in_closed_form(limit, mean, square):
    """Both means and second moments are known in closed form (Feller 1951 for the range)."""
    options = {"limit": 200, "epsabs": 1e-12}
    assert_allclose(quad(limit.sf, 0, 12, **options)[0], mean, rtol=1e-9)
    assert_allclose(quad(lambda x: 2 * x * limit.sf(x), 0, 12, **options)[0], square, rtol=1e-9)


def test_small_values_by_the_series_of_eigenvalues():
    """The distribution function has a second series, which converges where the first does not."""
    k = np.arange(50)
    for x in (0.06, 0.2, 0.5, 1.0, 2.0):
        terms = (-1.0) ** k / (2 * k + 1) * np.exp(-((2 * k + 1) ** 2) * np.pi**2 / (8 * x**2))
        assert_allclose(LargestSize().cdf(x), 4 / np.pi * terms.sum(), rtol=1e-9, atol=1e-14)


def test_far_tails_are_those_of_a_normal_variable():
    assert_allclose(LargestSize().sf(6.0), 4 * norm.sf(6.0), rtol=1e-12)
    assert_allclose(LargestSize().sf(norm.isf(0.0125)), 0.05, rtol=1e-9)
    assert_allclose(Range().sf(7.0), 8 * norm.sf(7.0), rtol=1e-12)
    assert_allclose(LargestSize().sf(25.0), 4 * norm.sf(25.0), rtol=1e-12)
    assert_allclose(Range().sf(30.0), 8 * norm.sf(30.0), rtol=1e-12)


@pytest.mark.parametrize("limit", [LargestSize(), Range()])
def test_ends_and_shapes(limit):
    assert (limit.sf(0.0), limit.cdf(0.0), limit.sf(np.inf)) == (1.0, 0.0, 0.0)
    values = limit.cdf(np.linspace(0.0, 6.0, 200))
    assert (np.diff(values) >= -1e-12).all()
    assert values.shape == (200,)


@pytest.mark.parametrize("limit", [LargestSize(), Range()])
def test_rounding_takes_no_probability_out_of_its_range(limit):
    """Where nearly all values are larger, the series ends next to one, on either side."""
    values = limit.sf(np.linspace(0.02, 0.4, 500))
    assert values.max() == 1.0
    assert values.min() >= 0.0
    assert (limit.cdf(np.linspace(0.02, 0.4, 500)) >= 0.0).all()
