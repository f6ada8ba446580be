"""Read features of every kind: arrays, lists, and tables of pandas, polars and others."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from numbers import Number
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from ..._utils.options import check_names
from ..._utils.types import Names
from ..arrays import check_numeric, is_number, refuse_lazy

_TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)
_MISSING_TYPES = ("NAType", "NaTType")
_MOST_SHOWN = 5
# From here on, float64 does not hold every whole number.
_ROUNDED_FROM = 2.0**53


class FeatureColumn(NamedTuple):
    """One feature as it was passed: a column of numbers or of categories.

    Attributes
    ----------
    numbers : ndarray of shape (n_samples,) or None
        float64 with NaN where the value is missing; None for categories.
    codes : ndarray of shape (n_samples,) or None
        The category of each row as a position in `levels`, -1 where the value is missing; None
        for numbers.
    levels : tuple
        The categories that occur: in the order that the column declares, otherwise sorted.
    whole : ndarray of shape (n_samples,) or None
        The numbers as integers, 0 where the value is missing, if they came as integers and float64
        may round some of them; otherwise None.
    """

    numbers: Any
    codes: Any = None
    levels: tuple = ()
    whole: Any = None

    @property
    def exact(self) -> Any:
        """The numbers, of which no two different ones are equal."""
        return self.numbers if self.whole is None else self.whole

    @property
    def rounded(self) -> Any:
        """Where numbers may be whole ones that floating point has rounded, shape (n_samples,)."""
        return (np.abs(self.numbers) >= _ROUNDED_FROM) & (self.whole is None)

    def refuse_rounded(self, where: str) -> None:
        """Raise if different numbers may have become one in floating point before they came."""
        rounded = self.rounded
        if rounded.any():
            raise ValueError(
                f"{where} holds the number {self.numbers[rounded.argmax()]:.17g} in floating "
                "point, which does not tell whole numbers apart from 2**53 on, so that different "
                "categories may have become one. Read them as integers or as text."
            )


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Features as they were passed, column by column; nothing is encoded yet.

    Attributes
    ----------
    columns : list of FeatureColumn
        The features.
    names : list of str
        Their names; "feature 0", ... if they have none.
    named : bool
        Whether the names came with the data.
    typed : bool
        Whether the columns have types of their own. False for an array of numbers, whose columns
        are all alike.
    argument : str
        What the caller calls the features, for error messages.
    """

    columns: list[FeatureColumn]
    names: list[str]
    named: bool
    typed: bool
    argument: str = "X"

    def __len__(self) -> int:
        """Return the number of rows."""
        column = self.columns[0]
        return len(column.codes if column.numbers is None else column.numbers)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        return len(self), len(self.columns)

    @property
    def own_names(self) -> tuple[str, ...] | None:
        """The names if they came with the data."""
        return tuple(self.names) if self.named else None

    def __getitem__(self, rows: Any) -> FeatureTable:
        """Return some rows, chosen by a slice, a mask or positions."""
        columns = [
            FeatureColumn(
                None if one.numbers is None else one.numbers[rows],
                None if one.codes is None else one.codes[rows],
                one.levels,
                None if one.whole is None else one.whole[rows],
            )
            for one in self.columns
        ]
        return replace(self, columns=columns)

    def select(self, positions: list[int]) -> FeatureTable:
        """Return some of the features."""
        return replace(
            self,
            columns=[self.columns[k] for k in positions],
            names=[self.names[k] for k in positions],
        )

    def renamed(self, names: Names | None) -> FeatureTable:
        """Return the features under other names; None leaves them as they are."""
        if names is None:
            return self
        names = check_names(names, "feature_names")
        if len(names) != len(self.names):
            raise ValueError(
                f"feature_names must have one name for each of the {len(self.names)} features, "
                f"got {len(names)}."
            )
        return replace(self, names=names)


def read_features(X: Any, name: str = "X") -> FeatureTable:
    """Read features of every kind.

    They are an array or nested list of numbers, text, booleans and missing values, or a table or
    column of pandas, polars or another library that narwhals knows. One dimension is one feature.
    It raises if there is no row or column, a number is infinite, or a column holds dates, values of
    different types or values that are neither numbers nor categories. `name` is what the caller
    calls them.
    """
    if isinstance(X, FeatureTable):
        return X
    refuse_lazy(X, name)
    if nw.dependencies.is_pandas_dataframe(X):
        names = [str(one) for one in X.columns]
        X = X.set_axis([str(k) for k in range(X.shape[1])], axis=1)
    else:
        names = None
    native = as_narwhals(X)
    if isinstance(native, nw.DataFrame):
        names = native.columns if names is None else names
        series = [native[one] for one in native.columns]
    elif isinstance(native, nw.Series):
        names, series = [str(native.name or "feature 0")], [native]
    else:
        return _read_array(X, name)
    if not series:
        raise ValueError(f"{name} has no column; at least one feature is needed.")
    if not len(series[0]):
        raise ValueError(f"{name} is empty; at least one row is needed.")
    columns = [
        _read_series(one, f"Column {label!r} of {name}") for one, label in zip(series, names)
    ]
    return FeatureTable(columns, names, named=True, typed=True, argument=name)


