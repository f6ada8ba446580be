"""The paragraph on what to do next fits the error that is in the data."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from sklearn_calib import calibration_by_group, calibration_report


def draw(truth, seed=1):
    return (np.random.default_rng(seed).random(len(truth)) < truth).astype(int)


def advice(y, p, X=None, **options):
    return calibration_report(y, p, X, **{"n_resamples": 39, **options}).advice


def scores(n, seed=0):
    return np.random.default_rng(seed).normal(0.0, 1.5, size=n)


def test_few_rows_in_which_nothing_is_found_call_for_more():
    """The test would have missed errors that matter; four times the rows halve what it misses."""
    p = expit(scores(80))
    report = calibration_report(draw(p), p, n_resamples=39)
    size = report.tests["omnibus"].detectable_error
    assert report.tests["omnibus"].pvalue > 0.05
    assert size > 0.05
    assert report.advice.startswith("Collect more data before you rely on this: 80 rows show")
    rows = int(report.advice.split("takes about ")[1].split(" rows")[0].replace(",", ""))
    assert 80 * (size / 0.05) ** 2 <= rows <= 1.11 * 80 * (size / 0.05) ** 2


def test_the_size_that_matters_depends_on_the_rate():
    """A shift of 0.02 is small for even odds, and doubles a rate of 0.02."""
    p = np.full(800, 0.02) * np.exp(0.3 * scores(800))
    report = calibration_report(draw(p), p, n_resamples=39)
    assert report.tests["omnibus"].detectable_error < 0.05
    assert report.advice.startswith("Collect more data")


def test_many_rows_in_which_nothing_is_found_are_left_alone():
    p = expit(scores(4000))
    report = calibration_report(draw(p), p, n_resamples=39)
    assert report.advice.startswith("Leave the probabilities as they are: nothing is found")
    assert f"by {report.tests['omnibus'].detectable_error:.2g} in" in report.advice
    assert "Features or groups would tell" in report.advice


@pytest.mark.parametrize(
    ("slope", "shift", "why", "calibrator"),
    [
        (0.5, 0.0, "they are too extreme, so", "use PlattCalibrator, which changes slope"),
        (1.8, 0.0, "they are too timid, so", "use PlattCalibrator, which changes slope"),
        (0.5, 0.6, "they are too extreme and too low on average", "use PlattCalibrator"),
        (1.0, -0.7, "they are too high on average and their slope", "or PriorShiftCalibrator"),
    ],
    ids=["extreme", "timid", "extreme and low", "high"],
)
def test_a_wrong_line_calls_for_a_line(slope, shift, why, calibrator):
    z = scores(2000)
    text = advice(draw(expit(shift + slope * z)), expit(z))
    assert text.startswith(f"Recalibrate all probabilities with one map: {why}")
    assert calibrator in text
    assert "rows that neither the model nor this report has seen" in text


def test_a_wrong_shape_calls_for_a_flexible_map():
    p = np.random.default_rng(0).uniform(0.05, 0.95, 4000)
    text = advice(draw(p + 0.12 * np.sin(3 * np.pi * p) * np.sqrt(p * (1 - p)) * 2), p)
    assert "a slope and a shift do not repair their shape, so use AdaptiveCalibrator" in text


def test_an_error_that_only_many_rows_show_is_left_alone():
    p = np.random.default_rng(0).uniform(0.1, 0.9, 60_000)
    text = advice(draw(p + 0.006, seed=5), p)
    assert text.startswith("Leave the probabilities alone unless errors of this size matter")
    assert "they are too low on average" in text


@pytest.mark.parametrize("happened", [0, 1])
def test_one_outcome_calls_for_the_other(happened):
    text = advice([happened] * 40, expit(scores(40)))
    assert text.startswith("Collect more data: every row")
    assert ("lacks" in text) == (happened == 0)


def test_opposite_errors_of_two_groups_call_for_a_local_map():
    p = np.random.default_rng(0).uniform(0.2, 0.8, 2000)
    sex = np.where(np.arange(2000) % 2, "f", "m")
    text = advice(draw(p + np.where(sex == "f", 0.12, -0.12)), p, groups={"sex": sex})
    assert text.startswith("Recalibrate locally")
    assert "for sex = f and for sex = m" in text or "for sex = m and for sex = f" in text
    assert "Use KernelRecalibrator" in text
    assert "give it sex." in text


def test_a_slope_that_shows_in_groups_as_well_is_repaired_by_one_map():
    """The groups differ in their predictions, so each is wrong by another amount."""
    z = scores(4000)
    level = np.where(z > 0.5, "high", np.where(z < -0.5, "low", "middle"))
    report = calibration_report(draw(expit(0.5 * z)), expit(z), groups={"level": level})
    assert report.groups.n_significant >= 2
    assert report.advice.startswith("Recalibrate all probabilities with one map")


def test_groups_that_nothing_else_confirms_are_looked_at_again():
    """One range of predictions is a group; the best map of all probabilities follows it there."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.1, 0.9, 1000)
    site = np.where(rng.random(1000) < 0.5, "a", "b")
    middle = np.argsort(np.abs(p - 0.5))[:60]
    site[middle] = "c"
    truth = p.copy()
    truth[middle] += 0.2
    y = (rng.random(1000) < truth).astype(int)
    report = calibration_report(y, p, groups={"site": site}, n_resamples=39)
    assert report.tests["omnibus"].pvalue > 0.05
    assert report.groups.label[report.groups.significant].tolist() == ["site = c"]
    assert report.advice.startswith("Look at site = c again with new rows")
    assert "wrong in some range" not in report.advice


