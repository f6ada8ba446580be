"""`check_relevant_miscalibration`: level at the tolerance, agreement with the interval, words."""

import numpy as np
import pytest
from scipy.stats import binom

from sklearn_calib import check_relevant_miscalibration
from sklearn_calib.inference import calibration_ci
from sklearn_calib.metrics._metric import METRICS


def _data(n, shift, seed):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.1, 0.8, n)
    return rng.random(n) < p + shift, p


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["ece", "mce", "skce", "kuiper_calibration_error"])
def test_level_at_the_tolerance(metric):
    p = np.random.default_rng(0).uniform(0.1, 0.8, 4000)
    options = {"estimator": "biased"} if metric == "skce" else {}
    y, rows = np.repeat([0, 1], 4000), np.tile(p, 2)
    weight = np.concatenate([1 - (p + 0.05), p + 0.05])
    true = METRICS[metric].function(y, rows, sample_weight=weight, **options)
    delta = true**0.5 if metric == "skce" else true
    rejected = 0
    for seed in range(60):
        y, p = _data(800, 0.05, seed)
        result = check_relevant_miscalibration(
            y, p, metric=metric, delta=delta, n_resamples=199, random_state=seed
        )
        rejected += result.relevant
    assert rejected <= binom.ppf(1 - 1e-4, 60, 0.05)


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("ece", {}),
        ("ece", {"norm": "l2"}),
        ("mce", {}),
        ("skce", {}),
        pytest.param("smooth_calibration_error", {}, marks=pytest.mark.slow),
    ],
)
def test_agrees_with_the_lower_end_of_the_interval(metric, params):
    y, p = _data(3000, 0.1, 0)
    options = {"metric": metric, "metric_params": params, "random_state": 0}
    low, _ = calibration_ci(y, p, confidence_level=0.9, **options)
    low = low**0.5 if metric == "skce" else low
    result = check_relevant_miscalibration(y, p, **options)
    assert result.smallest_delta == pytest.approx(low, rel=1e-9)
    assert not check_relevant_miscalibration(y, p, delta=low * 1.01, **options).relevant
    assert check_relevant_miscalibration(y, p, delta=low * 0.99, **options).relevant


def test_has_power_at_a_million_rows():
    y, p = _data(1_000_000, 0.025, 0)
    result = check_relevant_miscalibration(y, p, delta=0.02, random_state=0)
    assert result.relevant
    assert 0.02 < result.smallest_delta < 0.025
    assert result.sentence == (
        f"The ece is at least {result.smallest_delta:.3g} with 95 % confidence, so it exceeds the "
        "tolerance of 0.02."
    )
    estimate, pvalue = result
    assert (estimate, pvalue) == (result.estimate, 0.001)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delta": 0}, "delta must be a finite number above 0"),
        ({"alpha": 1.0}, "alpha must be a finite number above 0 and below 1"),
        ({"metric": "calibration_slope"}, "is no error that is zero for a calibrated model"),
        ({"metric": "brier"}, "is no error that is zero for a calibrated model"),
    ],
)
def test_bad_options(options, message):
    y, p = _data(50, 0.0, 0)
    with pytest.raises(ValueError, match=message):
        check_relevant_miscalibration(y, p, **options)


def test_words_for_squares_and_for_zero():
    p = np.linspace(0.05, 0.95, 60)
    y = (p < 0.5).astype(int)
    options = {"metric": "skce", "n_resamples": 99, "random_state": 0}
    wrong = check_relevant_miscalibration(y, p, **options)
    assert wrong.sentence.startswith("The root of the skce is at least 0.")
    few = check_relevant_miscalibration([0, 1], [0.4, 0.6], n_resamples=99, random_state=0)
    assert few.sentence.startswith("The ece may be zero; these rows leave it open whether it ")


def test_a_metric_without_a_tolerance_is_refused_with_those_that_have_one():
    with pytest.raises(ValueError, match="has no tolerance delta; ") as refused:
        check_relevant_miscalibration([0, 1] * 20, [0.4, 0.6] * 20, metric="calibration_slope")
    listed = str(refused.value).split("delta; ")[1]
    assert "'ece'" in listed
    assert "'skce'" in listed
    assert "calibration_slope" not in listed
