"""Periods and segments as keys: values that are sorted, compared and written to a file."""

import re
from datetime import date, datetime
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..._data.arrays import refuse_hidden
from ..._data.features.table import is_missing, read_features
from ..._utils.options import shorten

Period = int | float | str
_ADVICE = "Pass dates, numbers or text, as one value or one per row."


def read_periods(values: Any, n_samples: int) -> tuple[list[Period], np.ndarray]:
    """Return the distinct periods in order, and the position of the period of each row.

    `values` is one period, or an array of one per row.
    """
    if np.ndim(values) == 0:
        return [period_key(values)], np.zeros(n_samples, dtype=np.intp)
    refuse_hidden(values, "period")
    array = np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)
    if array.shape != (n_samples,):
        raise ValueError(
            f"period must be one value or an array of shape ({n_samples},), one per row of y_true, "
            f"got shape {array.shape}."
        )
    if array.dtype.kind == "O":
        places = {value: place for place, value in enumerate(dict.fromkeys(array.tolist()))}
        found = [*places]
        codes = np.fromiter((places[value] for value in array.tolist()), np.intp, n_samples)
    else:
        distinct, codes = np.unique(array, return_inverse=True)
        found = list(distinct)
    keys = [period_key(value) for value in found]
    check_one_kind(keys)
    ordered = sorted(set(keys), key=sort_key)
    rank = {key: place for place, key in enumerate(ordered)}
    return ordered, np.array([rank[key] for key in keys])[codes]


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
        raise ValueError(
            f"period must have no time zone, got {value!r}. Choose one for all rows, and drop it "
            "with tz_localize(None) or replace(tzinfo=None)."
        )
    text = value.isoformat()
    return text.removesuffix("T00:00:00")


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
    """Return what sorts periods and segments: numbers by size, and so the digits within text."""
    if not isinstance(value, str):
        return () if value is None else (value,)
    parts = re.split(r"(\d+)", value)
    parts[1::2] = map(int, parts[1::2])
    return parts, value


def read_segments(values: Any, n_samples: int) -> tuple[list[str | None], np.ndarray]:
    """Return the names of the segments that occur, and the position of the segment of each row.

    `values` is None, one name, or an array of one per row; a missing value is the segment
    "missing".
    """
    if values is None:
        return [None], np.zeros(n_samples, dtype=np.intp)
    if np.ndim(values) == 0:
        return [segment_name(values)], np.zeros(n_samples, dtype=np.intp)
    refuse_hidden(values, "segment")
    table = read_features(values, "segment")
    if table.shape != (n_samples, 1):
        raise ValueError(
            f"segment must be one name or a column of {n_samples} names, one per row of y_true, "
            f"got {table.shape[1]} columns of {table.shape[0]} rows. Join the names of several "
            "columns to one text."
        )
    (column,) = table.columns
    if column.numbers is None:
        levels, codes = [*column.levels, None], column.codes
    else:
        column.refuse_rounded("segment")
        missing = np.isnan(column.numbers)
        codes = np.full(n_samples, -1)
        distinct, codes[~missing] = np.unique(column.exact[~missing], return_inverse=True)
        levels = [*distinct, None]
    names = [segment_name(level) for level in levels]
    used, codes = np.unique(codes % len(names), return_inverse=True)
    return [names[k] for k in used], codes


def segment_name(value: Any) -> str:
    """Return the name of a segment as text; a whole number has no decimal point."""
    if isinstance(value, np.generic):
        value = value.item()
    if is_missing(value):
        return "missing"
    if not isinstance(value, str | int | float | date):
        raise ValueError(
            f"segment must be text, a number or an array of these, got {shorten(value)}."
        )
    if isinstance(value, float):
        if not value.is_integer():
            raise ValueError(
                f"segment must hold categories, got the number {value!r}. Cut numbers at fixed "
                "edges first, for example with pandas.cut."
            )
        value = int(value)
    return str(value)
