"""Periods of any type become keys that sort as people expect."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from sklearn_calib.streaming._monitoring.periods import (
    check_one_kind,
    period_key,
    read_periods,
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


def test_one_period_for_all_rows():
    keys, codes = read_periods(np.datetime64("2026-03-04"), 3)
    assert keys == ["2026-03-04"]
    assert_array_equal(codes, np.zeros(3))


def test_wrong_lengths_are_refused():
    with pytest.raises(ValueError, match=r"period must be one value or an array of shape \(3,\)"):
        read_periods([1, 2], 3)


BERLIN = datetime(2026, 1, 1, 0, 30, tzinfo=ZoneInfo("Europe/Berlin"))


def times_with_a_zone():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    column = pl.Series([BERLIN])
    arrow, frame = column.to_arrow(), pd.Series([BERLIN])
    objects = np.empty(1, dtype=object)
    objects[:] = [BERLIN]
    return {
        "polars": column,
        "polars objects": pl.Series([BERLIN], dtype=pl.Object),
        "arrow": arrow,
        "arrow in chunks": pa.chunked_array([arrow]),
        "arrow dictionary": arrow.dictionary_encode(),
        "pandas": frame,
        "pandas index": pd.DatetimeIndex(frame),
        "pandas categories": frame.astype("category"),
        "pandas of arrow": frame.astype(pd.ArrowDtype(arrow.type)),
        "pandas of an arrow dictionary": pd.Series(
            arrow.dictionary_encode(), dtype=pd.ArrowDtype(arrow.dictionary_encode().type)
        ),
        "objects": objects,
        "list": [BERLIN],
        "one": BERLIN,
    }


def test_times_with_a_zone_are_refused_in_every_type():
    for form, values in times_with_a_zone().items():
        with pytest.raises(ValueError, match="period must have no time zone"):
            pytest.fail(f"{form}: {read_periods(values, 1)}")


def ordered_columns(values, categories):
    """Return a column of an ordered categorical type in every form."""
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame = pd.Categorical(values, categories=categories, ordered=True)
    arrow = pa.DictionaryArray.from_arrays(
        pa.array(frame.codes), pa.array(categories), ordered=True
    )
    return {
        "pandas": frame,
        "pandas series": pd.Series(frame),
        "pandas index": pd.CategoricalIndex(frame),
        "pandas of arrow": pd.Series(arrow, dtype=pd.ArrowDtype(arrow.type)),
        "polars": pl.Series(values, dtype=pl.Enum(categories)),
        "arrow": arrow,
        "arrow in chunks": pa.chunked_array([arrow]),
    }


def test_an_ordered_type_with_another_order_than_its_values_is_refused():
    months = ["Jan", "Feb", "Mar"]
    # One of the months as well: the next batch, or a merge, would have the next one.
    for values in (months, ["Feb"]):
        for form, column in ordered_columns(values, months).items():
            with pytest.raises(ValueError, match=r"'Jan' comes before 'Feb'.*Pass dates or num"):
                pytest.fail(f"{form}: {read_periods(column, len(values))}")
    backwards = pd.Categorical([1, 2], categories=[2, 1], ordered=True)
    with pytest.raises(ValueError, match="2 comes before 1"):
        read_periods(backwards, 2)


def test_an_ordered_type_with_the_order_of_its_values_is_read():
    weeks = ["week 2", "week 9", "week 10"]
    for form, column in ordered_columns(weeks[::-1], weeks).items():
        keys, codes = read_periods(column, 3)
        assert (form, keys, codes.tolist()) == (form, weeks, [2, 1, 0])
    numbers = pd.Categorical([10, 9], categories=[9, 10], ordered=True)
    assert read_periods(numbers, 2)[0] == [9, 10]
    assert read_periods(pd.Categorical(["Jan", "Feb"]), 2)[0] == ["Feb", "Jan"]


def test_booleans_and_unhashable_objects_among_others_are_refused():
    with pytest.raises(ValueError, match="must not be missing or a boolean, got True"):
        read_periods([1, True], 2)
    with pytest.raises(ValueError, match="must not be of type dict"):
        read_periods([{}, 1], 2)
    pl = pytest.importorskip("polars")
    with pytest.raises(ValueError, match="period is of type LazyFrame"):
        read_periods(pl.LazyFrame({"a": [1]}), 1)
