"""Periods and segments of any type become keys that sort as people expect."""

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib.streaming._monitoring.keys import (
    check_one_kind,
    period_key,
    read_periods,
    read_segments,
    sort_key,
)

SAME_DAY = [
    "2026-03-04",
    date(2026, 3, 4),
    datetime(2026, 3, 4),
    np.datetime64("2026-03-04"),
    np.datetime64("2026-03-04T00:00", "ns"),
    pd.Timestamp("2026-03-04"),
    pd.Period("2026-03-04", freq="D"),
    np.str_("2026-03-04"),
]


@pytest.mark.parametrize("value", SAME_DAY, ids=lambda value: type(value).__name__)
def test_a_day_is_the_same_period_in_every_type(value):
    assert period_key(value) == "2026-03-04"
    assert type(period_key(value)) is str


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (3, 3),
        (np.int32(3), 3),
        (3.0, 3),
        (np.float32(2.5), 2.5),
        (datetime(2026, 3, 4, 13, 5), "2026-03-04T13:05:00"),
        (pd.Period("2026-03", freq="M"), "2026-03"),
        (np.datetime64("2026-03"), "2026-03-01"),
    ],
)
def test_numbers_and_moments(value, key):
    assert period_key(value) == key
    assert type(period_key(value)) is type(key)


@pytest.mark.parametrize(
    "value",
    [None, True, np.nan, pd.NaT, np.datetime64("NaT", "D"), pd.NA, "", np.bool_(0)],
    ids=repr,
)
def test_missing_periods_are_refused(value):
    with pytest.raises(ValueError, match="period must not be missing or a boolean"):
        period_key(value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.inf, "period must be finite"),
        (datetime(2026, 3, 4, tzinfo=UTC), "must have no time zone"),
        (object(), "must not be of type object"),
        (np.timedelta64(3, "D"), "must not be of type timedelta"),
    ],
)
def test_what_is_no_period_is_refused(value, words):
    with pytest.raises(ValueError, match=words):
        period_key(value)


def test_text_sorts_with_numbers_in_it_by_value():
    rng = np.random.default_rng(0)
    weeks = [f"week {k}" for k in range(1, 13)]
    assert sorted(rng.permutation(weeks).tolist(), key=sort_key) == weeks
    mixed = ["2026-03-04", "2026-03-04T12:00:00", "2026-03-05", "2026-11-01", "x", "x1", "x01y"]
    assert sorted(rng.permutation(mixed).tolist(), key=sort_key) == mixed
    assert sorted([10, 2, 2.5], key=sort_key) == [2, 2.5, 10]


def test_text_and_numbers_have_no_order():
    with pytest.raises(ValueError, match=r"text or dates everywhere.*got 'a' and 1"):
        check_one_kind([1, "a"])
    with pytest.raises(ValueError, match="numbers everywhere"):
        read_periods([1, "a"], 2)


DAYS = ["2026-03-02", "2026-03-01", "2026-03-02"]


@pytest.mark.parametrize(
    "values",
    [
        DAYS,
        np.array(DAYS),
        np.array(DAYS, dtype="M8[D]"),
        pd.Series(pd.to_datetime(DAYS), index=[5, 6, 7]),
        pd.Series(DAYS, dtype="category"),
        [date.fromisoformat(one) for one in DAYS],
    ],
)
def test_periods_of_rows(values):
    keys, codes = read_periods(values, 3)
    assert keys == ["2026-03-01", "2026-03-02"]
    assert_array_equal(codes, [1, 0, 1])


def test_polars_columns():
    pl = pytest.importorskip("polars")
    keys, codes = read_periods(pl.Series([date.fromisoformat(one) for one in DAYS]), 3)
    assert keys == ["2026-03-01", "2026-03-02"]
    assert_array_equal(codes, [1, 0, 1])
    names, codes = read_segments(pl.Series(["b", None, "a"]), 3)
    assert [names[k] for k in codes] == ["b", "missing", "a"]


def test_one_period_and_one_segment_for_all_rows():
    keys, codes = read_periods(np.datetime64("2026-03-04"), 3)
    assert keys == ["2026-03-04"]
    assert_array_equal(codes, np.zeros(3))
    names, codes = read_segments(7, 2)
    assert names == ["7"]
    assert_array_equal(codes, np.zeros(2))
    assert read_segments(None, 2)[0] == [None]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        (["b", "a", None, "b"], ["b", "a", "missing", "b"]),
        ([2, 10, 2, 3], ["2", "10", "2", "3"]),
        ([2.0, np.nan, 2.0, 3.0], ["2", "missing", "2", "3"]),
        ([True, False, True, True], ["True", "False", "True", "True"]),
        (pd.Series(list("xyxy"), dtype="category"), list("xyxy")),
        (np.array(list("xyxy")), list("xyxy")),
    ],
)
def test_segments_of_rows(values, shown):
    names, codes = read_segments(values, 4)
    assert [names[k] for k in codes] == shown
    assert len(set(names)) == len(names) == len(set(shown))


def test_wrong_lengths_and_numbers_that_are_no_categories():
    with pytest.raises(ValueError, match=r"period must be one value or an array of shape \(3,\)"):
        read_periods([1, 2], 3)
    with pytest.raises(ValueError, match="segment must be one name or a column of 3 names"):
        read_segments(["a", "b"], 3)
    with pytest.raises(ValueError, match="got 2 columns"):
        read_segments(pd.DataFrame({"a": ["x"], "b": ["y"]}), 1)
    with pytest.raises(ValueError, match=r"got the number 0\.5"):
        read_segments([0.5, 1.0], 2)


def test_segments_that_floating_point_would_round_stay_apart_or_are_refused():
    ids = [2**53, 2**53 + 1, None]
    for values in (ids, np.array(ids[:2]), pd.Series(ids, dtype="Int64")):
        names, codes = read_segments(values, len(values))
        assert [names[code] for code in codes[:2]] == ["9007199254740992", "9007199254740993"]
    with pytest.raises(ValueError, match="segment holds the number 9007199254740992"):
        read_segments(np.array(ids[:2], dtype=float), 2)
