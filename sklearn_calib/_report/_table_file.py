"""Read the predictions of a report from a CSV or Parquet file, and say plainly what is wrong."""

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._utils._validation import ROW_SUM_TOLERANCE

_MISSING = ("", "nan", "NaN", "NAN")


class TableError(ValueError):
    """Something about the file that its owner can put right, in one line."""


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
        A ``.csv`` (also compressed), ``.tsv`` or ``.parquet`` file.
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
        With the file, the column and the row.
    """
    wanted = [y_true, *y_proba, *features, *([weight] if weight else [])]
    for name in {name for name in wanted if wanted.count(name) > 1}:
        raise TableError(f"{path}: column {name!r} is named twice in the arguments")
    frame = _read(path, wanted)
    if len(frame) == 0:
        raise TableError(f"{path}: no rows below the header")
    labels = frame[y_true]
    if labels.isna().any():
        raise TableError(f"{_cell(path, labels)} is empty; every row needs a label")
    proba = np.column_stack([_numbers(path, frame[name]) for name in y_proba])
    outside = (proba < 0) | (proba > 1)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise TableError(
            f"{path}: row {row + 1}, column {y_proba[column]!r} is {proba[row, column]:.6g}, which "
            "is not a probability between 0 and 1"
        )
    sums = proba.sum(axis=1)
    off = np.abs(sums - 1.0) > ROW_SUM_TOLERANCE
    if len(y_proba) > 1 and off.any():
        row = int(off.argmax())
        raise TableError(
            f"{path}: row {row + 1}, columns {', '.join(map(repr, y_proba))} sum to "
            f"{sums[row]:.6g} instead of 1"
        )
    weights = None
    if weight:
        weights = _numbers(path, frame[weight])
        if weights.min() < 0:
            row = int(weights.argmin())
            raise TableError(
                f"{path}: row {row + 1}, column {weight!r} is {weights[row]:.6g}, but weights must "
                "not be negative"
            )
    return Table(
        labels.to_numpy(),
        proba,
        np.column_stack([_numbers(path, frame[name]) for name in features]) if features else None,
        weights,
    )


def _read(path, wanted):
    import pandas as pd

    file = Path(path)
    if not file.is_file():
        raise TableError(f"{path}: {'is a folder' if file.is_dir() else 'no such file'}")
    suffix = file.suffix.lower()
    try:
        if suffix in (".parquet", ".pq"):
            frame = pd.read_parquet(path)
            _check_columns(path, frame.columns, wanted)
            return frame[wanted]
        options = {"sep": "\t" if suffix == ".tsv" else ",", "index_col": False}
        with warnings.catch_warnings():
            # Rows longer than the header lose cells with a warning only; and all columns are read,
            # since a choice of columns is not checked for such rows at all.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                path, keep_default_na=False, na_values=_MISSING, low_memory=False, **options
            )
        _check_columns(path, frame.columns, wanted)
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
    except (ValueError, pd.errors.ParserWarning) as error:
        # Parser errors, empty files and undecodable text are ValueErrors.
        text = " ".join(str(error).split())
        raise TableError(f"{path}: not a readable table: {text}") from error


def _check_columns(path, columns, wanted):
    missing = [name for name in wanted if name not in columns]
    if missing:
        found = [str(name) for name in columns]
        listed = ", ".join(map(repr, found[:20])) + (", ..." if len(found) > 20 else "")
        raise TableError(f"{path}: no column {missing[0]!r}; the columns are {listed}")


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
    """Return the place of the first bad cell; rows count from 1 below the header."""
    bad = column.isna().to_numpy() if bad is None else bad
    return f"{path}: row {int(bad.argmax()) + 1}, column {str(column.name)!r}"
