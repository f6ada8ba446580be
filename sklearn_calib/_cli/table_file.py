"""Read the predictions of a report from a CSV or Parquet file, with plain error messages."""

from datetime import date, time, timedelta
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._data.predictions import check_probabilities, check_unit_interval
from .source_file import SourceFile, TableError, has_decimal_comma, has_thousands_separator

if TYPE_CHECKING:
    import pandas as pd

# With fewer decimals a row that does not sum to one is more often wrong than rounded.
_FEWEST_DECIMALS = 2
# Text in a column with more different numbers than this is a fault and not a category.
_MOST_NUMBERS = 10
_NO_NUMBERS = (date, time, timedelta, np.datetime64, np.timedelta64, bytes)


class Table(NamedTuple):
    """The columns of a report.

    Attributes
    ----------
    y_true : ndarray of shape (n_samples,)
        Labels.
    y_proba : DataFrame of shape (n_samples, n_columns), or dict of these by model
        Probabilities, rows summing to one if there are several columns. The names of the columns
        may be the labels.
    features : DataFrame of shape (n_samples, n_features) or None
        Features: numbers, text, booleans and missing values.
    weight : ndarray of shape (n_samples,) or None
        Weights.
    groups : DataFrame of shape (n_samples, n_columns) or None
        Columns that define groups, of any type.
    """

    y_true: np.ndarray
    y_proba: "pd.DataFrame | dict[str, pd.DataFrame]"
    features: "pd.DataFrame | None"
    weight: np.ndarray | None
    groups: "pd.DataFrame | None" = None


def read_table(path, y_true, y_proba, features, weight, groups=()):
    """Read and check the named columns of a CSV file, maybe compressed, or a Parquet file.

    `y_proba` lists the columns of the probabilities, for several models by name. Errors are
    `TableError` with the file, the column and the line, or the row where a file has no lines.
    """
    models = y_proba if isinstance(y_proba, dict) else {"": y_proba}
    for option, names in (
        *(("--y-proba", columns) for columns in models.values()),
        ("--features", features),
        ("--groups", groups),
        ("--sample-weight", [weight] if weight else []),
    ):
        check_columns(names, option, y_true)
    source = SourceFile(path)
    predicted = [name for columns in models.values() for name in columns]
    numeric = list(dict.fromkeys([*predicted, *features, *([weight] if weight else [])]))
    codes = [*groups, *features]
    frame = source.read(list(dict.fromkeys([y_true, *numeric, *groups])), numeric, codes)
    check_number_of_rows(path, len(frame))
    probas = {
        name: probabilities_of_rows(source, frame[columns]) for name, columns in models.items()
    }
    return Table(
        labels_of_rows(source, frame[y_true]),
        probas if isinstance(y_proba, dict) else probas[""],
        _features(source, frame[features]) if features else None,
        _weights(source, frame[weight]) if weight else None,
        frame[list(groups)] if groups else None,
    )


def labels_of_rows(source, column):
    """Return labels as an array of numbers, booleans or text."""
    if column.isna().any():
        raise TableError(f"{_cell(source, column)} is empty; every row needs a label")
    _refuse_times(source, column, "a label must be a number, a boolean or text")
    labels = column.to_numpy()
    if labels.dtype == object and all(isinstance(label, int) for label in labels):
        return labels.astype(str)  # numbers of more than 64 bits, such as long identifiers
    kinds = {type(label) for label in labels} if labels.dtype == object else set()
    return np.array(labels.tolist()) if len(kinds) == 1 else labels


def probabilities_of_rows(source, frame):
    """Return a data frame of probabilities, in which rows of several columns sum to one."""
    import pandas as pd

    names = frame.columns.tolist()
    values = np.column_stack([_numbers(source, frame[name]) for name in names])
    typed = pd.DataFrame(values, columns=names).astype(_float_types(frame))
    decimals = None
    if len(names) > 1 and (np.abs(values.sum(axis=1) - 1.0) > 1e-6).any():
        shown = source.decimals(names)
        decimals = shown if shown is None or shown >= _FEWEST_DECIMALS else None
    try:
        checked = check_probabilities(typed, decimals=decimals)
    except ValueError as error:
        raise TableError(_what_is_wrong(source, frame, values)) from error
    return pd.DataFrame(checked, columns=names)


def _float_types(frame):
    """Return the types of the columns that are less precise than float64."""
    return {name: kind for name, kind in frame.dtypes.items() if kind in (np.float16, np.float32)}


