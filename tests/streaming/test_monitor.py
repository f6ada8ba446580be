"""The monitor: sums that merge, alarms that hold their level, and findings in words."""

import json
import pickle
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit
from scipy.stats import binom

from sklearn_calib.streaming import CalibrationMonitor, CalibrationState
from sklearn_calib.streaming._monitoring.alternatives import WEIGHTS, log_ratios
from sklearn_calib.streaming._monitoring.e_values import start_weights

SEGMENTS = ["north", "south", "west"]


def drifting(seed=0, n_days=30, per_day=120, begins=20, slope=1.0, shift=0.0, segment="south"):
    """Return rows of which one segment is wrong from a day on."""
    rng = np.random.default_rng(seed)
    n = n_days * per_day
    day = np.repeat(np.arange(1, n_days + 1), per_day)
    segments = rng.choice(SEGMENTS, n)
    p = expit(rng.normal(0.0, 1.3, n))
    wrong = (day >= begins) & (segments == segment)
    truth = np.where(wrong, expit(slope * logit(p) + shift), p)
    return rng.random(n) < truth, p, day, segments


Y, P, DAY, SEGMENT = drifting(shift=-1.0)
ALL = CalibrationMonitor().update(Y, P, period=DAY, segment=SEGMENT)


def assert_same(first, second, rtol=1e-12):
    pd.testing.assert_frame_equal(first.to_frame(), second.to_frame(), rtol=rtol)
    pd.testing.assert_frame_equal(first.to_frame("period"), second.to_frame("period"), rtol=rtol)
    assert first.n_samples == second.n_samples


