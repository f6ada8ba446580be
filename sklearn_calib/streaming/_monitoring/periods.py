"""Periods as keys: values that are sorted, compared and written to a file."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from ..._data.arrays import refuse_hidden
from ..._data.features.table import as_narwhals, is_missing

Period = int | float | str
_ADVICE = "Pass dates, numbers or text, as one value or one per row."


def read_periods(values: Any, n_samples: int) -> tuple[list[Period], np.ndarray]:
    """Return the distinct periods in order, and the position of the period of each row.

    `values` is one period, or an array of one per row.
    """
    refuse_hidden(values, "period")
    if np.ndim(values) == 0:
        return [period_key(values)], np.zeros(n_samples, dtype=np.intp)
    _check_type(values)
    array = np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)
    if array.shape != (n_samples,):
        raise ValueError(
            f"period must be one value or an array of shape ({n_samples},), one per row of y_true, "
            f"got shape {array.shape}."
        )
    if array.dtype.kind == "O":
        found, codes = _distinct(array.tolist())
    else:
        distinct, codes = np.unique(array, return_inverse=True)
        found = list(distinct)
    keys = [period_key(value) for value in found]
    check_one_kind(keys)
    ordered = sorted(set(keys), key=sort_key)
    rank = {key: place for place, key in enumerate(ordered)}
    return ordered, np.array([rank[key] for key in keys])[codes]


def _distinct(values):
    """Return the distinct ones of some objects, and the position of each object among them."""
    for kind in set(map(type, values)):
        if kind.__hash__ is None or issubclass(kind, bool | np.bool_):  # True is equal to 1
            period_key(next(one for one in values if type(one) is kind))
    places = {value: place for place, value in enumerate(dict.fromkeys(values))}
    return [*places], np.fromiter((places[one] for one in values), np.intp, len(values))


def _check_type(values):
    """Raise if a column has a time zone, or declares another order than that of its values."""
    dtype: Any = getattr(values, "dtype", None)
    if hasattr(dtype, "pyarrow_dtype"):
        values = getattr(values, "array", values).__arrow_array__()
    column = as_narwhals(values)
    if isinstance(column, nw.Series):
        if isinstance(column.dtype, nw.Datetime) and column.dtype.time_zone is not None:
            _refuse_zone(f"times of {column.dtype.time_zone}")
        native = column.to_native()
        if nw.dependencies.is_pyarrow_chunked_array(native):
            _check_arrow(native)
        elif isinstance(column.dtype, nw.Enum):
            _check_order(column.cat.get_categories().to_list())
    elif getattr(dtype, "ordered", False):  # a column of categories that is no Series
        _check_order(dtype.categories.tolist())


def _check_arrow(column):
    """Raise as `_check_type` for a dictionary of Arrow, which is its type for categories."""
    for chunk in column.chunks:
        if hasattr(chunk, "dictionary"):
            _check_type(chunk.dictionary)
            if chunk.type.ordered:
                _check_order(chunk.dictionary.to_pylist())


def _check_order(categories: Sequence[Any]) -> None:
    """Raise if periods do not have the order in which a type declares its categories."""
    keys = [period_key(one) for one in categories]
    check_one_kind(keys)
    for before, after in pairwise(keys):
        if sort_key(after) < sort_key(before):
            raise ValueError(
                f"period has the type of an ordered categorical, in which {before!r} comes before "
                f"{after!r}, but periods are ordered by what they are, text by letters, since the "
                "order has to hold in later updates and merges, too. Pass dates or numbers, such "
                "as the number of each category."
            )


def period_key(value: Any) -> Period:
    """Return a period as a number, or as text; dates are text in the ISO format."""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]")  # None if it is missing
    if isinstance(value, np.generic):
        value = value.item()
    if is_missing(value) or isinstance(value, bool) or value == "":
        raise ValueError(f"period must not be missing or a boolean, got {value!r}. {_ADVICE}")
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        if not np.isfinite(number):
            raise ValueError(f"period must be finite, got {value!r}. {_ADVICE}")
        return int(number) if number.is_integer() else number
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime):
        return _of_moment(value)
    if isinstance(value, date) or type(value).__name__ == "Period":  # that of pandas
        return str(value)
    raise ValueError(f"period must not be of type {type(value).__name__}. {_ADVICE}")


def _of_moment(value):
    """Return a date with a time as text; midnight is the date alone."""
    if value.tzinfo is not None:
        _refuse_zone(repr(value))
    text = value.isoformat()
    return text.removesuffix("T00:00:00")


def _refuse_zone(shown):
    """Raise for times with a zone."""
    raise ValueError(
        f"period must have no time zone, got {shown}. Choose one for all rows, and drop it with "
        "tz_localize(None), replace(tzinfo=None) or, in polars, dt.replace_time_zone(None)."
    )


def check_one_kind(keys: list[Period]) -> None:
    """Raise if some periods are text and others numbers, which have no order."""
    text = [key for key in keys if isinstance(key, str)]
    numbers = [key for key in keys if not isinstance(key, str)]
    if text and numbers:
        raise ValueError(
            f"period must be text or dates everywhere, or numbers everywhere, got {text[0]!r} and "
            f"{numbers[0]!r}."
        )


def sort_key(value: Period | None) -> tuple:
    """Return what sorts periods and text: numbers by size, and so the digits within text."""
    if not isinstance(value, str):
        return () if value is None else (value,)
    parts = re.split(r"(\d+)", value)
    parts[1::2] = map(int, parts[1::2])
    return parts, value