def test_zero_weights_are_left_out_when_groups_are_looked_at_again():
    p = np.random.default_rng(0).uniform(0.2, 0.8, 1500)
    sex = np.where(np.arange(1500) % 2, "f", "m")
    y = draw(p + np.where(sex == "f", 0.2, -0.2))
    weight = np.repeat([1.0, 0.0], [1200, 300])
    text = advice(y, p, groups={"sex": sex}, sample_weight=weight)
    assert text == advice(
        y[:1200], p[:1200], groups={"sex": sex[:1200]}, sample_weight=weight[:1200]
    )
    assert "for sex = f" in text


def test_the_table_of_groups_gives_the_same_advice():
    p = np.random.default_rng(0).uniform(0.2, 0.8, 2000)
    sex = np.where(np.arange(2000) % 2, "f", "m")
    y = draw(p + np.where(sex == "f", 0.12, 0.0))
    table = calibration_by_group(y, p, {"sex": sex}, n_resamples=99, random_state=0)
    assert "for sex = f" in advice(y, p, groups=table)


def test_an_error_along_a_feature_names_it():
    rng = np.random.default_rng(0)
    z, age = rng.normal(size=800), rng.normal(size=800)
    text = advice(draw(expit(z + 0.8 * age)), expit(z * 0.93), pd.DataFrame({"age": age}))
    assert text.startswith("Recalibrate locally: the predictions are")
    assert "KernelRecalibrator" in text
    assert "give it age." in text


@pytest.mark.parametrize("shape", [lambda z: z, np.exp], ids=["score", "exponential"])
def test_a_feature_that_is_the_score_does_not_need_a_local_map(shape):
    """A map with steps leaves a trend within them, which is no error along the feature."""
    z = scores(2000)
    text = advice(draw(expit(0.6 * z)), expit(z), pd.DataFrame({"z": shape(z)}))
    assert text.startswith("Recalibrate all probabilities with one map: they are too extreme")


def classes(logits, seed=0):
    proba = np.exp(logits - logits.max(axis=1, keepdims=True))
    return proba / proba.sum(axis=1, keepdims=True)


def test_several_classes_with_one_temperature():
    logits = np.random.default_rng(0).normal(0.0, 1.5, size=(1500, 3))
    truth = classes(0.5 * logits)
    y = [np.random.default_rng(k).choice(3, p=row) for k, row in enumerate(truth)]
    text = advice(y, classes(logits), max_local_samples=500)
    assert text.startswith("Recalibrate all probabilities with one map")
    assert "Calibrator" in text


def test_the_wrong_order_is_a_question_about_the_classes():
    rng = np.random.default_rng(0)
    p = rng.random(120)
    y = (rng.random(120) < p).astype(int)
    advice = calibration_report(y, 1.0 - p, n_resamples=39).advice
    assert advice.startswith("Look at pos_label and at the columns of the probabilities first")