def test_the_e_value_of_one_period_is_the_mixture_written_out():
    y, p = Y[:200], P[:200]
    ratios = log_ratios(logit(p), y).sum(axis=1)
    start = start_weights(1)[0]
    expected = start * (WEIGHTS @ np.exp(ratios)) + 1.0 - start
    monitor = CalibrationMonitor().update(y, p, period="today")
    assert_allclose(monitor.e_value, expected, rtol=1e-12)
    assert_allclose(monitor.pvalue, min(1.0, 1.0 / expected), rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_any_split_and_any_order_of_merges_give_the_same(seed):
    rng = np.random.default_rng(seed)
    part = rng.integers(0, 7, Y.size)
    monitors = []
    for k in range(7):
        rows = np.flatnonzero(part == k)
        rows = rng.permutation(rows)
        monitors.append(
            CalibrationMonitor().update(Y[rows], P[rows], period=DAY[rows], segment=SEGMENT[rows])
        )
    order = rng.permutation(7)
    assert_same(reduce(CalibrationMonitor.merge, [monitors[k] for k in order]), ALL)
    left = monitors[0].merge(monitors[1]).merge(monitors[2].merge(monitors[3]))
    assert_same(monitors[6].merge(monitors[5].merge(monitors[4])).merge(left), ALL)


def test_day_by_day_in_batches_is_the_same_as_at_once():
    monitor = CalibrationMonitor()
    for day in np.unique(DAY):
        for rows in np.array_split(np.flatnonzero(day == DAY), 3):
            monitor.update(Y[rows], P[rows], period=day, segment=SEGMENT[rows])
    assert_same(monitor, ALL)


def test_merging_leaves_both_as_they_are():
    one = CalibrationMonitor().update(Y[:50], P[:50], period=1)
    two = CalibrationMonitor().update(Y[50:90], P[50:90], period=2)
    before = one.to_json(), two.to_json()
    merged = one.merge(two)
    assert (one.to_json(), two.to_json()) == before
    assert merged.periods == [1, 2]
    assert_same(one.merge(CalibrationMonitor()), one, rtol=0.0)


def test_the_table_has_the_rates_of_each_period_and_segment():
    frame = ALL.to_frame()
    table = pd.DataFrame({"y": Y, "p": P, "period": DAY, "segment": SEGMENT})
    groups = table.groupby(["period", "segment"])
    assert list(zip(frame["period"], frame["segment"])) == list(groups.groups)
    assert_array_equal(frame["n"], groups.size())
    assert_allclose(frame["observed"], groups["y"].mean(), rtol=1e-14)
    assert_allclose(frame["predicted"], groups["p"].mean(), rtol=1e-14)
    assert_allclose(frame["gap"], frame["observed"] - frame["predicted"], rtol=1e-15)
    largest = frame.groupby("segment")["e_value"].cummax()
    assert_allclose(frame["pvalue"], np.minimum(1.0, 1.0 / largest), rtol=1e-12)
    assert_array_equal(frame["alarm"], frame["pvalue"] <= 0.05)
    days = ALL.to_frame("period")
    assert_array_equal(days["n"], table.groupby("period").size())
    whole = CalibrationMonitor().update(Y, P, period=DAY)
    last = frame[frame["period"] == 30]["e_value"].sum() + 0.5 * whole.e_value
    assert_allclose(days["e_value"].iloc[-1], last + 0.5 * 0.2, rtol=1e-12)


def test_the_slope_is_one_newton_step():
    y, p = Y[:400], P[:400]
    odds = logit(p)
    design = np.column_stack([np.ones(400), odds])
    information = design.T @ (design * (p * (1.0 - p))[:, np.newaxis])
    step = np.linalg.solve(information, design.T @ (y - p))
    frame = CalibrationMonitor().update(y, p, period=1).to_frame()
    assert_allclose(frame["slope"], [1.0 + step[1]], rtol=1e-10)
    constant = CalibrationMonitor().update([0, 1, 1], [0.3] * 3, period=1).to_frame()
    assert constant["slope"].isna().all()


def test_the_wrong_segment_is_named_with_the_day_on_which_it_began():
    (alarm,) = [one for one in ALL.alarms if one.segment]
    assert (alarm.segment, alarm.problem) == ("south", "predicts too high")
    assert alarm.named
    assert 18 <= alarm.since <= 20 < alarm.raised <= 24
    late = (alarm.since <= DAY) & (SEGMENT == "south")
    assert alarm.n == late.sum()
    assert_allclose([alarm.observed, alarm.predicted], [Y[late].mean(), P[late].mean()])
    assert alarm.sentence.startswith(
        f"Since period {alarm.since} the model predicts too high in segment 'south' (predicted "
        f"{P[late].mean():.3f}, observed {Y[late].mean():.3f}); e = "
    )
    assert alarm.sentence.endswith("(alarm at 20)")
    assert ALL.describe().splitlines() == [f"{one.sentence}." for one in ALL.alarms]
    assert alarm.sentence in repr(ALL)
    assert ALL.alarm
    assert ALL.to_frame("period").query("alarm")["period"].min() <= alarm.raised


@pytest.mark.parametrize(
    ("drift", "problem"),
    [
        ({"shift": 1.0}, "predicts too low"),
        ({"shift": -1.0}, "predicts too high"),
        ({"slope": 0.4}, "predicts too extreme values"),
        ({"slope": 2.5}, "predicts too moderate values"),
    ],
)
def test_each_kind_of_error_is_called_by_its_name(drift, problem):
    y, p, day, segment = drifting(1, per_day=300, begins=1, segment="west", **drift)
    monitor = CalibrationMonitor(segments=SEGMENTS).update(y, p, period=day, segment=segment)
    (alarm,) = [one for one in monitor.alarms if one.segment]
    assert (alarm.problem, alarm.segment) == (problem, "west")
    assert alarm.since <= 3
    assert (alarm.slope < 1.0) == (drift.get("slope", alarm.slope) < 1.0)


def test_an_error_of_the_whole_model_is_found_in_all_rows_together():
    """Each of the ten segments alone has too little evidence."""
    y, p, day, _ = drifting(4, n_days=20, begins=1, segment="west", shift=0.0)
    y = np.random.default_rng(4).random(p.size) < expit(logit(p) - 0.25)
    segment = np.tile([f"site {k}" for k in range(10)], p.size // 10)
    monitor = CalibrationMonitor().update(y, p, period=day, segment=segment)
    assert not monitor.to_frame()["alarm"].any()
    (alarm,) = monitor.alarms
    assert (alarm.segment, alarm.n, alarm.named) == (None, p.size, True)
    assert "predicts too high for all segments together" in alarm.sentence
    alone = CalibrationMonitor().update(y, p, period=day)
    assert_allclose(alarm.e_value, 0.5 * alone.e_value, rtol=1e-10)


def test_an_alarm_for_which_no_part_is_enough_alone():
    segment = np.repeat(list("abcd"), 60)
    p = np.full(240, 0.5)
    y = np.concatenate([np.arange(60) < hits for hits in (15, 45, 15, 45)])
    monitor = CalibrationMonitor(segments=list("abcd")).update(y, p, period=1, segment=segment)
    frame = monitor.to_frame()
    assert not frame["alarm"].any()
    assert frame["e_value"].max() < 20.0 < monitor.e_value
    (alarm,) = monitor.alarms
    assert not alarm.named
    assert alarm.segment in ("a", "b", "c", "d")
    assert alarm.sentence.startswith(
        "The predictions are not calibrated; the strongest evidence: since period 1 the model"
    )
    assert_allclose(alarm.e_value, monitor.e_value, rtol=1e-12)


def test_a_period_is_looked_at_before_it_is_complete():
    monitor = CalibrationMonitor()
    monitor.update(Y[:40], P[:40], period=1)
    first = monitor.e_value
    monitor.update(Y[40:120], P[40:120], period=1)
    whole = CalibrationMonitor().update(Y[:120], P[:120], period=1)
    assert_allclose(monitor.e_value, whole.e_value, rtol=1e-12)
    assert first != whole.e_value


@pytest.mark.parametrize(("p", "y"), [(0.0, 1), (1.0, 0)])
def test_what_was_called_impossible_is_infinite_evidence(p, y):
    monitor = CalibrationMonitor().update([0, 1, 1], [0.3, 0.6, 0.7], period=1)
    monitor.update([0, 1, y], [0.0, 1.0, p], period=2)
    assert monitor.e_value == np.inf
    assert monitor.pvalue == 0.0
    (alarm,) = monitor.alarms
    assert (alarm.problem, alarm.raised, alarm.since) == ("calls impossible what happens", 2, 2)
    assert "(once); e = inf" in alarm.sentence
    assert monitor.update([1], [0.5], period=3).alarm


def test_certain_predictions_that_come_true_say_nothing():
    with_certain = CalibrationMonitor().update([0, 1, 1, 0], [0.3, 0.6, 1.0, 0.0], period=1)
    without = CalibrationMonitor().update([0, 1], [0.3, 0.6], period=1)
    assert_allclose(with_certain.e_value, without.e_value, rtol=1e-12)


def multiclass(power, n=3000, seed=3):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet([1.0, 2.0, 3.0], n)
    cumulated = proba.cumsum(axis=1)
    codes = (rng.random(n)[:, np.newaxis] > cumulated).sum(axis=1).clip(0, 2)
    sharper = proba**power
    return np.array(["ant", "bee", "cat"])[codes], sharper / sharper.sum(axis=1, keepdims=True)


def test_the_largest_probability_of_several_classes():
    y, proba = multiclass(1.5)
    monitor = CalibrationMonitor().update(y, proba, period=1)
    top = proba.max(axis=1)
    right = y == np.array(["ant", "bee", "cat"])[proba.argmax(axis=1)]
    binary = CalibrationMonitor().update(right, top, period=1)
    assert monitor.target == "confidence"
    assert_allclose(monitor.e_value, binary.e_value, rtol=1e-12)
    (alarm,) = monitor.alarms
    assert alarm.problem == "is too confident"
    assert alarm.event is None


def test_each_class_on_its_own():
    y, proba = multiclass(1.5)
    monitor = CalibrationMonitor(target="classwise").update(y, proba, period=1)
    frame = monitor.to_frame()
    assert frame["event"].tolist() == ["ant", "bee", "cat"]
    each = [
        CalibrationMonitor().update(y == name, proba[:, k], period=1).e_value / 3.0
        for k, name in enumerate(["ant", "bee", "cat"])
    ]
    assert_allclose(frame["e_value"], each, rtol=1e-12)
    assert_allclose(monitor.e_value, sum(each), rtol=1e-12)
    assert {one.event for one in monitor.alarms} <= {"ant", "bee", "cat"}
    assert "for class 'ant'" in monitor.describe()
    assert monitor.n_samples == 3000
    pooled = monitor.to_frame("period")
    assert pooled.columns.tolist() == ["period", "n", "e_value", "pvalue", "alarm"]
    assert pooled["n"].tolist() == [3000]
    assert_same(CalibrationMonitor.from_json(monitor.to_json()), monitor, rtol=0.0)


@pytest.mark.parametrize("target", ["auto", "classwise"])
def test_a_calibrated_model_of_several_classes_raises_no_alarm(target):
    y, proba = multiclass(1.0)
    monitor = CalibrationMonitor(target=target).update(y, proba, period=np.arange(3000) // 100)
    assert not monitor.alarm
    assert monitor.alarms == []


def test_json_keeps_everything():
    for monitor in (
        ALL,
        CalibrationMonitor(alpha=0.01, segments=["a", "b"], labels=["no", "yes"], pos_label="no"),
        CalibrationMonitor().update(["x", "y"], [[0.2, 0.8], [0.3, 0.7]], period=2.5),
        CalibrationMonitor().update([0], [0.2], period=pd.Timestamp("2026-03-04 10:00")),
    ):
        text = monitor.to_json()
        copy = CalibrationMonitor.from_json(text)
        assert copy.to_json() == text
        assert copy.describe() == monitor.describe()
        assert (copy.alpha, copy.target, copy.segments) == (
            monitor.alpha,
            monitor.target,
            monitor.segments,
        )
    copy = CalibrationMonitor.from_json(ALL.to_json())
    assert_same(copy, ALL, rtol=0.0)
    assert_same(pickle.loads(pickle.dumps(ALL)), ALL, rtol=0.0)


def test_a_monitor_goes_on_after_reading():
    rows = DAY <= 15
    first = CalibrationMonitor().update(Y[rows], P[rows], period=DAY[rows], segment=SEGMENT[rows])
    copy = CalibrationMonitor.from_json(first.to_json().encode())
    copy.update(Y[~rows], P[~rows], period=DAY[~rows], segment=SEGMENT[~rows])
    assert_same(copy, ALL)


def test_foreign_newer_and_changed_files_are_refused():
    text = CalibrationMonitor().update([0, 1], [0.2, 0.7], period=1).to_json()
    with pytest.raises(ValueError, match="CalibrationState"):
        CalibrationMonitor.from_json(CalibrationState().to_json())
    document = json.loads(text)
    with pytest.raises(ValueError, match="version 3"):
        CalibrationMonitor.from_json(json.dumps({**document, "version": 3}))
    document["content"]["cells"][0][-1][0] += 1.0
    with pytest.raises(ValueError, match="checksum"):
        CalibrationMonitor.from_json(json.dumps(document))
    with pytest.raises(ValueError, match="JSON"):
        CalibrationMonitor.from_json("e = 41")


def test_a_new_period_before_known_ones_is_refused_and_changes_nothing():
    monitor = CalibrationMonitor().update([0, 1], [0.2, 0.7], period="2026-03-04")
    monitor.update([0, 1], [0.2, 0.7], period="2026-03-06")
    before = monitor.to_json()
    with pytest.raises(ValueError, match=r"'2026-03-05' is new and comes before '2026-03-06'"):
        monitor.update([0, 1], [0.2, 0.7], period=["2026-03-05", "2026-03-07"])
    with pytest.raises(ValueError, match="text or dates everywhere"):
        monitor.update([0, 1], [0.2, 0.7], period=3)
    with pytest.raises(ValueError, match="y_proba must hold probabilities"):
        monitor.update([0, 1], [0.2, 1.7], period="2026-03-07")
    assert monitor.to_json() == before
    monitor.update([0, 1], [0.2, 0.7], period="2026-03-04")
    assert monitor.to_frame()["n"].tolist() == [4, 2]


def test_segments_are_declared_or_come_as_they_are_but_for_all_rows():
    declared = CalibrationMonitor(segments=["a", 2])
    assert declared.segments == ["a", "2"]
    declared.update([0, 1], [0.2, 0.7], period=1, segment=2)
    with pytest.raises(ValueError, match=r"segment 'c' is not one of segments=\['a', '2'\]"):
        declared.update([0, 1], [0.2, 0.7], period=1, segment=["a", "c"])
    with pytest.raises(ValueError, match=r"segment None is not one of"):
        declared.update([0, 1], [0.2, 0.7], period=1)
    free = CalibrationMonitor().update([0, 1], [0.2, 0.7], period=1, segment="a")
    with pytest.raises(ValueError, match="for all rows of a monitor or for none"):
        free.update([0, 1], [0.2, 0.7], period=1)
    with pytest.raises(ValueError, match="for all rows of a monitor or for none"):
        free.merge(CalibrationMonitor().update([0, 1], [0.2, 0.7], period=1))


def test_weights_are_refused_with_the_reason():
    with pytest.raises(TypeError, match=r"no argument sample_weight=.*false-alarm rate"):
        CalibrationMonitor().update([0, 1], [0.2, 0.7], period=1, sample_weight=[1, 2])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha": 0.0}, "alpha must be a finite number above 0 and below 1"),
        ({"alpha": 1.0}, "alpha"),
        ({"target": "canonical"}, "target must be one of"),
        ({"target": "binary", "labels": ["a", "b", "c"]}, "target='binary' needs binary data"),
        ({"segments": "north"}, "segments must be a list"),
        ({"segments": []}, "segments must be a list"),
        ({"segments": ["a", "a"]}, "segments must be distinct"),
    ],
)
def test_malformed_settings(options, words):
    with pytest.raises(ValueError, match=words):
        CalibrationMonitor(**options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha": 0.01}, "differ in alpha"),
        ({"segments": ["a"]}, "differ in segments"),
        ({"target": "confidence"}, "differ in target"),
        ({"labels": [0, 1]}, "differ in labels"),
    ],
)
def test_monitors_of_different_settings_do_not_merge(options, words):
    with pytest.raises(ValueError, match=words):
        CalibrationMonitor().merge(CalibrationMonitor(**options))
    with pytest.raises(TypeError, match="other must be a CalibrationMonitor, got int"):
        CalibrationMonitor().merge(0)


