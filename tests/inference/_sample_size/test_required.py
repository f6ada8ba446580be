"""The number of rows: power and widths at the number, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import bernoulli, beta, norm, poisson

from sklearn_calib import calibration_ci, check_calibration, required_sample_size
from sklearn_calib.inference._sample_size.pilot import Pilot, Truth

PREDICTIONS = beta(2, 8)


@pytest.mark.parametrize(("metric", "width"), [("ece", 0.06), ("brier", 0.03)])
def test_simulated_intervals_are_as_wide(metric, width):
    result = required_sample_size(PREDICTIONS, metric=metric, width=width, random_state=0)
    assert result.method == "simulation"
    n, rng = result.n_samples, np.random.default_rng(1)
    widths = []
    for seed in range(15):
        p = PREDICTIONS.rvs(n, random_state=rng)
        low, high = calibration_ci(rng.random(n) < p, p, metric=metric, random_state=seed)
        widths.append(high - low)
    assert_allclose(np.mean(widths), width, rtol=0.1)


def test_a_shift_of_equal_predictions_needs_the_rows_of_the_test_of_a_mean():
    result = required_sample_size(
        [0.3, 0.3], shift=0.04, statistic="mce", power=0.9, alpha=0.01, random_state=0
    )
    # Spread of the mean if the predictions are right, and if they are not.
    under, other = np.sqrt(0.3 * 0.7), np.sqrt(0.34 * 0.66)
    expected = ((norm.ppf(0.995) * under + norm.ppf(0.9) * other) / 0.04) ** 2
    assert_allclose(result.n_samples, expected, rtol=0.08)
    assert result.relative_error < 0.05


def test_it_inverts_the_detectable_error():
    p = np.random.default_rng(1).uniform(0.05, 0.6, 700)
    y = np.random.default_rng(2).random(700) < p
    result = check_calibration(y, p, statistic="cox_score", random_state=0)
    again = required_sample_size(
        p, shift=result.detectable_error, statistic="cox_score", random_state=0
    )
    assert_allclose(again.n_samples, 700, rtol=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["omnibus", "skce"])
@pytest.mark.parametrize("error", [{"shift": 0.06}, {"slope": 0.7}])
def test_the_test_finds_the_error_in_four_of_five_samples(statistic, error):
    """Rows drawn at random, and the test as users call it."""
    n = required_sample_size(PREDICTIONS, statistic=statistic, random_state=0, **error).n_samples
    truth = Truth(**error)
    rng, found = np.random.default_rng(0), 0
    for seed in range(200):
        p = PREDICTIONS.rvs(n, random_state=rng)
        true = truth(np.column_stack([1 - p, p]))[:, 1]
        test = check_calibration(
            rng.random(n) < true, p, statistic=statistic, n_resamples=199, random_state=seed
        )
        found += test.pvalue <= 0.05
    assert 140 <= found <= 178


@pytest.mark.slow
def test_the_power_for_several_classes():
    rng = np.random.default_rng(0)
    pilot = rng.dirichlet([2, 1, 1], 300)
    n = required_sample_size(pilot, shift=-0.06, random_state=0).n_samples
    truth, found = Truth(-0.06), 0
    for seed in range(100):
        p = rng.dirichlet([2, 1, 1], n)
        y = (rng.random((n, 1)) > truth(p).cumsum(axis=1)).sum(axis=1)
        test = check_calibration(
            y, p, statistic="omnibus", n_resamples=199, labels=[0, 1, 2], random_state=seed
        )
        found += test.pvalue <= 0.05
    assert 66 <= found <= 93


def test_large_samples_are_represented_by_smaller_ones(monkeypatch):
    """The same number of rows with and without the limit on simulated rows."""
    from sklearn_calib.inference._sample_size import simulated_power

    options = {"shift": 0.02, "statistic": "cox_score", "random_state": 0}
    direct = required_sample_size(PREDICTIONS, **options).n_samples
    monkeypatch.setattr(simulated_power, "_MOST", 500)
    monkeypatch.setattr(simulated_power, "_MOST_EVENTS", 1)
    assert direct > 2000
    assert_allclose(required_sample_size(PREDICTIONS, **options).n_samples, direct, rtol=0.1)


def test_tests_that_are_blind_to_the_error_say_so():
    """The expectation of Spiegelhalter's z is the same on either side of one half."""
    with pytest.raises(ValueError, match=r"The test spiegelhalter finds this error in .* % of"):
        required_sample_size([0.5], shift=0.2, statistic="spiegelhalter", random_state=0)


def test_gross_errors_need_the_fewest_rows():
    assert required_sample_size([0.1], shift=0.9, statistic="skce", random_state=0).n_samples == 10


def test_rows_are_spread_like_the_pilot():
    proba = Pilot([0.9, 0.1, 0.1, 0.1]).rows(4000)
    assert_allclose(proba.sum(axis=1), 1.0)
    # Half the way between two values of the pilot counts for either.
    assert_allclose(proba[:, 1].mean(), 0.3, atol=0.07)
    assert_allclose(Pilot(PREDICTIONS).rows(4000)[:, 1].mean(), 0.2, atol=1e-4)
    pilot = np.array([[0.2, 0.5, 0.3], [0.8, 0.1, 0.1]])
    rows = Pilot(pilot).rows(10)
    assert {tuple(row) for row in rows} == {tuple(row) for row in pilot}
    assert_allclose(rows.mean(axis=0), pilot.mean(axis=0))


