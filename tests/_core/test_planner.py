import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib._core.planner import (
    REACH,
    applicable_ways,
    fourier_series,
    n_frequencies,
    plan,
)


def auto(kernel, dimension, *, n=10_000, n_columns=1, span=5.0):
    return plan("auto", kernel=kernel, dimension=dimension, n=n, n_columns=n_columns, span=span)


@pytest.mark.parametrize("n", [2, 1000, 10**6])
@pytest.mark.parametrize("n_columns", [1, 1000])
def test_laplacian(n, n_columns):
    assert auto("laplacian", 1, n=n, n_columns=n_columns) == "line"
    assert auto("laplacian", 2, n=n, n_columns=n_columns) == "tiles"


@pytest.mark.parametrize(
    ("n", "n_columns", "span", "expected"),
    [
        (10**6, 1, 1e-6, "fourier"),
        (10**6, 1, 10.0, "fourier"),
        (10**6, 1, 1e3, "fourier"),
        (10**6, 1, 1e6, "windows"),
        (10**5, 1000, 10.0, "fourier"),
        (10**5, 1000, 1e5, "windows"),
        (20, 1, 5.0, "windows"),
        (100, 1000, 5.0, "windows"),
        (500, 1000, 20.0, "fourier"),
        (1000, 200, 500.0, "windows"),
        (3000, 200, 200.0, "fourier"),
        (500, 1000, 1e6, "windows"),
    ],
)
def test_rbf_on_the_line(n, n_columns, span, expected):
    assert auto("rbf", 1, n=n, n_columns=n_columns, span=span) == expected


@pytest.mark.parametrize("n", [10, 10**4, 10**7])
def test_auto_is_always_exact(n):
    assert auto("rbf", 3, n=n) == "tiles"


@pytest.mark.parametrize("n", [2, 100, 10**6])
def test_the_line_never_gets_tiles(n):
    """Tiles are slower at every size there, and need a program to be compiled."""
    for span in 0.0, 10.0**-6, 1.0, 1e3, 1e6, 1e9:
        for n_columns in 1, 10, 1000:
            assert auto("rbf", 1, n=n, n_columns=n_columns, span=span) in ("fourier", "windows")


@pytest.mark.parametrize("kernel", ["laplacian", "rbf"])
@pytest.mark.parametrize("dimension", [1, 2])
def test_the_way_asked_for_is_taken_or_refused(kernel, dimension):
    ways = applicable_ways(kernel, dimension)
    for way in ("line", "fourier", "windows", "tiles", "low_rank"):
        options = {"kernel": kernel, "dimension": dimension, "n": 10, "n_columns": 1, "span": 1.0}
        if way in ways:
            assert plan(way, **options) == way
        else:
            with pytest.raises(ValueError, match=f"algorithm='{way}' does not apply"):
                plan(way, **options)


def test_an_unknown_algorithm_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"algorithm='fast' .*'auto'.*'tiles'"):
        plan("fast", kernel="rbf", dimension=2, n=10, n_columns=1, span=None)


def test_frequencies_follow_the_range_in_bandwidths():
    assert n_frequencies(0.0) == 13
    assert n_frequencies(10.0) == 33


def test_a_gaussian_that_is_left_out_is_below_rounding():
    """What every windowed and every spectral sum leaves out, as its docstring says."""
    assert math.exp(-(REACH**2)) == pytest.approx(1e-17, rel=1e-12)
    for span in (0.1, 3.0, 40.0):
        period, series = fourier_series(span)
        assert period == pytest.approx(span + math.sqrt(17 * math.log(10)), rel=1e-12)
        distance = np.linspace(0.0, span, 50)
        waves = np.cos(2 * np.pi / period * np.outer(distance, np.arange(series.size)))
        assert_allclose(waves @ series, np.exp(-(distance**2)), atol=2e-16 * series.size)
        m = series.size - 1  # the coefficient of the kernel itself, without its factor
        assert math.exp(-((math.pi * m / period) ** 2)) <= 1e-17 * (1 + 1e-9)
