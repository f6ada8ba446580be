"""The calibration line: other software, known answers at separation, coverage, words."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import beta, binom

from sklearn_calib import check_calibration
from sklearn_calib.inference import calibration_line
from sklearn_calib.metrics import (
    calibration_intercept,
    calibration_slope,
    observed_expected_ratio,
)
from tests._reference import parametrize_cases
from tests.metrics._registry import binary_data, multiclass_data


@parametrize_cases("calibration_line")
def test_equals_generalised_linear_models(case):
    data, expected = case["inputs"], case["expected"]
    y, p, weight = data["y"], data["p"], data["weight"]
    result = calibration_line(y, p, method="profile", sample_weight=weight)
    for name in ("slope", "intercept", "joint_intercept"):
        assert_allclose(getattr(result, name), expected[name], rtol=1e-9)
    for name in ("slope_se", "intercept_se", "joint_intercept_se"):
        assert_allclose(getattr(result, name), expected[name], rtol=1e-7)
    assert_allclose(result.slope_interval, expected["slope_profile"], rtol=1e-8)
    assert_allclose(calibration_slope(y, p, sample_weight=weight), expected["slope"], rtol=1e-9)
    for joint, name in ((False, "intercept"), (True, "joint_intercept")):
        value = calibration_intercept(y, p, joint=joint, sample_weight=weight)
        assert_allclose(value, expected[name], rtol=1e-9)
    wald = calibration_line(y, p, method="wald", sample_weight=weight)
    reach = 1.959963984540054 * expected["slope_se"]
    ends = [expected["slope"] - reach, expected["slope"] + reach]
    assert_allclose(wald.slope_interval, ends, rtol=1e-7)
    if weight is None:
        robust = calibration_line(y, p, method="robust")
        assert_allclose(robust.slope_se, expected["slope_robust_se"], rtol=1e-9)


def test_the_ratio_and_its_interval_by_hand():
    y, p = np.repeat([1, 0], [20, 80]), np.full(100, 0.25)
    result = calibration_line(y, p)
    assert_allclose([result.observed, result.expected], [0.2, 0.25], rtol=1e-14)
    assert result.ratio == pytest.approx(0.8, rel=1e-14)
    assert observed_expected_ratio(y, p) == pytest.approx(0.8, rel=1e-14)
    factor = np.exp(1.959963984540054 * np.sqrt(0.8 / 20))
    assert_allclose(result.ratio_interval, [0.8 / factor, 0.8 * factor], rtol=1e-12)
    none = calibration_line(np.zeros(100, dtype=int), p)
    assert none.ratio == 0.0
    assert_allclose(none.ratio_interval, [0.0, 4 * beta.isf(0.025, 1, 100)], rtol=1e-12)
    assert observed_expected_ratio([0, 0], [0.0, 0.0]) == 1.0
    assert observed_expected_ratio([0, 1], [0.0, 0.0]) == np.inf


def test_equal_predictions_have_an_intercept_and_no_slope():
    y = np.repeat([1, 0], [30, 10])
    result = calibration_line(y, np.full(40, 0.5))
    assert np.isnan(result.slope)
    assert np.isnan(calibration_slope(y, np.full(40, 0.5)))
    assert result.intercept == pytest.approx(np.log(3), rel=1e-12)
    assert result.intercept_se == pytest.approx(1 / np.sqrt(40 * 0.75 * 0.25), rel=1e-12)
    likelihood_ratio = 2 * (30 * np.log(0.75) + 10 * np.log(0.25) - 40 * np.log(0.5))
    assert result.statistic == pytest.approx(likelihood_ratio, rel=1e-12)
    assert result.pvalue == pytest.approx(result.intercept_pvalue, rel=1e-10)
    assert "All predictions are equal, so there is no slope" in result.verdict


def test_separated_labels_have_an_infinite_slope_and_one_end():
    p = np.array([0.1, 0.2, 0.3, 0.6, 0.7, 0.8])
    y = (p > 0.5).astype(int)
    result = calibration_line(y, p)
    assert result.slope == calibration_slope(y, p) == np.inf
    assert np.isnan(calibration_intercept(y, p, joint=True))
    low, high = result.slope_interval
    assert high == np.inf
    assert "separates the labels (all events are at or above it)" in result.verdict
    # At the end the likelihood ratio is the quantile: maximise over the intercept on a grid.
    grid = np.linspace(-5, 5, 200001)[:, np.newaxis]
    eta = grid + low * np.log(p / (1 - p))
    best = (y * eta - np.logaddexp(0, eta)).sum(axis=1).max()
    assert_allclose(-2 * best, 3.841458820694124, rtol=1e-6)
    mirrored = calibration_line(1 - y, p)
    assert mirrored.slope == -np.inf
    assert_allclose(mirrored.slope_interval, (-np.inf, -low), rtol=1e-9)
    assert "all events are at or below it" in mirrored.verdict
    robust = calibration_line(y, p, method="robust")
    assert robust.slope_interval == (-np.inf, np.inf)
    assert np.isnan(robust.pvalue)


@pytest.mark.parametrize("event", [0, 1])
def test_one_class_has_an_infinite_intercept_and_one_end(event):
    p = np.array([0.1, 0.4, 0.6])
    result = calibration_line(np.full(3, event), p)
    sign = 2 * event - 1
    assert result.intercept == calibration_intercept(np.full(3, event), p) == sign * np.inf
    finite = result.intercept_interval[0 if event else 1]
    x = np.log(p / (1 - p))
    assert_allclose(2 * np.logaddexp(0, -sign * (finite + x)).sum(), 3.841458820694124, rtol=1e-9)
    assert "row has the event, so there is no slope" in result.verdict
    assert result.pvalue == pytest.approx(result.intercept_pvalue, rel=1e-10)


def test_verdicts_name_the_fault():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, 3000)
    x = np.log(p / (1 - p))

    def verdict(intercept, slope):
        chance = 1 / (1 + np.exp(-intercept - slope * x))
        return calibration_line((rng.random(3000) < chance).astype(int), p).verdict

    assert "agree with calibration" in verdict(0, 1)
    assert "are too extreme." in verdict(0, 0.6)
    assert "are not extreme enough." in verdict(0, 1.6)
    assert "are in the wrong order." in verdict(0, -1)
    assert "are too low on average." in verdict(0.8, 1)
    assert "are too extreme and too high on average." in verdict(-0.8, 0.6)


def test_the_other_class_changes_only_the_sign_of_the_intercept():
    y, p = binary_data()
    one, other = calibration_line(y, p), calibration_line(1 - y, 1 - p)
    assert other.slope == pytest.approx(one.slope, rel=1e-10)
    assert_allclose(other.slope_interval, one.slope_interval, rtol=1e-8)
    assert other.intercept == pytest.approx(-one.intercept, rel=1e-10)
    assert other.joint_intercept == pytest.approx(-one.joint_intercept, rel=1e-10)
    assert other.pvalue == pytest.approx(one.pvalue, rel=1e-8)
    assert one.n_certain == np.count_nonzero((p == 0) | (p == 1)) > 0


def test_weights_are_copies_or_sampling_weights():
    y, p = binary_data()
    w = np.random.default_rng(3).integers(1, 4, 40)
    rows = np.repeat(np.arange(40), w)
    copies = calibration_line(y[rows], p[rows])
    weighted = calibration_line(y, p, method="profile", sample_weight=w)
    for name in ("slope", "slope_se", "intercept", "intercept_se", "statistic", "pvalue"):
        assert_allclose(getattr(weighted, name), getattr(copies, name), rtol=1e-9)
    assert_allclose(weighted.slope_interval, copies.slope_interval, rtol=1e-8)
    for method in ("profile", "wald"):
        weighted = calibration_line(y, p, method=method, sample_weight=w)
        assert_allclose(weighted.ratio_interval, copies.ratio_interval, rtol=1e-12)
        none = [
            calibration_line(np.zeros_like(y), p, method=method, sample_weight=w),
            calibration_line(np.zeros_like(y)[rows], p[rows]),
        ]
        assert_allclose(none[0].ratio_interval, none[1].ratio_interval, rtol=1e-9)
    auto = calibration_line(y, p, sample_weight=w)
    assert auto.method == "robust"
    scaled = calibration_line(y, p, method="robust", sample_weight=7 * w)
    assert auto.slope_se == pytest.approx(scaled.slope_se, rel=1e-12)


def test_the_confidence_of_many_classes_is_a_binary_event():
    y, P = multiclass_data()
    result = calibration_line(y, P)
    right = (P.argmax(axis=1) == y).astype(int)
    plain = calibration_line(right, P.max(axis=1))
    assert result.target == "confidence"
    assert result.slope == plain.slope
    assert result.pvalue == plain.pvalue


@pytest.mark.parametrize("n_trials", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_intervals_cover_and_the_test_has_its_level(n_trials):
    rng = np.random.default_rng(0)
    covered, rejected = np.zeros(3), 0
    for _ in range(n_trials):
        p = rng.uniform(0.05, 0.95, 200)
        result = calibration_line((rng.random(200) < p).astype(int), p)
        intervals = (result.slope_interval, result.intercept_interval, result.ratio_interval)
        covered += [low <= ideal <= high for (low, high), ideal in zip(intervals, (1, 0, 1))]
        rejected += result.pvalue <= 0.05
    # At most one in ten thousand such studies has fewer hits, or more rejections.
    assert np.all(covered >= binom.ppf(1e-4, n_trials, 0.95))
    assert rejected <= binom.ppf(1 - 1e-4, n_trials, 0.05)


def test_the_result_is_a_row_a_dict_and_words():
    result = calibration_line([0, 0, 1, 1], [0.1, 0.2, 0.6, 0.7])
    assert result.to_frame()["slope"].tolist() == [np.inf]
    content = json.loads(json.dumps(result.to_dict()))
    assert content["slope"] == "inf"
    assert content["joint_intercept"] is None
    assert "slope=inf" in repr(result)


def test_a_ratio_beyond_all_numbers_is_infinite_without_a_warning():
    """One event of five where 2.5e-323 are expected: the quotient overflows."""
    y, p = [0, 0, 0, 0, 1], [5e-324] * 5
    assert observed_expected_ratio(y, p) == np.inf
    result = calibration_line(y, p)
    assert result.ratio == np.inf
    assert result.ratio_interval == (0.0, np.inf)
    assert result.verdict


def test_the_metrics_have_exact_tests():
    rng = np.random.default_rng(1)
    p = rng.uniform(0.05, 0.95, 150)
    extreme = (rng.random(150) < 0.3 + 0.4 * p).astype(int)
    result = check_calibration(extreme, p, statistic="calibration_slope", random_state=0)
    assert result.pvalue == 0.004
    assert result.statistic < 1 < result.expected < 1.1


def test_bad_options_are_refused():
    with pytest.raises(ValueError, match="method must be one of 'auto', 'profile', 'wald', 'ro"):
        calibration_line([0, 1], [0.2, 0.6], method="exact")
    with pytest.raises(ValueError, match="confidence_level must be"):
        calibration_line([0, 1], [0.2, 0.6], confidence_level=95)
    with pytest.raises(ValueError, match="target must be one of"):
        calibration_line([0, 1], [0.2, 0.6], target="classwise")


WRONG = {"pvalue": 0.001, "slope_pvalue": 0.5, "intercept_pvalue": 0.5}
LEVEL = 0.05
VERDICTS = {
    "not below the level": ({"pvalue": 0.0501}, "agree with calibration (p = 0.0501)."),
    "at the level": ({"pvalue": LEVEL}, "contradict calibration (p = 0.05)."),
    "no p-value": ({"pvalue": np.nan}, "agree with calibration (p = nan)."),
    "neither alone": ({}, "contradict calibration (p = 0.001)."),
    "slope at the level": (
        {"slope": 0.5, "slope_pvalue": LEVEL},
        "contradict calibration (p = 0.001): the predictions are too extreme.",
    ),
    "a slope of zero": (
        {"slope": 0.0, "slope_pvalue": 0.01},
        "contradict calibration (p = 0.001): the predictions are too extreme.",
    ),
    "a steep slope": (
        {"slope": 1.5, "slope_pvalue": 0.01},
        "contradict calibration (p = 0.001): the predictions are not extreme enough.",
    ),
    "intercept at the level": (
        {"intercept": 0.2, "intercept_pvalue": LEVEL},
        "contradict calibration (p = 0.001): the predictions are too low on average.",
    ),
    "both": (
        {"slope": -0.1, "slope_pvalue": 0.01, "intercept": -0.2, "intercept_pvalue": 0.01},
        "contradict calibration (p = 0.001): the predictions are in the wrong order and too high "
        "on average.",
    ),
}


@pytest.mark.parametrize("case", VERDICTS)
def test_the_verdict_follows_from_the_numbers(case):
    changed, expected = VERDICTS[case]
    result = calibration_line([0, 1, 1, 0, 1], [0.2, 0.6, 0.3, 0.4, 0.8])
    assert replace(result, **{**WRONG, **changed}).verdict.endswith(f", {expected}")
