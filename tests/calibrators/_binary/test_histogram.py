"""Histogram binning: reference values, rates by hand, edges and empty bins."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib._data.bins import uniform_edges
from sklearn_calib.calibrators import HistogramCalibrator
from tests._reference import parametrize_cases
from tests.calibrators._cases import STRATEGY, off_edges, reference_data
from tests.calibrators._samples import sample


def test_an_empty_bin_takes_the_value_of_its_lower_neighbour():
    p, y = [0.05, 0.12, 0.18, 0.45, 0.47, 0.49], [0, 0, 1, 1, 0, 1]
    calibrator = HistogramCalibrator(n_bins=5).fit(p, y)
    value = calibrator.predict_proba([0.1, 0.45, 0.3, 0.95])[:, 1]
    # The bin [0.2, 0.4) lies between two filled ones and takes the lower one's value.
    assert_allclose(value, [1 / 3, 2 / 3, 1 / 3, 2 / 3], rtol=1e-15)


def histogram_by_hand(p, y, weight, edges, query):
    """Return the calibrated value of one query by the definition."""

    def number(value):
        inside = [k for k in range(len(edges) - 1) if edges[k] <= value < edges[k + 1]]
        return inside[0] if inside else len(edges) - 2

    numbers = np.array([number(value) for value in p])
    filled = sorted(set(numbers))
    nearest = min(filled, key=lambda k: (abs(k - number(query)), k))
    here = numbers == nearest
    return (weight * y)[here].sum() / weight[here].sum()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_bins", [1, 2, 7, 10, 30])
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_histogram_is_the_rate_of_the_bin(seed, n_bins, strategy):
    p, y, weight = sample(seed, n_samples=25, ends=True)
    calibrator = HistogramCalibrator(n_bins=n_bins, strategy=strategy).fit(p, y, weight)
    queries = np.r_[p, np.linspace(0, 1, 21), calibrator.bin_edges_]
    expected = [histogram_by_hand(p, y, weight, calibrator.bin_edges_, q) for q in queries]
    assert_allclose(calibrator.predict_proba(queries)[:, 1], expected, rtol=0, atol=1e-14)


def test_histogram_edges():
    p, y, _ = sample(0, n_samples=53, ends=True)
    uniform = HistogramCalibrator(n_bins=10).fit(p, y)
    assert_array_equal(uniform.bin_edges_, uniform_edges(10))
    assert uniform.bin_edges_[3] == 0.3
    p = np.random.default_rng(0).uniform(size=53)
    quantile = HistogramCalibrator(n_bins=10, strategy="quantile").fit(p, y)
    expected = np.quantile(p, np.arange(1, 10) / 10, method="median_unbiased")
    assert_allclose(quantile.bin_edges_, np.r_[0, expected, 1], rtol=0, atol=1e-14)


@pytest.mark.parametrize("n_bins", [2, 4, 5])
def test_a_quantile_edge_that_is_an_observation_is_exactly_that_one(n_bins):
    """A row at the edge belongs to the bin above it; rounding must not move it below."""
    rng, n_exact = np.random.default_rng(n_bins), 0
    for n_samples in rng.integers(5, 300, 40):
        p, y = rng.integers(0, 101, n_samples) / 100, np.arange(n_samples) % 2
        calibrator = HistogramCalibrator(n_bins=n_bins, strategy="quantile").fit(p, y)
        for j in range(1, n_bins):
            position = Fraction(1, 3) + Fraction(j, n_bins) * (int(n_samples) + Fraction(1, 3))
            if position.denominator == 1:
                n_exact += 1
                assert np.sort(p)[position.numerator - 1] in calibrator.bin_edges_
    assert n_exact > 3


def test_quantile_edges_do_not_depend_on_the_unit_of_small_weights():
    p = np.random.default_rng(0).uniform(size=53)
    y = np.arange(53) % 2
    calibrator = HistogramCalibrator(strategy="quantile")
    expected = calibrator.fit(p, y).bin_edges_
    for weight in (1 / 53, 1e-9):
        edges = calibrator.fit(p, y, np.full(53, weight)).bin_edges_
        assert_allclose(edges, expected, rtol=0, atol=1e-9)


@parametrize_cases("binary_histogram", keep=off_edges)
def test_reference_values_of_histogram(case):
    training, new = reference_data(case, "p")
    params = case["params"]
    calibrator = HistogramCalibrator(n_bins=params["bins"], strategy=STRATEGY[params["strategy"]])
    calibrator.fit(*training)
    expected = case["expected"]
    assert_allclose(calibrator.predict_proba(new)[:, 1], expected["predict"], rtol=0, atol=1e-10)
    assert_allclose(calibrator.bin_edges_, expected["breaks"], rtol=0, atol=1e-12)
    assert_allclose(calibrator.bin_values_, expected["bin_values"], rtol=0, atol=1e-10)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_the_automatic_number_of_bins_is_the_cube_root_of_the_weight(strategy):
    rng = np.random.default_rng(0)
    p = rng.random(65)
    y = (rng.random(65) < p).astype(int)
    calibrator = HistogramCalibrator(n_bins="auto", strategy=strategy).fit(p, y)
    expected = HistogramCalibrator(n_bins=5, strategy=strategy).fit(p, y)
    np.testing.assert_array_equal(calibrator.bin_edges_, expected.bin_edges_)
    np.testing.assert_array_equal(calibrator.bin_values_, expected.bin_values_)
    copies = HistogramCalibrator(n_bins="auto", strategy=strategy).fit(p, y, np.full(65, 2))
    assert copies.bin_values_.size == 6