def test_true_probabilities():
    two = np.array([[0.8, 0.2], [0.02, 0.98], [1.0, 0.0]])
    assert_allclose(Truth(0.05)(two)[:, 1], [0.25, 1.0, 0.05])
    assert_allclose(Truth(slope=0.5)(two)[:, 1], [1 / 3, 7 / 8, 0.0], rtol=1e-12)
    assert_allclose(Truth(function=lambda p: p / 2)(two)[:, 1], two[:, 1] / 2)
    three = np.array([[0.6, 0.3, 0.1], [0.0, 1.0, 0.0]])
    assert_allclose(Truth(-0.2)(three), [[0.4, 0.45, 0.15], [0.1, 0.8, 0.1]], rtol=1e-12)
    assert_allclose(Truth(slope=2.0)(three)[0], np.array([36, 9, 1]) / 46, rtol=1e-12)
    assert Truth()(three) is three


def test_the_verdict_is_in_words():
    result = required_sample_size(PREDICTIONS, metric="observed_expected_ratio", width=0.2)
    assert result.verdict == (
        "With 1,441 rows, 288 of them events, the 95 % interval of observed_expected_ratio is 0.2 "
        "wide on average."
    )
    result = required_sample_size([0.5], shift=0.2, statistic="skce", random_state=0)
    assert result.verdict.startswith(f"With about {result.n_samples} rows, about ")
    assert result.verdict.endswith(
        "the test skce at level 5 % finds a shift of 0.2 in 80 % of samples."
    )


def test_the_same_seed_gives_the_same_number():
    options = {"shift": 0.1, "statistic": "skce"}
    first = required_sample_size(PREDICTIONS, random_state=3, **options)
    assert required_sample_size(PREDICTIONS, random_state=3, **options).to_dict() == first.to_dict()


def test_progress_goes_to_standard_error(capsys):
    required_sample_size([0.5], shift=0.2, statistic="skce", random_state=0, verbose=1)
    assert "[required_sample_size]" in capsys.readouterr().err


REFUSED = {
    "no goal": ({}, "Say what the rows are for"),
    "width alone": ({"width": 0.1}, "metric and width belong together"),
    "two errors": ({"shift": 0.1, "slope": 0.8}, r"Only one of shift, slope and truth"),
    "no error": ({"shift": 0.0}, "nothing to find"),
    "no truth": ({"slope": 1.0}, "nothing to find"),
    "shift of percent": ({"shift": 5}, "shift must be a number between -1 and 1, got 5"),
    "negative slope": ({"slope": -0.1}, "slope must be a finite number above 0"),
    "truth that is an array": ({"truth": [0.1]}, "truth must be a function"),
    "truth of another shape": ({"truth": lambda p: p[:1]}, "an array of the shape"),
    "truth beyond one": ({"truth": lambda p: 3 * p}, r"truth must hold probabilities in \[0, 1\]"),
    "statistic": ({"shift": 0.1, "statistic": "klce"}, "statistic must be one of"),
    "metric": ({"metric": "klce", "width": 0.1}, "metric must be one of"),
    "metric without interval": (
        {"metric": "integrated_calibration_index", "width": 0.1},
        "metric must be one of",
    ),
    "power": ({"shift": 0.1, "power": 0.05}, "power must be above alpha"),
    "level of an interval for a test": (
        {"shift": 0.1, "confidence_level": 0.9},
        r"sets \['confidence_level'\], which only an interval has. Pass metric and width as well",
    ),
    "options of a metric for a test": (
        {"shift": 0.1, "metric_params": {"n_bins": 3}},
        r"sets \['metric_params'\], which only an interval has",
    ),
    "width beyond the range": (
        {"metric": "ece", "width": 1.0},
        "width must be below 1 for metric='ece', which is on the scale of probabilities, got 1",
    ),
    "options of a test for an interval": (
        {"metric": "ece", "width": 0.1, "statistic": "skce", "statistic_params": {}}
        | {"power": 0.9, "alpha": 0.1},
        r"sets \['statistic', 'statistic_params', 'power', 'alpha'\], which only a test has. Leave "
        "out metric and width, or leave these out",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    options, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        required_sample_size([0.3, 0.6], **options)


def test_predictions_that_are_refused():
    with pytest.raises(ValueError, match=r"distribution on \[0, 1\].*from -inf to inf"):
        required_sample_size(norm(), shift=0.1)
    with pytest.raises(ValueError, match="has values from 0 to inf"):
        required_sample_size(poisson(0.2), shift=0.1)
    with pytest.raises(TypeError, match=r"such as scipy.stats.beta\(2, 8\), got beta without them"):
        required_sample_size(beta, shift=0.1)
    with pytest.raises(ValueError, match="y_proba must hold probabilities"):
        required_sample_size([0.3, 1.6], shift=0.1)
    with pytest.raises(ValueError, match="No number of rows is enough"):
        required_sample_size([0.0, 0.0], metric="observed_expected_ratio", width=0.2)


def test_a_distribution_of_separate_values_stands_for_them():
    assert_allclose(Pilot(bernoulli(0.2)).rows(10)[:, 1], [0.0] * 8 + [1.0] * 2)
