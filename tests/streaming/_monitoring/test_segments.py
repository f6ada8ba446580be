"""Segments of any type become keys, and missing ones stay apart from the text "missing"."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib import CalibrationMonitor, CalibrationMonitorDisplay, calibration_by_group
from sklearn_calib.streaming._monitoring.segments import MISSING, read_segments


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (["b", "a", None, "b"], ["b", "a", MISSING, "b"]),
        ([2, 10, 2, 3], ["2", "10", "2", "3"]),
        ([2.0, np.nan, 2.0, 3.0], ["2", MISSING, "2", "3"]),
        ([True, False, True, True], ["True", "False", "True", "True"]),
        (pd.Series(list("xyxy"), dtype="category"), list("xyxy")),
        (np.array(list("xyxy")), list("xyxy")),
    ],
)
def test_segments_of_rows(values, shown):
    names, codes = read_segments(values, 4)
    assert [names[k] for k in codes] == shown
    assert len(set(names)) == len(names) == len(set(shown))


def test_segments_that_floating_point_would_round_stay_apart_or_are_refused():
    ids = [2**53, 2**53 + 1, None]
    for values in (ids, np.array(ids[:2]), pd.Series(ids, dtype="Int64")):
        names, codes = read_segments(values, len(values))
        assert [names[code] for code in codes[:2]] == ["9007199254740992", "9007199254740993"]
    with pytest.raises(ValueError, match="segment holds the number 9007199254740992"):
        read_segments(np.array(ids[:2], dtype=float), 2)


def test_one_segment_for_all_rows():
    names, codes = read_segments(7, 2)
    assert names == ["7"]
    assert_array_equal(codes, np.zeros(2))
    assert read_segments(None, 2)[0] == [None]
    assert read_segments(np.nan, 2)[0] == [MISSING]


def test_what_is_no_segment_is_refused():
    with pytest.raises(ValueError, match="segment must be one name or a column of 3 names"):
        read_segments(["a", "b"], 3)
    with pytest.raises(ValueError, match="got 2 columns"):
        read_segments(pd.DataFrame({"a": ["x"], "b": ["y"]}), 1)
    with pytest.raises(ValueError, match=r"got the number 0\.5"):
        read_segments([0.5, 1.0], 2)
    with pytest.raises(ValueError, match="the categories 1 and '1', which have one name"):
        read_segments(pd.Series([1, "1"], dtype="category"), 2)


# Thirty rows with the text "missing", all of which are wrong, and thirty without a segment.
P = np.full(60, 0.2)
Y = np.repeat([1, 0], 30)
WORDS = ["missing"] * 30 + [None] * 30


def in_every_form():
    """Return the segments in every form."""
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    nan = [np.nan if one is None else one for one in WORDS]
    arrow = pa.array(WORDS)
    return {
        "list": WORDS,
        "None": np.array(WORDS, dtype=object),
        "NaN": np.array(nan, dtype=object),
        "NA": np.array([pd.NA if one is None else one for one in WORDS], dtype=object),
        "pandas objects": pd.Series(nan, dtype=object),
        "pandas text": pd.Series(WORDS, dtype="string"),
        "pandas str": pd.Series(WORDS, dtype="str"),
        "pandas categories": pd.Series(WORDS, dtype="category"),
        "pandas of arrow": pd.Series(WORDS, dtype=pd.ArrowDtype(pa.string())),
        "polars": pl.Series(WORDS),
        "polars categories": pl.Series(WORDS, dtype=pl.Categorical),
        "polars Enum": pl.Series(WORDS, dtype=pl.Enum(["missing"])),
        "arrow": arrow,
        "arrow dictionary": arrow.dictionary_encode(),
        "frame": pd.DataFrame({"segment": WORDS}),
    }


def rows_by_segment(monitor):
    frame = monitor.to_frame()
    return dict(zip(frame["segment"], zip(frame["n"], frame["observed"])))


def in_halves(segment=WORDS, order=(0, 30), monitor=None):
    """Return a monitor of the rows in two batches, each of which has one of the segments."""
    monitor = CalibrationMonitor(labels=[0, 1]) if monitor is None else monitor
    for start in order:
        rows = slice(start, start + 30)
        monitor.update(Y[rows], P[rows], period=1, segment=segment[rows])
    return monitor


TWO = {"missing": (30, 1.0), "missing value": (30, 0.0)}


def test_missing_segments_and_the_text_missing_are_two_in_one_batch():
    for form, column in in_every_form().items():
        monitor = CalibrationMonitor(labels=[0, 1])
        monitor.update(Y, P, period=1, segment=column)
        assert (form, monitor.n_samples) == (form, 60)
        assert (form, rows_by_segment(monitor)) == (form, TWO)
        assert monitor.segments == ["missing", "missing value"]


def test_segments_have_the_names_of_groups():
    table = calibration_by_group(Y, P, WORDS, n_resamples=99, random_state=0)
    assert set(TWO) == set(table.category) - {""}


@pytest.mark.parametrize("order", [(0, 30), (30, 0)])
def test_batches_merges_and_files_have_the_same_two_segments(order):
    whole = CalibrationMonitor(labels=[0, 1]).update(Y, P, period=1, segment=WORDS)
    parts = [in_halves(order=(start,)) for start in order]
    again = [CalibrationMonitor.from_json(one.to_json()) for one in parts]
    resumed = in_halves(order=order[1:], monitor=again[0])
    for monitor in (
        in_halves(order=order),
        parts[0].merge(parts[1]),
        again[1].merge(parts[0]),
        resumed,
    ):
        assert rows_by_segment(monitor) == TWO
        assert monitor.e_value == pytest.approx(whole.e_value, rel=1e-12)
        assert monitor.describe() == whole.describe()
        assert CalibrationMonitor.from_json(monitor.to_json()).to_json() == monitor.to_json()


def test_missing_segments_alone_are_called_missing_and_come_last():
    monitor = CalibrationMonitor(labels=[0, 1])
    monitor.update([1, 0, 1], [0.2, 0.3, 0.4], period=1, segment=["z", None, "a"])
    assert monitor.segments == ["a", "z", "missing"]
    assert monitor.to_frame()["segment"].tolist() == ["a", "z", "missing"]


def test_an_alarm_names_the_segment_of_missing_values():
    monitor = CalibrationMonitor(labels=[0, 1])
    monitor.update(1 - Y, P, period=1, segment=WORDS)
    (alarm,) = [one for one in monitor.alarms if one.segment is not None]
    assert (alarm.segment, alarm.n, alarm.observed) == ("missing value", 30, 1.0)
    assert "in segment 'missing value'" in alarm.sentence
    display = CalibrationMonitorDisplay.from_monitor(monitor)
    titles = [ax.get_title() for ax in display.plot().figure_.axes]
    assert "missing" in titles
    assert any(one.startswith("missing value\n") for one in titles)


def test_declared_segments_name_missing_values_by_none():
    declared = CalibrationMonitor(segments=["missing", None], labels=[0, 1])
    assert declared.segments == ["missing", "missing value"]
    assert "segments=['missing', None]" in repr(declared)
    declared.update(Y[30:], P[30:], period=1, segment=WORDS[30:])
    assert rows_by_segment(declared) == {"missing value": (30, 0.0)}
    read = CalibrationMonitor.from_json(declared.to_json())
    assert read.merge(declared).segments == declared.segments
    other = CalibrationMonitor(segments=["missing"], labels=[0, 1])
    with pytest.raises(ValueError, match=r"segment None is not one of.*None for missing values"):
        other.update(Y[30:], P[30:], period=1, segment=WORDS[30:])
    with pytest.raises(ValueError, match="The states differ in segments"):
        declared.merge(other)
    with pytest.raises(ValueError, match=r"segments must be distinct, got \[None, None\]"):
        CalibrationMonitor(segments=[None, np.nan])