def test_monitors_of_different_classes_do_not_merge():
    one = CalibrationMonitor().update(["a", "b"], [[0.2, 0.8], [0.7, 0.3]], period=1)
    two = CalibrationMonitor().update(["a", "c"], [[0.2, 0.8], [0.7, 0.3]], period=1)
    with pytest.raises(ValueError, match="The classes differ"):
        one.merge(two)


def test_an_empty_monitor():
    monitor = CalibrationMonitor()
    assert (monitor.e_value, monitor.pvalue, monitor.alarm, monitor.alarms) == (1.0, 1.0, False, [])
    assert monitor.describe() == "No alarm after 0 periods and 0 rows; e = 1 (alarm at 20)."
    assert (monitor.n_samples, monitor.periods, monitor.segments) == (0, [], [])
    with pytest.raises(ValueError, match="holds no rows yet"):
        monitor.to_frame()
    assert monitor.update([], [], period=1) is monitor
    assert monitor.periods == []
    with pytest.raises(ValueError, match="by must be one of 'segment', 'period'"):
        ALL.to_frame("day")


def test_labels_of_every_type_and_shape_give_the_same():
    expected = CalibrationMonitor().update(Y, P, period=DAY).e_value
    both = np.column_stack([1.0 - P, P])
    names = np.where(Y, "yes", "no")
    for monitor in (
        CalibrationMonitor().update(names, both, period=DAY),
        CalibrationMonitor(pos_label="yes").update(names, P, period=DAY),
        CalibrationMonitor(labels=["no", "yes"]).update(names[:, np.newaxis], P, period=DAY),
        CalibrationMonitor(pos_label=0).update(~Y, P, period=DAY),
    ):
        assert_allclose(monitor.e_value, expected, rtol=1e-10)