def as_narwhals(X: Any) -> Any:
    """Return a table or column as that of narwhals, and anything else as it is."""
    arrow = nw.dependencies.get_pyarrow()
    if arrow is not None and isinstance(X, arrow.Array):
        X = arrow.chunked_array([X])
    return nw.from_native(X, eager_only=True, allow_series=True, pass_through=True)


def _read_series(series, where):
    """Return a `FeatureColumn` from one column of a table."""
    dtype = series.dtype
    if dtype.is_temporal():
        _refuse_times(where, series.drop_nulls().to_list()[:1])
    if dtype.is_integer():
        return _read_integers(series, where)
    if dtype.is_numeric():
        full = series
        if series.null_count():
            full = series.fill_null(0)
            series = series.cast(nw.Float64)
        numbers = np.asarray(series.to_numpy())
        if numbers.dtype == object:  # missing values that the library does not write as NaN
            numbers = _floats(numbers)
        return _number_column(numbers, where, full.to_numpy)
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    if isinstance(dtype, nw.Categorical | nw.Enum):
        native = series.to_native()
        if nw.dependencies.is_pandas_series(native) and not hasattr(native, "cat"):
            # a dictionary of Arrow, whose categories pandas does not show
            series = nw.from_native(native.array.__arrow_array__(), series_only=True)
        declared = series.cat.get_categories().to_list()
        return _category_column(values, where, declared)
    return _read_objects(values, where)


def _read_integers(series, where):
    """Return a `FeatureColumn` from one column of integers of a table."""
    given = series.fill_null(0) if series.null_count() else series
    if series.dtype in (nw.Int128, nw.UInt128):  # NumPy has no such type
        given = np.array(given.to_list(), dtype=object)
    given = np.asarray(given)
    numbers = given.astype(np.float64)
    if series.null_count():
        numbers[series.is_null().to_numpy().astype(bool)] = np.nan
    return _number_column(numbers, where, lambda: given)


def _read_array(X, name):
    """Return the table of an array or list."""
    if isinstance(X, Mapping):
        raise ValueError(
            f"{name} is a {type(X).__name__}; pass a table of its columns, such as "
            f"pandas.DataFrame({name})."
        )
    array = X if hasattr(X, "dtype") else _as_objects(X)
    kind = getattr(getattr(array, "dtype", None), "kind", "")
    if kind == "O" and np.ndim(array) in (1, 2) and np.size(array):
        array = np.asarray(array)
        if all(one is None or _is_plain_number(one) for one in array.flat):
            kind = ""
    if kind in ("O", "U", "S", "T", "b") and np.ndim(array) in (1, 2) and np.size(array):
        if kind == "S":
            raise ValueError(f"{name} holds bytes; decode them to text first.")
        array = np.asarray(array).astype(object)
        array = array[:, np.newaxis] if array.ndim == 1 else array
        columns = [
            _read_objects(array[:, k], f"Column {k} of {name}") for k in range(array.shape[1])
        ]
        return FeatureTable(columns, _numbered(columns), named=False, typed=True, argument=name)
    numbers = check_numeric(X, name, allow_nan=True)
    numbers = numbers[:, np.newaxis] if numbers.ndim == 1 else numbers
    if numbers.shape[1] == 0:
        raise ValueError(f"{name} has no column; at least one feature is needed.")
    columns = [FeatureColumn(column) for column in np.ascontiguousarray(numbers.T)]
    if (np.abs(numbers) >= _ROUNDED_FROM).any() and "float" not in str(getattr(X, "dtype", "")):
        given = np.asarray(array).reshape(numbers.shape)
        columns = [_with_whole(one, given[:, k]) for k, one in enumerate(columns)]
    return FeatureTable(columns, _numbered(columns), named=False, typed=False, argument=name)


def _as_objects(X):
    """Return a list as an object array if it is one of values in one or two dimensions."""
    if not isinstance(X, list | tuple):
        return X
    try:
        return np.asarray(X, dtype=object)
    except ValueError:  # rows of different lengths
        return X


def _is_plain_number(value):
    """Return whether a value is a number and not a boolean."""
    return is_number(value) and not isinstance(value, bool | np.bool_)


def _numbered(columns):
    return [f"feature {k}" for k in range(len(columns))]


def is_missing(value: object) -> bool:
    """Return whether a value stands for a missing one: None, NaN, or NA of pandas."""
    if value is None or type(value).__name__ in _MISSING_TYPES:
        return True
    return is_number(value) and bool(value != value)


