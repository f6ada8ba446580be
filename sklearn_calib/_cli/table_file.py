"""Read the predictions of a report from a CSV or Parquet file, with plain error messages."""

import bz2
import csv
import gzip
import lzma
import warnings
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._data.predictions import ROW_SUM_TOLERANCE

_MISSING = ("", "nan", "NaN", "NAN")
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_PARQUET = (".parquet", ".pq")
# Compressed files in which lines can be counted; pandas reads a zip archive of one file as well.
_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


class TableError(ValueError):
    """A fault of the file that its owner can correct, described in one line."""


class Table(NamedTuple):
    """The columns of a report.

    Attributes
    ----------
    y_true : ndarray of shape (n_samples,)
        Labels.
    y_proba : ndarray of shape (n_samples, n_columns)
        Probabilities.
    features : ndarray of shape (n_samples, n_features) or None
        Features.
    weight : ndarray of shape (n_samples,) or None
        Weights.
    """

    y_true: np.ndarray
    y_proba: np.ndarray
    features: np.ndarray | None
    weight: np.ndarray | None


def read_table(path, y_true, y_proba, features, weight):
    """Read and check the named columns of a file.

    Parameters
    ----------
    path : str
        A ``.csv`` or ``.tsv`` (also compressed) or ``.parquet`` file.
    y_true : str
        Column of the labels.
    y_proba, features : list of str
        Columns of the probabilities and of the features.
    weight : str or None
        Column of the weights.

    Returns
    -------
    table : Table

    Raises
    ------
    TableError
        With the file, the column and the line, or the row where a file has no lines.
    """
    for option, names in (("--y-proba", y_proba), ("--features", features)):
        for name in names:
            if names.count(name) > 1:
                raise TableError(f"{option}: column {name!r} is named twice")
    frame = _read(path, [y_true, *y_proba, *features, *([weight] if weight else [])])
    if len(frame) < 2:
        found = "one row" if len(frame) else "no rows"
        raise TableError(f"{path}: {found} below the header; a report needs at least two")
    labels = frame[y_true]
    if labels.isna().any():
        raise TableError(f"{_cell(path, labels)} is empty; every row needs a label")
    proba = np.column_stack([_numbers(path, frame[name]) for name in y_proba])
    outside = (proba < 0) | (proba > 1)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise TableError(
            f"{_place(path, row)}, column {y_proba[column]!r} is {proba[row, column]:.6g}, which "
            "is not a probability between 0 and 1"
        )
    sums = proba.sum(axis=1)
    off = np.abs(sums - 1.0) > ROW_SUM_TOLERANCE
    if len(y_proba) > 1 and off.any():
        row = int(off.argmax())
        raise TableError(
            f"{_place(path, row)}, columns {', '.join(map(repr, y_proba))} sum to "
            f"{sums[row]:.6g} instead of 1"
        )
    weights = None
    if weight:
        weights = _numbers(path, frame[weight])
        if weights.min() < 0:
            row = int(weights.argmin())
            raise TableError(
                f"{_place(path, row)}, column {weight!r} is {weights[row]:.6g}, but weights must "
                "not be negative"
            )
        if np.count_nonzero(weights) < 2:
            raise TableError(
                f"{path}: column {weight!r} has fewer than two weights above zero; a report needs "
                "at least two rows that count"
            )
    return Table(
        labels.to_numpy(),
        proba,
        np.column_stack([_numbers(path, frame[name]) for name in features]) if features else None,
        weights,
    )


def _format(path):
    """Return the separator of the columns, None for Parquet, and the compression or None."""
    kind, last = ["", "", *map(str.lower, Path(path).suffixes)][-2:]
    if last in _PARQUET:
        return None, None
    if last in _SEPARATORS:
        return _SEPARATORS[last], None
    if kind in _SEPARATORS and last in (*_OPENERS, ".zip"):
        return _SEPARATORS[kind], last
    raise TableError(
        f"{path}: unknown file type {last!r}; known are {', '.join(_SEPARATORS)} (also with "
        f"{', '.join(_OPENERS)}, .zip behind it), {', '.join(_PARQUET)}"
    )


def _read(path, wanted):
    import pandas as pd

    file = Path(path)
    if not file.is_file():
        raise TableError(f"{path}: {'is a folder' if file.is_dir() else 'no such file'}")
    separator, _ = _format(path)
    wanted = list(dict.fromkeys(wanted))
    try:
        if separator is None:
            frame = pd.read_parquet(path)
            _check_columns(path, frame.columns, list(frame.columns), wanted)
            return frame[wanted]
        options = {"sep": separator, "index_col": False, "keep_default_na": False}
        header = pd.read_csv(path, header=None, nrows=1, dtype=str, **options)
        with warnings.catch_warnings():
            # Rows longer than the header lose cells with a warning only; and all columns are read,
            # since a choice of columns is not checked for such rows at all.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(path, na_values=_MISSING, low_memory=False, **options)
        _check_columns(path, frame.columns, header.iloc[0].tolist(), wanted)
        return frame[wanted]
    except TableError:
        raise
    except ImportError as error:
        raise TableError(
            f"{path}: reading Parquet needs the package pyarrow (python -m pip install pyarrow), "
            "or save the table as CSV"
        ) from error
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TableError(
            f"{_undecodable(path)} is not UTF-8 text; save the file as UTF-8"
        ) from error
    except (ValueError, pd.errors.ParserWarning) as error:
        # Parser errors and empty files are ValueErrors.
        text = " ".join(str(error).split())
        raise TableError(f"{path}: not a readable table: {text}") from error


def _check_columns(path, columns, header, wanted):
    """Raise unless each wanted column is there, and once in the header."""
    missing = [name for name in wanted if name not in columns]
    if missing:
        found = [str(name) for name in columns]
        listed = ", ".join(map(repr, found[:20])) + (", ..." if len(found) > 20 else "")
        raise TableError(f"{path}: no column {missing[0]!r}; the columns are {listed}")
    for name in wanted:
        if header.count(name) > 1:
            raise TableError(
                f"{path}: {header.count(name)} columns are called {name!r}; rename all but one"
            )


def _place(path, row):
    """Return the file and the line of a row, which count from 1 and 0; the row if it has none."""
    separator, compression = _format(path)
    if separator is None or compression == ".zip":
        return f"{path}: row {row + 1}"
    with _OPENERS.get(compression, open)(path, "rt", encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter=separator)
        # Blank lines are no rows.
        filled = (cells for cells in reader if len(cells) > 1 or "".join(cells).strip())
        next(islice(filled, row + 1, None))
        return f"{path}: line {reader.line_num}"


def _undecodable(path):
    """Return the file and the first line that is not UTF-8."""
    _, compression = _format(path)
    if compression == ".zip":
        return path
    with _OPENERS.get(compression, open)(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return f"{path}: line {number}"
    return path


def _numbers(path, column):
    """Return a column as float64 without missing values."""
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce")
    bad = ~np.isfinite(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
    if bad.any():
        value = column.iloc[int(bad.argmax())]
        shown = "empty" if pd.isna(value) else repr(value) if isinstance(value, str) else value
        raise TableError(f"{_cell(path, column, bad)} is {shown}; a finite number is needed")
    return numbers.to_numpy(dtype=np.float64)


def _cell(path, column, bad=None):
    """Return the place of the first bad cell."""
    bad = column.isna().to_numpy() if bad is None else bad
    return f"{_place(path, int(bad.argmax()))}, column {str(column.name)!r}"