def _what_is_wrong(source, frame, values):
    """Return the message for a cell that is no probability or a row that does not sum to one."""
    names = frame.columns.tolist()
    try:
        check_unit_interval(values, "y_proba", came_as=frame)
    except ValueError:
        beyond = np.maximum(-values, values - 1.0) > 1e-10
        row, column = np.argwhere(beyond)[0]
        number = float(values[row, column])
        shown = f"{number:.6g}"
        return (
            f"{source.place(row)}, column {names[column]!r} is "
            f"{number if shown in ('0', '1', '-0') else shown}, which is not a probability between "
            "0 and 1"
        )
    sums = values.sum(axis=1)
    row = int(np.abs(sums - 1.0).argmax())
    return (
        f"{source.place(row)}, columns {', '.join(map(repr, names))} sum to {sums[row]:.6g} "
        "instead of 1. Several columns of one --y-proba are the classes of one model; to compare "
        "models give --y-proba once for each"
    )


def _features(source, frame):
    """Return a data frame of features, whose columns hold numbers or categories."""
    import pandas as pd

    for name in frame.columns:
        column = frame[name]
        _refuse_times(source, column, "a feature must be a number, a boolean or text")
        if column.dtype.kind in "biuf":
            infinite = np.isinf(column.to_numpy(dtype=np.float64, na_value=np.nan))
            if infinite.any():
                raise TableError(
                    f"{_cell(source, column, infinite)} is infinite; a finite number is needed, or "
                    "an empty cell if the value is missing"
                )
            continue
        thousands = column[column.map(has_thousands_separator)]
        if thousands.nunique() > _MOST_NUMBERS:
            bad = column.map(has_thousands_separator).to_numpy()
            raise TableError(
                f"{_cell(source, column, bad)} is {thousands.iloc[0]!r}; write numbers without "
                "separators of thousands"
            )
        numbers = pd.to_numeric(column, errors="coerce")
        text = numbers.isna() & column.notna()
        if text.any() and numbers.nunique() > _MOST_NUMBERS and 2 * text.sum() < len(text):
            bad = text.to_numpy()
            value = column.iloc[int(bad.argmax())]
            hint = "; write it with a decimal point" if has_decimal_comma(value) else ""
            raise TableError(
                f"{_cell(source, column, bad)} is {value!r} in a column of numbers; a finite "
                f"number is needed, or an empty cell if the value is missing{hint}"
            )
    return frame


def _weights(source, column):
    """Return weights, at least two of which are above zero."""
    weights = weights_of_rows(source, column)
    check_number_of_weights(source, column.name, np.count_nonzero(weights))
    return weights


def weights_of_rows(source, column):
    """Return weights that are not negative."""
    weights = _numbers(source, column)
    if weights.min() < 0:
        row = int(weights.argmin())
        raise TableError(
            f"{source.place(row)}, column {column.name!r} is {weights[row]:.6g}, but weights must "
            "not be negative"
        )
    return weights


def check_number_of_weights(source, name, n_positive):
    """Raise unless two rows count."""
    if n_positive < 2:
        raise TableError(
            f"{source.path}: column {name!r} has fewer than two weights above zero; a report needs "
            "at least two rows that count"
        )


def check_columns(names, option, y_true):
    """Raise if an option names a column twice, or that of the labels."""
    for name in names:
        if names.count(name) > 1:
            raise TableError(f"{option}: column {name!r} is named twice")
        if name == y_true:
            raise TableError(f"{option}: column {name!r} is that of the labels, --y-true")


def check_number_of_rows(path, n_rows):
    """Raise unless there are two rows."""
    if n_rows < 2:
        found = "one row" if n_rows else "no rows"
        raise TableError(f"{path}: {found} below the header; a report needs at least two")


def _numbers(source, column):
    """Return a column as float64 without missing values."""
    import pandas as pd

    _refuse_times(source, column, "a finite number is needed; turn it into a number of days, say")
    numbers = pd.to_numeric(column, errors="coerce")
    bad = ~np.isfinite(numbers.to_numpy(dtype=np.float64, na_value=np.nan))
    if bad.any():
        value = column.iloc[int(bad.argmax())]
        shown = "empty" if pd.isna(value) else repr(value) if isinstance(value, str) else value
        hint = "; write it with a decimal point" if has_decimal_comma(value) else ""
        raise TableError(
            f"{_cell(source, column, bad)} is {shown}; a finite number is needed{hint}"
        )
    return numbers.to_numpy(dtype=np.float64)


def _refuse_times(source, column, needed):
    """Raise if a column holds dates, times, durations or bytes, which pandas reads as numbers."""
    import pandas as pd

    is_time = column.dtype.kind in "mM" or isinstance(column.dtype, pd.PeriodDtype)
    if not is_time and column.dtype == object:
        is_time = column.map(lambda value: isinstance(value, _NO_NUMBERS)).any()
    if is_time:
        raise TableError(
            f"{source.path}: column {column.name!r} holds {column.iloc[0]!r} and the like, but "
            f"{needed}"
        )


def _cell(source, column, bad=None):
    """Return the place of the first bad cell."""
    bad = column.isna().to_numpy() if bad is None else bad
    return f"{source.place(int(bad.argmax()))}, column {str(column.name)!r}"
