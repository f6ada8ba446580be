"""Features of every kind are read from arrays, lists and tables."""

import datetime

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from sklearn_calib._data.features import read_features

polars = pytest.importorskip("polars")


def contents(table):
    """Return each column as its numbers or its text, None where missing."""
    columns = []
    for column in table.columns:
        if column.numbers is None:
            columns.append([None if c < 0 else column.levels[c] for c in column.codes])
        else:
            columns.append([None if np.isnan(v) else float(v) for v in column.numbers])
    return columns


ROWS = {"age": [30.5, None, 50.0], "sex": ["F", "M", None], "smokes": [True, None, False]}
WANTED = list(ROWS.values())


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS).astype({"age": "Float64", "sex": "category", "smokes": "boolean"}),
        pd.DataFrame(ROWS).astype({"sex": "string", "smokes": "object"}),
        polars.DataFrame(ROWS),
        polars.DataFrame(ROWS).with_columns(polars.col("sex").cast(polars.Categorical)),
        polars.DataFrame(ROWS).with_columns(polars.col("sex").cast(polars.Enum(["M", "F"]))),
        pd.DataFrame(ROWS).to_numpy(),
        [list(row) for row in zip(*ROWS.values())],
    ],
    ids=["pandas", "extension", "objects", "polars", "categorical", "enum", "array", "list"],
)
def test_every_container_gives_the_same_columns(X):
    table = read_features(X)
    assert contents(table) == WANTED
    assert table.shape == (3, 3)
    assert table.typed
    assert table.named == hasattr(X, "columns")
    if table.named:
        assert table.names == list(ROWS)


@pytest.mark.parametrize(
    "X",
    [
        np.array([[True, False], [False, False]]),
        np.array([[True, False], [False, False]], dtype=object),
        [[True, False], [False, False]],
        pd.DataFrame([[True, False], [False, False]]),
    ],
    ids=["array", "objects", "list", "pandas"],
)
def test_booleans_are_categories_in_every_container(X):
    """A kernel that takes False and True as 0 and 1 would average the two groups."""
    table = read_features(X)
    assert [column.numbers for column in table.columns] == [None, None]
    assert contents(table) == [[True, False], [False, False]]


def test_booleans_beside_numbers_in_an_array_of_objects():
    X = np.array([[True, 1.5], [False, 2.5], [None, 3.5]], dtype=object)
    table = read_features(X)
    assert contents(table) == [[True, False, None], [1.5, 2.5, 3.5]]
    assert table.columns[0].numbers is None


def test_an_array_of_numbers_stays_as_it_is():
    X = np.array([[0.0, 1.5], [1.0, np.nan]])
    table = read_features(X)
    assert not table.typed
    assert table.names == ["feature 0", "feature 1"]
    np.testing.assert_array_equal(np.column_stack([one.numbers for one in table.columns]), X)


@pytest.mark.parametrize(
    ("X", "wanted"),
    [
        (["a", "b"], ["a", "b"]),
        ([1, 2], [1.0, 2.0]),
        (pd.Series(["a", "b"]), ["a", "b"]),
        (polars.Series([1, None]), [1.0, None]),
        (np.array(["x", "y"]), ["x", "y"]),
    ],
)
def test_one_dimension_is_one_feature(X, wanted):
    assert contents(read_features(X)) == [wanted]


def test_declared_categories_keep_their_order():
    column = pd.Categorical(["low", "high"], categories=["low", "middle", "high"], ordered=True)
    assert read_features(pd.DataFrame({"dose": column})).columns[0].levels == ("low", "high")


def test_names_may_be_numbers_or_the_same_twice():
    assert read_features(pd.DataFrame([[1, 2]], columns=[0, 1])).names == ["0", "1"]
    table = read_features(pd.DataFrame([[1, 2.5]], columns=["a", "a"]))
    assert (table.names, contents(table)) == (["a", "a"], [[1.0], [2.5]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame({"x": [1.0, np.inf]}), "Column 'x' of X must be finite; row 1 is inf"),
        (np.array([[1.0], [np.inf]]), "X must be finite; row 1, column 0 is inf"),
        ([["a"], [2]], "Column 0 of X holds numbers and text, such as 2 and 'a'"),
        ([[True], ["yes"]], "holds booleans and text, such as True and 'yes'"),
        (pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])}), "Column 't' of X holds dates"),
        (pd.DataFrame({"t": pd.to_timedelta([1, 2])}), "Column 't' of X holds dates or times"),
        (pd.DataFrame({"t": pd.period_range("2020", periods=2)}), "Column 't' of X holds"),
        (polars.DataFrame({"t": [datetime.date(2020, 1, 1)]}), "such as 2020-01-01"),
        ([[datetime.date(2020, 1, 1)], [None]], "Column 0 of X holds dates or times"),
        (np.array(["2020"], dtype="M8[D]"), "X must be numeric, got an array of dtype datetime64"),
        (np.array(["2020"], dtype="M8[D]"), "Turn dates into numbers, such as days"),
        (csr_array(np.eye(3)), "dense data is required"),
        ({"sex": ["F"] * 100}, r"X is a dict; pass .* such as pandas.DataFrame\(X\)\.$"),
        ([[b"a"]], r"holds b'a' of type bytes; a feature holds numbers, text or booleans"),
        (pd.DataFrame({"x": [[1], [2]]}), r"holds \[1\] of type list"),
        (pd.DataFrame(index=[0, 1]), "X has no column"),
        (pd.DataFrame({"x": []}), "X is empty"),
        (np.empty((0, 2)), "X is empty"),
        (np.array([[1 + 2j]]), "Complex data not supported"),
        (np.ma.masked_array([1.0, 2.0], mask=[0, 1]), "1 masked value"),
        (polars.DataFrame({"x": [1]}).lazy(), "type LazyFrame"),
    ],
)
def test_what_is_no_feature_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        read_features(X)
