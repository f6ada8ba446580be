"""Columns of any kind become categories by the documented rules."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_calib._data.group_columns import (
    group_columns,
    natural_key,
    plain_categories,
    read_groups,
)

NAN = float("nan")


def read(groups, n_quantiles=4):
    """Return (name, category of each row) of each column."""
    columns = group_columns(read_groups(groups), n_quantiles)
    return [(one.name, [one.labels[code] for code in one.codes]) for one in columns]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["b", None, "a", NAN], ["b", "missing", "a", "missing"]),
        (np.array(["b", "a"]), ["b", "a"]),
        ([True, None, False], ["True", "missing", "False"]),
        ([1.0, 2.5, NAN], ["1", "2.5", "missing"]),
        ([Decimal("1.5"), 2], ["1.5", "2"]),
        ([None, None], ["missing", "missing"]),
        (["missing", None], ["missing", "missing value"]),
        (np.array(["a", "nan"]), ["a", "nan"]),  # text is text
        (pd.Series(["x", None, "y"], dtype="category"), ["x", "missing", "y"]),
        (pd.Series(["x", None, "y"], dtype="string"), ["x", "missing", "y"]),
        (pd.Series([1, None, 2], dtype="Int64"), ["1", "missing", "2"]),
        (pd.Series([True, None, False], dtype="boolean"), ["True", "missing", "False"]),
        (pl.Series(["x", None, "y"]), ["x", "missing", "y"]),
        (pl.Series([1, None, 2]), ["1", "missing", "2"]),
        (pl.Series([True, None, False]), ["True", "missing", "False"]),
        (pl.Series(["x", None], dtype=pl.Categorical), ["x", "missing"]),
    ],
    ids=repr,
)
def test_categories_of_one_column(values, expected):
    ((_, found),) = read(values)
    assert found == expected
    ((name, found),) = read({"a name": values})
    assert (name, found) == ("a name", expected)


def test_numbers_with_many_values_are_cut_at_quantiles_that_keep_ties_together():
    ((_, found),) = read(np.arange(20))
    assert found[::5] == ["0 to 4", "5 to 9", "10 to 14", "15 to 19"]
    assert found[4::5] == found[::5]
    ((_, tied),) = read(np.r_[np.zeros(50), np.arange(20)])
    assert set(tied) == {"0", "1 to 2", "3 to 19"}
    ((_, close),) = read(1.0 + np.arange(12) / 1e6, n_quantiles=2)
    assert set(close) == {"1 to 1.000005", "1.000006 to 1.000011"}


IDS = [2**53, 2**53 + 1]
FORMS_OF_IDS = [
    IDS,
    [*IDS, None],
    [Decimal(one) for one in IDS],
    np.array(IDS),
    np.array(IDS)[:, np.newaxis],
    np.array(IDS, dtype=np.uint64),
    np.array(IDS, dtype=object),
    pd.Series(IDS),
    pd.Series([*IDS, None], dtype="Int64"),
    pd.Series([*IDS, None], dtype="UInt64"),
    pd.Series([*IDS, None], dtype="int64[pyarrow]"),
    pd.DataFrame({"id": IDS}),
    pl.Series([*IDS, None]),
    *([pl.Series(IDS, dtype=pl.Int128)] if hasattr(pl, "Int128") else []),  # newer than the oldest
    pl.Series([*map(Decimal, IDS), None]),
    pa.array([*IDS, None]),
    pa.table({"id": IDS}),
]


@pytest.mark.parametrize(
    "values", FORMS_OF_IDS, ids=lambda one: f"{type(one).__module__}.{type(one).__name__}"
)
def test_identifiers_that_differ_by_less_than_floating_point_resolves_stay_apart(values):
    (column,) = group_columns(read_groups(values), 4)
    assert column.labels[:2] == ["9007199254740992", "9007199254740993"]
    assert column.codes[:2].tolist() == [0, 1]
    codes, labels = plain_categories("id", read_groups(values).columns[0])
    assert [labels[code] for code in codes[:2]] == column.labels[:2]
    assert column.labels[2:] == ["missing"] * (len(codes) - 2)


def test_large_whole_numbers_beyond_those_of_any_type_stay_apart():
    assert set(read([2**64 - 1, 2**64 - 2])[0][1]) == {str(2**64 - 1), str(2**64 - 2)}
    assert set(read([2**70 + 1, -(2**70), 3])[0][1]) == {str(2**70 + 1), str(-(2**70)), "3"}


def test_many_large_whole_numbers_are_cut_where_floating_point_sees_one():
    ((_, found),) = read(2**60 + np.arange(12), n_quantiles=2)
    low, high = f"{2**60} to {2**60 + 5}", f"{2**60 + 6} to {2**60 + 11}"
    assert found == [low] * 6 + [high] * 6


def test_large_whole_numbers_in_floating_point_are_refused_as_categories():
    for values in (np.array(IDS, dtype=float), pd.Series([*IDS, None])):
        with pytest.raises(ValueError, match="'group' of groups holds the number 9007199254740992"):
            read({"group": values})
        with pytest.raises(ValueError, match="as integers or as text"):
            plain_categories("group", read_groups(values).columns[0])
    assert read([float(2**53 - 1)])[0][1] == ["9007199254740991"]


def test_ten_values_are_categories_and_eleven_are_cut():
    assert len(set(read(np.arange(10))[0][1])) == 10
    assert len(set(read(np.arange(11), n_quantiles=3)[0][1])) == 3


def test_unused_categories_are_left_out_and_declared_order_is_kept():
    values = pd.Categorical(["old", "young"], categories=["young", "middle", "old"])
    (column,) = group_columns(read_groups(pd.Series(values)), 4)
    assert column.labels == ["young", "old"]
    assert column.codes.tolist() == [1, 0]


def test_only_rows_that_count_make_categories_and_quantiles():
    table = read_groups({"site": list("abcab") * 20, "dose": np.arange(100)})[np.arange(2)]
    site, dose = group_columns(table, 4)
    assert site.labels == ["a", "b"]
    assert dose.labels == ["0", "1"]


def test_names_of_columns():
    frame = {"sex": ["f", "m"], "site": [1, 2]}
    assert [name for name, _ in read(frame)] == ["sex", "site"]
    assert read(pd.DataFrame(frame, index=[7, 7])) == read(frame)
    assert read(pl.DataFrame(frame)) == read(frame)
    assert read(pd.Series([1, 2], name="dose"))[0][0] == "dose"
    assert read([1, 2])[0][0] == "group"
    assert [name for name, _ in read(np.array([[1, 2], [3, 4]]))] == ["feature 0", "feature 1"]
    assert len(read_groups(frame)) == len(read_groups(pl.DataFrame(frame))) == 2


def test_yes_and_no_are_noticed():
    columns = read_groups({"a": [0, 1], "b": [True, False], "c": [1, 2]})
    assert [one.says_no for one in group_columns(columns, 4)] == [True, True, False]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([date(2020, 1, 1), None], "dates or times"),
        (pd.Series(pd.date_range("2020", periods=2), name="when"), "Column 'when' of groups"),
        (pl.Series([date(2020, 1, 1)]), "dates or times"),
        ([1, "a", 2.5, None], "numbers and text"),
        ("abc", "must be a DataFrame, a Series, an array or a dict"),
        (None, "must be a DataFrame, a Series, an array or a dict"),
        (3, "must be a DataFrame, a Series, an array or a dict"),
        (pd.DataFrame(), "no column"),
        ({}, "no column"),
        (np.zeros((2, 2, 2)), "one or two dimensions"),
        ({"a": [[1, 2]]}, "must be one column"),
        ({"a": [1, 2], "b": [1]}, "one length"),
        ([1.0, np.inf], "finite"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "called 'a'"),
        (np.ma.array([1, 2], mask=[False, True]), "masked"),
        ({"a": np.ma.array([1, 2], mask=[False, True])}, "masked"),
    ],
    ids=repr,
)
def test_what_forms_no_groups_is_refused(groups, message):
    with pytest.raises(ValueError, match=message):
        read(groups)


def test_whole_numbers_come_by_size_and_what_only_looks_like_one_by_letters():
    labels = ["b", "10", None, "²", "9", "--5", "-3", "a"]
    assert sorted(labels, key=natural_key) == ["-3", "9", "10", "--5", "a", "b", "²", None]


def test_two_columns_or_categories_of_one_name_are_refused():
    """The second column took the place of the first, and one category that of the other."""
    with pytest.raises(ValueError, match="Several columns of groups are called '1'"):
        read_groups({1: [0, 1], "1": [1, 1]})
    mixed = pd.DataFrame({"a": pd.Series([1, "1"], dtype="category")})
    with pytest.raises(ValueError, match="'a' of groups holds the categories 1 and '1', which"):
        read_groups(mixed)


def test_only_a_column_of_yes_and_no_says_no():
    for values, expected in (
        ([True, False], True),
        ([1, 0], True),
        ([1, 2], False),
        (["no", "yes"], False),
        (pd.Series([False, "a"], dtype="category"), False),
    ):
        (column,) = group_columns(read_groups(values), 4)
        assert column.says_no is expected
