"""Searches for a number of rows, where width and power follow a known law of it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from sklearn_calib.inference._sample_size import simulated_power, simulated_width
from sklearn_calib.inference._sample_size.pilot import Pilot, Truth


def rows_for_width(monkeypatch, law, width):
    """Return the number of rows found and the sizes that were tried."""
    tried = []

    def mean_width(pilot, truth, n_samples, rng, options):
        tried.append(n_samples)
        return law(n_samples)

    monkeypatch.setattr(simulated_width, "_mean_width", mean_width)
    say = [].append
    found = simulated_width.rows_for_simulated_width(None, None, width, None, say)
    return found, tried


def test_a_width_that_falls_with_the_root_is_found_at_the_second_size(monkeypatch):
    found, tried = rows_for_width(monkeypatch, lambda n: 3.0 / np.sqrt(n), 0.05)
    assert_allclose(found, 3600, rtol=1e-9)
    assert tried == [400, 3600]


@pytest.mark.parametrize(("n", "sizes"), [(700, [400, 700]), (414, [400, 414]), (410, [400])])
def test_a_size_within_three_per_cent_is_the_last_one(monkeypatch, n, sizes):
    found, tried = rows_for_width(monkeypatch, lambda size: 1 / np.sqrt(size), 1 / np.sqrt(n))
    assert_allclose(found, n, rtol=1e-9)
    assert tried == sizes


def test_the_power_of_n_is_learnt_from_the_sizes_that_were_tried(monkeypatch):
    found, tried = rows_for_width(monkeypatch, lambda n: 40.0 / n, 0.01)
    assert_allclose(found, 4000, rtol=1e-3)
    assert tried == [400, 20_000, 4000]


def test_a_number_beyond_those_simulated_is_on_the_line_of_logarithms(monkeypatch):
    found, tried = rows_for_width(monkeypatch, lambda n: 3.0 / np.sqrt(n), 0.005)
    assert_allclose(found, 360_000, rtol=1e-6)
    assert tried == [400, 20_000, 20_000]
    found, tried = rows_for_width(monkeypatch, lambda n: 3.0 / np.sqrt(n), 3.0)
    assert found == 2.0
    assert tried == [400, 20, 20]


@pytest.mark.parametrize(("power", "alpha"), [(0.8, 0.05), (0.95, 0.01)])
def test_the_rows_for_a_power_of_the_normal_law(monkeypatch, power, alpha):
    """A mean with a standard deviation of 20 errors needs (20 (z_power + z_level))**2 rows."""

    class Planned:
        divergence, most = 1e-3, 50_000

        def __init__(self, *arguments):
            pass

        def power(self, n_samples):
            return norm.cdf(np.sqrt(n_samples) / 20 - norm.ppf(1 - alpha)), 10_000

    monkeypatch.setattr(simulated_power, "_PlannedTest", Planned)
    found, error = simulated_power.rows_for_power(
        None, None, statistic="skce", statistic_params=None, power=power, alpha=alpha, rng=None,
        say=lambda text: None,
    )  # fmt: skip
    assert_allclose(found, (20 * (norm.ppf(power) + norm.ppf(1 - alpha))) ** 2, rtol=1e-6)
    assert error < 1e-6


def test_the_divergence_is_the_squared_error_over_the_variance():
    p = np.array([0.2, 0.5])
    planned = simulated_power._PlannedTest(Pilot(p), Truth(0.1), "skce", None, 0.05, None)
    assert_allclose(planned.divergence, np.mean(0.01 / (p * (1 - p))), rtol=1e-12)


def test_a_size_that_is_known_to_be_wrong_is_not_tried_again():
    assert simulated_power._between(100.0, 400.0, 300.0) == 300.0
    assert simulated_power._between(100.0, 400.0, 1000.0) == 200.0
    assert simulated_power._between(100.0, 400.0, 50.0) == 200.0
    assert simulated_power._between(100.0, np.inf, 50.0) == 200.0
    assert simulated_power._between(0.0, 400.0, 1000.0) == 20.0


def test_six_sizes_near_the_result_are_averaged_and_their_scatter_is_the_error(monkeypatch):
    """A power that lies now above and now below the law makes factors of two kinds."""
    level, tried, factors = norm.ppf(0.95), [], []

    class Planned:
        divergence, most = 1e-3, 50_000

        def __init__(self, *arguments):
            pass

        def power(self, n_samples):
            tried.append(n_samples)
            factors.append((1.0 + 0.02 * (-1) ** len(tried)) / 20)
            return norm.cdf(np.sqrt(n_samples) * factors[-1] - level), 1_000_000

    monkeypatch.setattr(simulated_power, "_PlannedTest", Planned)
    found, error = simulated_power.rows_for_power(
        None, None, statistic="skce", statistic_params=None, power=0.8, alpha=0.05, rng=None,
        say=lambda text: None,
    )  # fmt: skip
    near = np.abs(np.log(np.array(tried) / found)) <= np.log(1.3)
    assert near.sum() == 6
    assert near[-1]
    used = np.array(factors)[near]
    assert_allclose(found, ((norm.ppf(0.8) + level) / used.mean()) ** 2, rtol=1e-6)
    assert_allclose(error, 2 * used.std(ddof=1) / used.mean() / np.sqrt(6), rtol=1e-5)


@pytest.mark.parametrize("interval", [(0.1, 0.1), (0.1, np.inf), (np.nan, 0.2)])
def test_intervals_without_a_finite_width_are_refused(monkeypatch, interval):
    monkeypatch.setattr(simulated_width, "calibration_ci", lambda *args, **options: interval)
    pilot, rng = Pilot(np.array([0.2, 0.5])), np.random.default_rng(0)
    message = "The intervals of ece have no finite positive width for 30 rows like those in y_proba"
    options = {"metric": "ece", "confidence_level": 0.9}
    with pytest.raises(ValueError, match=message):
        simulated_width._mean_width(pilot, Truth(0.0), 30, rng, options)


def test_sizes_next_to_one_differ_by_less_than_the_factor_1_3():
    sizes = [100.0, 130.0, 129.9, 1000.0 / 13.0 + 0.001, 76.9, 100.0 / 1.3]
    near = simulated_power._near(sizes, 100.0)
    assert near.tolist() == [True, False, True, True, False, False]


def test_the_next_size_lies_between_those_known_to_be_too_small_and_too_large():
    between = simulated_power._between
    assert between(10.0, 90.0, 50.0) == 50.0
    assert between(10.0, 90.0, 10.0) == between(10.0, 90.0, 90.0) == 30.0
    assert between(0.0, 90.0, 100.0) == pytest.approx(90.0**0.5)
    assert between(40.0, np.inf, 20.0) == 80.0
    # Bounds that contradict each other say nothing.
    assert between(90.0, 10.0, 200.0) == 200.0
    assert between(50.0, 50.0, 200.0) == 200.0
