"""Segments as keys: text, or the one of the rows whose segment is missing."""

from collections.abc import Iterable
from datetime import date
from enum import Enum
from typing import Any

import numpy as np

from ..._data.arrays import refuse_hidden
from ..._data.features import read_features, word_for_missing
from ..._data.features.table import is_missing
from ..._utils.options import shorten
from .periods import sort_key


class Missing(Enum):
    """The segment of the rows whose segment is missing, which no text is equal to."""

    SEGMENT = None


MISSING = Missing.SEGMENT
Segment = str | Missing


def read_segments(values: Any, n_samples: int) -> tuple[list[Segment | None], np.ndarray]:
    """Return the segments that occur, and the position of the segment of each row.

    `values` is None, one segment, or an array of one per row. Without segments the only one is
    None.
    """
    if values is None:
        return [None], np.zeros(n_samples, dtype=np.intp)
    refuse_hidden(values, "segment")
    if np.ndim(values) == 0:
        return [segment_key(values)], np.zeros(n_samples, dtype=np.intp)
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
    keys = [segment_key(level) for level in levels]
    used, codes = np.unique(codes % len(keys), return_inverse=True)
    return [keys[k] for k in used], codes


def segment_key(value: Any) -> Segment:
    """Return a segment as text, or `MISSING`; a whole number has no decimal point."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is MISSING or is_missing(value):
        return MISSING
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


def segment_order(segment: Segment | None) -> tuple:
    """Return what sorts segments: as text does, and the missing one last."""
    return segment is MISSING, sort_key(None if segment is MISSING else segment)


def name_segments(segments: Iterable[Segment | None]) -> dict[Segment | None, str | None]:
    """Return the name of each segment, and None for None; no two have the same one."""
    segments = list(segments)
    word = word_for_missing(segments)
    return {one: word if one is MISSING else one for one in segments}


def plain_segments(segments: Iterable[Segment]) -> list[str | None]:
    """Return segments as in a list of the user or in a file, with None for the missing one."""
    return [None if one is MISSING else one for one in segments]


def write_segment(segment: Segment | None) -> Any:
    """Return what stands for a segment in a document."""
    return {"missing": True} if segment is MISSING else segment


def read_segment(content: Any) -> Segment | None:
    """Return the segment that `write_segment` wrote."""
    return MISSING if isinstance(content, dict) else content