def _number_column(numbers, where, given):
    """Return a `FeatureColumn` of numbers, which must not be infinite.

    `given` returns the numbers as they came.
    """
    numbers = numbers.astype(np.float64, copy=False)
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(infinite.argmax())
        raise ValueError(
            f"{where} must be finite; row {row} is {numbers[row]}. Replace infinity by a number, "
            "or by NaN if the value is missing."
        )
    column = FeatureColumn(numbers)
    if (np.abs(numbers) >= _ROUNDED_FROM).any():
        return _with_whole(column, np.asarray(given()))
    return column


def _with_whole(column, given):
    """Return a column of numbers with the integers as which they were given, if float64 rounds."""
    numbers = column.numbers
    if not (np.abs(numbers) >= _ROUNDED_FROM).any() or given.dtype.kind not in "iuO":
        return column
    if given.dtype.kind == "O":
        present = ~np.isnan(numbers)
        whole = np.zeros(numbers.size, dtype=object)
        whole[present] = [int(one) for one in given[present]]
        if (whole[present] != given[present]).any():  # some have decimals
            return column
        given = whole
    return column._replace(whole=given)


def _floats(values):
    """Return objects that are numbers or missing as float64."""
    import pandas as pd

    missing = pd.isna(values)
    numbers = np.full(len(values), np.nan)
    numbers[~missing] = values[~missing]
    return numbers


def _read_objects(values, where):
    """Return a `FeatureColumn` from Python values: all numbers, or all text, or all booleans."""
    kinds: dict[type, str] = {}
    for kind in set(map(type, values.tolist())):
        if kind is type(None) or kind.__name__ in _MISSING_TYPES:
            continue
        if issubclass(kind, complex | np.complexfloating):
            shown = next(one for one in values if type(one) is kind)
            raise ValueError(
                f"{where} holds the complex number {shown}; pass real and imaginary parts as "
                "features of their own."
            )
        if issubclass(kind, _TIMES):
            _refuse_times(where, [one for one in values if isinstance(one, kind)][:1])
        if issubclass(kind, bool | np.bool_):
            kinds[kind] = "booleans"
        elif issubclass(kind, str):
            kinds[kind] = "text"
        elif issubclass(kind, int | float | np.number) or issubclass(kind, Number):
            kinds[kind] = "numbers"
        else:
            shown = next(one for one in values if type(one) is kind)
            raise ValueError(
                f"{where} holds {shown!r} of type {kind.__name__}; a feature holds numbers, text "
                "or booleans."
            )
    names = set(kinds.values())
    if names == {"text", "numbers"} and all(
        is_missing(one) for one in values if not isinstance(one, str)
    ):
        names = {"text"}  # NaN stands for a missing text
    if names == {"booleans", "numbers"} and all(
        is_missing(one) for one in values if not isinstance(one, bool | np.bool_)
    ):
        names = {"booleans"}
    if len(names) > 1:
        found = " and ".join(sorted(names))
        shown = [next(one for one in values if kinds.get(type(one)) == n) for n in sorted(names)]
        raise ValueError(
            f"{where} holds {found}, such as {shown[0]!r} and {shown[-1]!r}; the values of a "
            "feature must have one type. Turn all of them into text, or all into numbers."
        )
    if names == {"numbers"} or not names:
        return _number_column(_floats(values), where, lambda: values)
    return _category_column(values, where)


def _refuse_times(where, shown):
    """Raise for a column of dates, times or durations."""
    raise ValueError(
        f"{where} holds dates or times{f', such as {shown[0]!s}' if shown else ''}, and these have "
        "no distance of their own. Turn them into numbers, such as days since a date, or into "
        "categories, such as the month as text."
    )


def _category_column(values, where, declared=None):
    """Return a `FeatureColumn` of categories: missing values are -1, unused ones are left out."""
    import pandas as pd

    missing = pd.isna(values)
    found, distinct = pd.factorize(values[~missing])
    distinct = [one.item() if isinstance(one, np.generic) else one for one in distinct]
    place: dict[Hashable, int] = {}
    if declared is not None:
        place = {one: k for k, one in enumerate(declared)}
        _refuse_one_name(distinct, where)
    order = sorted(
        range(len(distinct)),
        key=lambda k: (place.get(distinct[k], len(place)), str(distinct[k])),
    )
    rank = np.empty(len(distinct), dtype=np.intp)
    rank[order] = np.arange(len(distinct))
    codes = np.full(len(values), -1, dtype=np.intp)
    codes[~missing] = rank[found]
    return FeatureColumn(None, codes, tuple(distinct[k] for k in order))


def _refuse_one_name(categories, where):
    """Raise if two categories have the same text, which is their name."""
    named: dict[str, Any] = {}
    for one in categories:
        if named.setdefault(str(one), one) is not one:
            raise ValueError(
                f"{where} holds the categories {named[str(one)]!r} and {one!r}, which have one "
                "name. Turn all of them into text, or all into numbers."
            )


def show_values(values: Any) -> str:
    """Return the first of some values as text, for messages."""
    shown = ", ".join(repr(one) for one in list(values)[:_MOST_SHOWN])
    return f"{shown}, ... ({len(values)} values)" if len(values) > _MOST_SHOWN else shown
