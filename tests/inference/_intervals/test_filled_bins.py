"""Rates of bins at a distance from their mean probabilities, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom, binomtest, norm

from sklearn_calib.inference._intervals.filled_bins import FilledBins, _correlation_factor


def _bins(count, proba, rate, thinning=1.0):
    bins = FilledBins.__new__(FilledBins)
    bins.count, bins.proba, bins.rate = (np.array(one, float) for one in (count, proba, rate))
    bins.share, bins.factor = bins.count / bins.count.sum(), None
    bins.thinning = np.full(bins.count.size, thinning)
    return bins


def test_noise_has_the_rate_that_varies_more():
    """One more row at the mean probability gives (10 * 0.4 + 0.1) / 11; 0.5 varies most."""
    bins = _bins([10, 10, 4], [0.1, 0.5, 0.5], [0.4, 0.1, 0.5])
    assert bins.noisy_rates() == pytest.approx([4.1 / 11, 0.5, 0.5])
    assert bins.gap == pytest.approx([0.3, -0.4, 0.0])


def test_rates_at_a_distance_are_ends_of_wilsons_interval_on_the_side_of_the_gap():
    bins = _bins([50, 50, 50, 50], [0.4, 0.4, 0.4, 0.6], [0.5, 0.3, 0.4, 0.6])
    low, high = binomtest(20, 50).proportion_ci(0.95, method="wilson")
    found = bins.rates_at(norm.ppf(0.975))
    # Without a gap it is the side with more room.
    assert found == pytest.approx([high, low, high, 1.0 - high], rel=1e-9)


def test_the_other_side_is_taken_where_no_gap_could_be_told_from_noise():
    """None of ten events at 0.05: a gap below is at most 0.05, less than three standard errors."""
    bins = _bins([10, 10], [0.05, 0.95], [0.0, 1.0])
    low, high = bins.rates_at(1.0)
    assert high == pytest.approx(1.0 - low)
    assert low > 0.05
    many = _bins([1000], [0.05], [0.0])  # 0.05 is more than seven of them
    assert many.rates_at(1.0)[0] < 0.05


def test_deviations_are_normal_for_many_rows_and_binomial_for_few():
    normals = np.array([[-1.0, 0.3], [2.0, -2.0]])
    bins = _bins([400, 8], [0.5, 0.2], [0.5, 0.2], thinning=0.5)
    found = bins.deviations(np.array([0.5, 0.25]), normals)
    assert found[:, 0] == pytest.approx(normals[:, 0] * 0.025 * 0.5)
    hits = binom.ppf(norm.cdf(normals[:, 1]), 8, 0.25)
    assert found[:, 1] == pytest.approx((hits / 8 - 0.25) * 0.5)
    none = bins.deviations(np.array([0.0, 1.0]), normals)
    assert (none == 0.0).all()


@pytest.mark.parametrize("weight", [None, np.array([3.0, 0.5, 1.0, 2.0])])
def test_bins_of_different_events_are_correlated_and_certain_ones_are_alone(weight):
    """The first two rows are in the first bin of either event; one event excludes the other.

    A residual times a weight has the variance times the square of the weight.
    """
    predictions = SimpleNamespace(n_samples=4, weight=weight)
    first_square, second_square = (1.0, 1.0) if weight is None else np.square(weight[:2])
    first, second = np.array([0.5, 0.2, 1.0, 1.0]), np.array([0.3, 0.6, 0.0, 0.0])
    curves = [
        SimpleNamespace(
            count=np.array([2, 2]),
            index=np.array([0, 0, 1, 1]),
            n_bins=2,
            reduction=SimpleNamespace(proba=p[:, np.newaxis]),
        )
        for p in (first, second)
    ]
    factor = _correlation_factor(curves, predictions)
    expected = np.eye(4)

    def total(of_first_row, of_second_row):
        return first_square * of_first_row + second_square * of_second_row

    covariance = -total(0.5 * 0.3, 0.2 * 0.6)
    variances = total(0.25, 0.16) * total(0.21, 0.24)
    expected[0, 2] = expected[2, 0] = covariance / np.sqrt(variances)
    assert_allclose(factor @ factor.T, expected, atol=1e-12)


def test_bins_of_variance_30_or_more_are_normal_and_others_binomial():
    """Half of 120 rows vary by exactly 30; of binomial draws, rates are whole numbers over n."""
    count, rates = np.array([119.0, 120.0, 160.0, 500.0, 10.0]), np.array([0.5, 0.5, 0.5, 0.5, 0.0])
    thinning = np.array([1.0, 0.5, 1.0, 1.0, 1.0])
    bins = SimpleNamespace(count=count, thinning=thinning)
    normals = np.random.default_rng(0).standard_normal((200, 5))
    found = FilledBins.deviations(bins, rates, normals)
    expected = normals * np.sqrt(rates * (1.0 - rates) / count) * thinning
    assert_allclose(found[:, 1:4], expected[:, 1:4], rtol=1e-14)
    number = (found[:, 0] + 0.5) * 119
    assert_allclose(number, np.round(number), atol=1e-10)
    assert_allclose(number, binom.ppf(norm.cdf(normals[:, 0]), 119, 0.5), atol=1e-10)
    assert (found[:, 4] == 0.0).all()
