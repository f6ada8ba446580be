"""Columns of every type of pandas, Polars and PyArrow count as the plain values that they hold."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib import BetaCalibrator, calibration_by_group, ece, klce
from sklearn_calib._data.features.table import read_features

RNG = np.random.default_rng(0)
N = 60
P = RNG.random(N).round(3)
Y = (RNG.random(N) < P).astype(int)
WORDS = np.where(Y == 1, "yes", "no")
X = RNG.integers(5, size=N)
WEIGHT = RNG.integers(1, 4, size=N)
CITY = RNG.choice(["north", "south"], size=N)


def _pandas(dtype):
    return lambda values: pd.Series(values).astype(dtype)


def _arrow_of_pandas(dtype):
    def make(values):
        arrow = pytest.importorskip("pyarrow")
        # pandas does not turn float64 into decimals by itself
        through = pd.Series(values).astype(pd.ArrowDtype(arrow.array(values.tolist()).type))
        kinds = {"decimal": arrow.decimal128(20, 10), "large_string": arrow.large_string()}
        return through.astype(pd.ArrowDtype(kinds[dtype])) if dtype else through

    return make


def _dictionary_of_pandas(values):
    arrow = pytest.importorskip("pyarrow")
    return pd.Series(pd.arrays.ArrowExtensionArray(_in_order(arrow, values)))


def _in_order(arrow, values):
    """Return a dictionary whose categories stand in the order of the alphabet."""
    levels, codes = np.unique(values, return_inverse=True)
    return arrow.DictionaryArray.from_arrays(arrow.array(codes), arrow.array(levels.tolist()))


def _arrow(make):
    return lambda values: make(pytest.importorskip("pyarrow"), values)


def _polars(make):
    return lambda values: make(pytest.importorskip("polars"), values)


ARROW = {
    "PyArrow": _arrow(lambda arrow, values: arrow.array(values.tolist())),
    "PyArrow, two chunks": _arrow(
        lambda arrow, values: arrow.chunked_array([values[:7].tolist(), values[7:].tolist()])
    ),
}
POLARS = {"Polars": _polars(lambda polars, values: polars.Series(values.tolist()))}
FLOATS = {
    "object": _pandas(object),
    "Float64": _pandas("Float64"),
    "double[pyarrow]": _arrow_of_pandas(None),
    "decimal[pyarrow]": _arrow_of_pandas("decimal"),
    **ARROW,
    **POLARS,
}
INTEGERS = {
    "object": _pandas(object),
    "Int64": _pandas("Int64"),
    "UInt8": _pandas("UInt8"),
    "category": _pandas("category"),
    "category of Int64": lambda values: _pandas("Int64")(values).astype("category"),
    "int64[pyarrow]": _arrow_of_pandas(None),
    "PyArrow, dictionary": _arrow(_in_order),
    **ARROW,
    **POLARS,
}
BOOLEANS = {
    "boolean": _pandas("boolean"),
    "bool[pyarrow]": _arrow_of_pandas(None),
    **ARROW,
    **POLARS,
}
TEXT = {
    "object": _pandas(object),
    "str": _pandas(str),
    "string": _pandas("string"),
    "string[python]": _pandas("string[python]"),
    "category": _pandas("category"),
    "category of string": lambda values: _pandas("string")(values).astype("category"),
    "string[pyarrow]": _arrow_of_pandas(None),
    "large_string[pyarrow]": _arrow_of_pandas("large_string"),
    "dictionary[pyarrow]": _dictionary_of_pandas,
    "PyArrow, dictionary": _arrow(_in_order),
    "Polars, enumeration": _polars(
        lambda polars, values: polars.Series(
            values.tolist(), dtype=polars.Enum(np.unique(values).tolist())
        )
    ),
    **ARROW,
    **POLARS,
}


def _each(kinds):
    return pytest.mark.parametrize("make", kinds.values(), ids=kinds)


def _table(columns):
    """Return a table of columns, in the library that they come from."""
    first = next(iter(columns.values()))
    if isinstance(first, pd.Series):
        return pd.DataFrame(columns)
    library = type(first).__module__.split(".")[0]
    if library == "polars":
        return pytest.importorskip("polars").DataFrame(columns)
    return pytest.importorskip("pyarrow").table(columns)


@_each(FLOATS)
def test_columns_of_floats(make):
    assert ece(Y, make(P)) == pytest.approx(ece(Y, P), rel=1e-12)
    assert ece(Y, _table({"a": make(1 - P), "b": make(P)})) == pytest.approx(ece(Y, P), rel=1e-12)
    weighted = ece(Y, P, sample_weight=WEIGHT)
    assert ece(Y, P, sample_weight=make(WEIGHT * 0.5)) == pytest.approx(weighted, rel=1e-12)
    for features in (make(X / 2), _table({"x": make(X / 2)})):
        assert_array_equal(read_features(features).columns[0].numbers, X / 2)
    expected = BetaCalibrator().fit(P, Y).predict_proba(P)
    found = BetaCalibrator().fit(make(P), Y).predict_proba(make(P))
    assert_allclose(found, expected, rtol=1e-9)


@_each(INTEGERS)
def test_labels_and_weights_of_integers(make):
    assert ece(make(Y), P) == ece(Y, P)
    expected = BetaCalibrator().fit(P, Y, WEIGHT).predict_proba(P)
    calibrator = BetaCalibrator().fit(P, make(Y), make(WEIGHT))
    assert_array_equal(calibrator.predict_proba(P), expected)
    assert calibrator.classes_.tolist() == [0, 1]


@_each(BOOLEANS)
def test_labels_of_booleans(make):
    assert ece(make(Y == 1), P) == ece(Y, P)
    calibrator = BetaCalibrator().fit(P, make(Y == 1))
    assert calibrator.classes_.tolist() == [False, True]


@_each(TEXT)
def test_labels_of_text(make):
    assert ece(make(WORDS), P, pos_label="yes") == ece(Y, P)
    calibrator = BetaCalibrator().fit(P, make(WORDS))
    assert calibrator.classes_.tolist() == ["no", "yes"]
    assert_array_equal(calibrator.predict(P) == "yes", BetaCalibrator().fit(P, Y).predict(P) == 1)


@_each(TEXT)
def test_groups_and_features_of_text(make):
    options = {"n_resamples": 19, "random_state": 0}
    expected = calibration_by_group(Y, P, CITY, **options).to_frame()
    for groups in (make(CITY), _table({"group": make(CITY)})):
        found = calibration_by_group(Y, P, groups, **options).to_frame()
        assert found["category"].tolist() == ["north", "south"]
        assert found["n"].tolist() == [np.sum(CITY == "north"), np.sum(CITY == "south")]
        assert found["error"].tolist() == expected["error"].tolist()
    plain = klce(Y, P, pd.DataFrame({"city": CITY}))
    assert klce(Y, P, _table({"city": make(CITY)})) == pytest.approx(plain, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "values", "dtype"),
    [
        ("y_true", [0, None, 1], "Int64"),
        ("y_true", [False, None, True], "boolean"),
        ("y_true", ["no", None, "yes"], "string"),
        ("y_true", ["no", None, "yes"], "category"),
        ("y_proba", [0.2, None, 0.7], "Float64"),
        ("sample_weight", [1, None, 2], "UInt8"),
    ],
)
@pytest.mark.parametrize("library", ["pandas", "pandas of PyArrow", "PyArrow", "Polars"])
def test_a_missing_value_is_refused_by_the_name_of_its_argument(name, values, dtype, library):
    if library == "pandas":
        column = pd.Series(values, dtype=dtype)
    elif library == "Polars":
        column = pytest.importorskip("polars").Series(values)
    else:
        column = pytest.importorskip("pyarrow").array(values)
        column = pd.Series(pd.arrays.ArrowExtensionArray(column)) if " " in library else column
    data = {"y_true": [0, 1, 1], "y_proba": [0.2, 0.6, 0.7], name: column}
    with pytest.raises(ValueError, match=name):
        ece(**data, pos_label="yes" if isinstance(values[0], str) else None)


@pytest.mark.parametrize(
    ("values", "dtype"), [([0, None, 1], "Int64"), ([0.2, None, 1], "Float64")]
)
def test_an_array_of_pandas_is_no_masked_array_of_numpy(values, dtype):
    array = pd.array(values, dtype=dtype)
    for data in (
        {"y_true": array, "y_proba": [0.2, 0.6, 0.7]},
        {"y_true": [0, 1, 1], "y_proba": array},
    ):
        with pytest.raises(ValueError, match=r"^y_(true|proba) must be .*(NaN|missing)"):
            ece(**data, labels=[0, 1])


@_each(TEXT)
def test_a_missing_category_stays_missing(make):
    column = make(CITY)
    if isinstance(column, pd.Series):
        column = column.copy()
        column.iloc[3] = None
    else:
        library = type(column).__module__.split(".")[0]
        values = [*CITY[:3].tolist(), None, *CITY[4:].tolist()]
        column = (
            pytest.importorskip(library).array(values)
            if library == "pyarrow"
            else (pytest.importorskip(library).Series(values, dtype=column.dtype))
        )
    found = read_features(_table({"city": column})).columns[0]
    assert found.levels == ("north", "south")
    assert np.flatnonzero(found.codes < 0).tolist() == [3]