def test_a_segment_that_is_missing_for_a_while_keeps_its_evidence():
    monitor = CalibrationMonitor(segments=["a", "b"])
    monitor.update([0] * 30, [0.5] * 30, period=1, segment="a")
    before = monitor.to_frame()["e_value"].tolist()
    monitor.update([0, 1], [0.5] * 2, period=2, segment="b")
    frame = monitor.to_frame()
    assert frame["e_value"].tolist()[:1] == before
    whole = CalibrationMonitor().update([0] * 30 + [0, 1], [0.5] * 32, period=[1] * 30 + [2] * 2)
    overall = monitor.to_frame("period")["e_value"] - 0.5 * whole.to_frame()["e_value"]
    assert_allclose(overall, [before[0] + 0.25, frame["e_value"].sum()], rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("segments", [None, SEGMENTS])
@pytest.mark.parametrize("adaptive", [False, True])
def test_at_most_one_calibrated_year_in_twenty_raises_an_alarm(segments, adaptive):
    """Weekly looks; with adaptive predictions that depend on the outcomes of the week before."""
    n_years, n_weeks, per_week = 400, 52, 40
    found = 0
    for seed in range(n_years):
        rng = np.random.default_rng([seed, 5])
        y = np.empty(n_weeks * per_week, bool)
        p = np.empty(y.size)
        rate = 0.5
        for week in range(n_weeks):
            rows = slice(week * per_week, (week + 1) * per_week)
            centre = logit(np.clip(rate, 0.1, 0.9)) if adaptive else 0.0
            p[rows] = expit(rng.normal(centre, 1.0, per_week))
            y[rows] = rng.random(per_week) < p[rows]
            rate = y[rows].mean()
        weeks = np.repeat(np.arange(n_weeks), per_week)
        segment = None if segments is None else rng.choice(segments, y.size)
        monitor = CalibrationMonitor(segments=segments).update(y, p, period=weeks, segment=segment)
        found += monitor.alarm
    assert found <= binom.ppf(0.999, n_years, 0.05)
    assert found >= 1


@pytest.mark.slow
def test_a_slope_of_eight_tenths_is_found_in_time():
    """The study says 1,850 rows (median) and 2,850 (90 %) after thirty good days."""
    rows = []
    for seed in range(40):
        rng = np.random.default_rng([seed, 6])
        day = np.repeat(np.arange(90), 100)
        p = expit(rng.normal(0.0, 1.5, day.size))
        truth = np.where(day >= 30, expit(0.8 * logit(p)), p)
        monitor = CalibrationMonitor().update(rng.random(day.size) < truth, p, period=day)
        raised = monitor.alarms[0].raised if monitor.alarm else np.inf
        rows.append(100 * (raised - 29))
    assert np.median(rows) <= 2300
    assert np.mean(np.array(rows) <= 3600) >= 0.85


def test_the_rest_of_a_period_may_take_back_what_its_beginning_shows_but_later_ones_do_not():
    wrong, rest = ([0] * 30 + [1] * 10, [0.6] * 40), ([1] * 60 + [0] * 20, [0.6] * 80)
    monitor = CalibrationMonitor().update(*wrong, period=1)
    assert monitor.alarm
    monitor.update(*rest, period=1)
    whole = CalibrationMonitor().update(*map(np.concatenate, zip(wrong, rest)), period=1)
    assert not monitor.alarm
    assert monitor.e_value == pytest.approx(whole.e_value, rel=1e-12)
    monitor = CalibrationMonitor().update(*wrong, period=1)
    largest = monitor.e_value
    monitor.update(*rest, period=2)
    assert monitor.alarm
    assert monitor.e_value < 20.0 < largest
    assert monitor.pvalue == pytest.approx(1.0 / largest, rel=1e-12)
