"""The picture of a monitor shows the stored numbers: evidence above, gaps below."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.dates import date2num
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import beta

from sklearn_calib import CalibrationMonitor, CalibrationMonitorDisplay

RNG = np.random.default_rng(0)
DAY = np.repeat(np.arange(30), 90)
DATE = np.datetime64("2026-03-01") + DAY
SEGMENT = RNG.choice(["A", "B", "C"], DAY.size)
P = RNG.uniform(0.1, 0.9, DAY.size)
Y = RNG.random(DAY.size) < P - 0.3 * ((SEGMENT == "B") & (DAY >= 20)).clip(0, 1) * P
ONE = CalibrationMonitor().update(Y, P, period=DATE)
THREE = CalibrationMonitor(segments=["A", "B", "C"]).update(Y, P, period=DAY, segment=SEGMENT)


def test_one_panel_shows_evidence_and_gaps():
    display = CalibrationMonitorDisplay.from_monitor(ONE)
    frame = ONE.to_frame()
    assert display.ax_.shape == (1, 2)
    assert_allclose(display.evidence_[0].get_ydata(), frame["e_value"], rtol=1e-12)
    dates = display.evidence_[0].get_xdata()
    assert_array_equal(dates, np.unique(DATE))
    assert_array_equal(display.gap_[0].get_ydata(), frame["gap"])
    assert display.alarm_line_[0].get_ydata()[0] == 20.0
    upper, lower = display.ax_[0]
    assert (upper.get_yscale(), lower.get_yscale()) == ("log", "linear")
    assert (upper.get_ylabel(), lower.get_ylabel()) == ("e-value", "observed\n− predicted")
    display.figure_.draw_without_rendering()


def test_intervals_are_exact_ones_of_the_observed_rate():
    display = CalibrationMonitorDisplay.from_monitor(ONE)
    frame = ONE.to_frame()
    hits = np.rint(frame["observed"] * frame["n"])
    low = beta.ppf(0.025, hits, frame["n"] - hits + 1) - frame["predicted"]
    high = beta.ppf(0.975, hits + 1, frame["n"] - hits) - frame["predicted"]
    limits = np.array([one[:, 1] for one in display.interval_[0].get_segments()])
    assert_allclose(limits, np.column_stack([low, high]), rtol=1e-9)


def test_segments_have_small_panels_behind_one_for_all():
    display = CalibrationMonitorDisplay.from_monitor(THREE)
    assert display.ax_.shape == (4, 2)
    titles = [ax.get_title() for ax in display.ax_[:, 0]]
    (alarm,) = THREE.alarms
    assert titles[0] == "all together"
    assert (titles[1], titles[3]) == ("A", "C")
    assert titles[2].replace("\n", " ") == f"B {alarm.problem} since period {alarm.since}"
    overall = THREE.to_frame("period")
    assert_allclose(display.evidence_[0].get_ydata(), overall["e_value"], rtol=1e-12)
    of_b = THREE.to_frame().query("segment == 'B'")
    assert_allclose(display.evidence_[2].get_ydata(), of_b["e_value"], rtol=1e-12)
    assert_array_equal(display.gap_[2].get_ydata(), of_b["gap"])
    assert [one is None for one in display.since_] == [True, True, False, True]
    left = display.since_[2][0].get_x()
    assert left == alarm.since - 0.5
    labels = [[ax.get_ylabel() for ax in pair] for pair in display.ax_]
    assert [label[0] for label in labels] == ["e-value", "", "e-value", ""]


def test_only_the_worst_segments_are_drawn():
    display = CalibrationMonitorDisplay.from_monitor(THREE, max_panels=2)
    assert display.shown_.tolist() == [0, 2]
    assert display.ax_.shape == (2, 2)


def test_a_segment_without_rows_for_a_while_keeps_its_line():
    monitor = CalibrationMonitor(segments=["a", "b"])
    for period, segment in ((1, "a"), (2, "b"), (3, "a")):
        monitor.update([0, 1, 1], [0.2, 0.6, 0.7], period=period, segment=segment)
    display = CalibrationMonitorDisplay.from_monitor(monitor)
    line = display.evidence_[1].get_ydata()
    assert line[0] == line[1] != line[2]
    assert np.isnan(display.evidence_[2].get_ydata()[0])
    assert display.gap_[1].get_xdata().tolist() == [1, 3]


def test_evidence_that_leaves_the_picture_is_marked():
    monitor = CalibrationMonitor().update([0, 1, 1], [0.3, 0.6, 0.0], period=1)
    display = CalibrationMonitorDisplay.from_monitor(monitor)
    upper = display.ax_[0, 0]
    assert upper.get_ylim()[1] < 1e6
    (marker,) = [line for line in upper.lines if line.get_marker() == "^"]
    assert marker.get_ydata()[0] == upper.get_ylim()[1]
    assert upper.get_title().replace("\n", " ") == "calls impossible what happens since period 1"
    display.figure_.draw_without_rendering()


def test_classes_have_panels_and_all_together_has_no_gap():
    proba = RNG.dirichlet([1, 2, 3], 200)
    y = RNG.integers(0, 3, 200)
    monitor = CalibrationMonitor(target="classwise").update(y, proba, period=1)
    display = CalibrationMonitorDisplay.from_monitor(monitor)
    assert display.ax_.shape == (4, 2)
    assert display.gap_[0].get_xdata().size == 0
    assert not display.ax_[0, 1].axison
    assert display.ax_[1, 0].get_title().startswith("class 0")
    top = CalibrationMonitorDisplay.from_monitor(
        CalibrationMonitor().update(y, proba, period="first week")
    )
    assert top.ax_[0, 1].get_ylabel() == "accuracy\n− confidence"


def test_text_that_is_no_date_is_written_at_the_axis():
    weeks = np.array([f"week {k}" for k in range(1, 13)])
    monitor = CalibrationMonitor().update(Y[:24], P[:24], period=np.repeat(weeks, 2))
    display = CalibrationMonitorDisplay.from_monitor(monitor)
    texts = [text.get_text() for text in display.ax_[0, 1].get_xticklabels()]
    assert texts == ["week 1", "week 4", "week 7", "week 10"]
    assert display.gap_[0].get_xdata().tolist() == list(range(12))
    dated = CalibrationMonitorDisplay.from_monitor(ONE)
    limits = dated.ax_[0, 1].get_xlim()
    assert limits[0] <= date2num(DATE[0]) < date2num(DATE[-1]) <= limits[1]


def test_given_axes_and_styles():
    figure, axes = plt.subplots(4, 2)
    display = CalibrationMonitorDisplay.from_monitor(
        THREE, ax=axes, line_kwargs={"c": "k"}, gap_kwargs={"ms": 9}, interval_kwargs={"lw": 5}
    )
    assert display.figure_ is figure
    assert_array_equal(display.ax_, axes)
    assert display.evidence_[0].get_color() == "k"
    assert display.gap_[0].get_markersize() == 9
    assert display.interval_[0].get_linewidths().tolist() == [5]
    assert all(ax.get_ylabel() for ax in axes.ravel())
    figure, (_, ax) = plt.subplots(1, 2)
    divided = CalibrationMonitorDisplay.from_monitor(THREE, ax=ax)
    assert divided.figure_ is figure
    assert len(figure.axes) == 2 + 8


def test_wrong_axes_and_monitors():
    with pytest.raises(TypeError, match="ax must be a Matplotlib Axes"):
        CalibrationMonitorDisplay.from_monitor(ONE, ax=5)
    with pytest.raises(ValueError, match=r"ax must be 8 Axes, two for each of the 4 panels"):
        CalibrationMonitorDisplay.from_monitor(THREE, ax=plt.subplots(1, 2)[1])
    with pytest.raises(ValueError, match="one that belongs to a grid"):
        CalibrationMonitorDisplay.from_monitor(ONE, ax=plt.figure().add_axes((0, 0, 1, 1)))
    with pytest.raises(TypeError, match="monitor must be a CalibrationMonitor, got DataFrame"):
        CalibrationMonitorDisplay.from_monitor(ONE.to_frame())
    with pytest.raises(ValueError, match="holds no rows yet"):
        CalibrationMonitorDisplay.from_monitor(CalibrationMonitor())
    with pytest.raises(ValueError, match="max_panels must be a whole number"):
        CalibrationMonitorDisplay.from_monitor(ONE, max_panels=0)
    with pytest.raises(ValueError, match="period and log_e_value must have the same number"):
        CalibrationMonitorDisplay([1, 2], [0.0], [0.0], [0.0], [0.0]).plot()
