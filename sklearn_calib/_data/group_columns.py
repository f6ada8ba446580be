"""Read columns of any kind as categories: text, numbers, booleans, and missing values.

- Text, booleans, and columns of a categorical type have one category per value that occurs.
- Numbers with at most `FEW_VALUES` distinct values are categories, others are cut at quantiles.
- Missing values (None, NaN, NaT, null) are a category of their own.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .._utils.compat import safe_indexing
from .arrays import refuse_masked
from .bins import quantile_bin_index
from .named_columns import table_names

FEW_VALUES = 10
_DIGITS = range(3, 18)
_TIMES = ("date", "time", "period", "interval")


class GroupColumn(NamedTuple):
    """A column as categories.

    Attributes
    ----------
    name : str
        Its name.
    codes : ndarray of shape (n_samples,)
        The category of each row, from 0.
    labels : list of str
        The name of each category; every one occurs.
    says_no : bool
        Whether the column has the values 0 and 1 (or False and True), so that category 0 is the
        absence of something.
    """

    name: str
    codes: np.ndarray
    labels: list
    says_no: bool = False

    def take(self, rows):
        """Return the column at some rows, without the categories that no longer occur."""
        kept, codes = np.unique(self.codes[rows], return_inverse=True)
        labels = [self.labels[code] for code in kept]
        return GroupColumn(self.name, codes, labels, self.says_no and len(labels) == 2)


def check_group_columns(groups, n_quantiles, *, rows=None, name="groups"):
    """Return a `GroupColumn` for each column.

    Parameters
    ----------
    groups : DataFrame, Series, array-like or mapping of str to array-like
        One or several columns, as documented in `calibration_by_group`.
    n_quantiles : int
        Into how many parts numbers with many values are cut.
    rows : ndarray, default=None
        The rows that count; all by default. Quantiles and categories are those of these rows.
    name : str, default="groups"
        How the caller calls `groups`, for messages.
    """
    columns = [
        _read_column(values, label, n_quantiles, rows, name)
        for label, values in _named_columns(groups, name)
    ]
    lengths = {column.codes.size for column in columns}
    if len(lengths) > 1:
        raise ValueError(f"The columns of {name} must have one length, got {sorted(lengths)}.")
    return columns


def count_rows(groups, name="groups"):
    """Return the number of rows of groups in any of the forms that are allowed."""
    lengths = {len(values) for _, values in _named_columns(groups, name)}
    if len(lengths) > 1:
        raise ValueError(f"The columns of {name} must have one length, got {sorted(lengths)}.")
    return lengths.pop()


def _named_columns(groups, name):
    """Return (name, values) of each column."""
    refuse_masked(groups, name)
    if isinstance(groups, Mapping):
        columns = [
            (str(key), _one_dimension(one, f"{name}[{key!r}]")) for key, one in groups.items()
        ]
    elif (names := table_names(groups)) is not None:
        columns = [(str(key), safe_indexing(groups, k, axis=1)) for k, key in enumerate(names)]
    else:
        columns = _columns_of_array(groups, name)
    if not columns:
        raise ValueError(f"{name} has no column; at least one is needed.")
    names = [key for key, _ in columns]
    twice = sorted({key for key in names if names.count(key) > 1})
    if twice:
        raise ValueError(f"Several columns of {name} are called {twice[0]!r}; rename all but one.")
    return columns


def _columns_of_array(groups, name):
    """Return (name, values) of the columns of an array, a list or a single column with a name."""
    if groups is None or isinstance(groups, str) or not hasattr(groups, "__len__"):
        raise ValueError(
            f"{name} must be a DataFrame, a Series, an array or a dict of columns, got {groups!r}."
        )
    own_name = getattr(groups, "name", None)
    if hasattr(groups, "dtype") and not isinstance(groups, np.ndarray):
        return [("group" if own_name in (None, "") else str(own_name), groups)]
    array = groups if isinstance(groups, np.ndarray) else np.array(groups, dtype=object)
    if array.ndim == 1:
        return [("group", array)]
    if array.ndim != 2:
        raise ValueError(
            f"{name} must have one or two dimensions, got an array of shape {array.shape}."
        )
    return [(f"feature {k}", array[:, k]) for k in range(array.shape[1])]


def _one_dimension(values, name):
    """Return the values of one column as they are if they have a type, or else as objects."""
    refuse_masked(values, name)
    if not hasattr(values, "dtype"):
        values = np.array(values, dtype=object)
    if len(getattr(values, "shape", ())) != 1:
        raise ValueError(
            f"{name} must be one column, got the shape {getattr(values, 'shape', None)}."
        )
    return values


def _read_column(values, label, n_quantiles, rows, name):
    """Return a column as categories."""
    import pandas as pd

    if not isinstance(values, pd.Series):
        values = pd.Series(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if rows is not None:
        values = values.iloc[rows]
    missing = values.isna().to_numpy()
    kind = _kind(values, missing, label, name)
    says_no = False
    if kind == "category":
        codes, labels = values.cat.codes.to_numpy(), [_text(one) for one in values.cat.categories]
    elif kind == "number":
        codes, labels, says_no = _numbers(values, missing, n_quantiles)
    else:
        codes, found = pd.factorize(values)
        texts = np.array([_text(one) for one in found] or [""], dtype=object)
        labels, order = np.unique(texts.astype(str), return_inverse=True)
        codes, labels, says_no = order[codes], labels.tolist(), kind == "boolean"
    return _with_missing(label, np.asarray(codes, np.intp), labels, missing, says_no)


def _kind(values, missing, label, name):
    """Return "category", "number", "boolean" or "text", or raise for times."""
    import pandas as pd

    if isinstance(values.dtype, pd.CategoricalDtype):
        return "category"
    present = values[~missing]
    inferred = pd.api.types.infer_dtype(present, skipna=True)
    if inferred == "boolean":
        return "boolean"
    if any(word in inferred for word in _TIMES):
        raise ValueError(
            f"Column {label!r} of {name} holds {present.iloc[0]!r} and the like, but dates and "
            "times form no groups by themselves. Pass what should define them, such as the year, "
            "the month or the age in days."
        )
    if inferred == "complex":
        raise ValueError(f"Column {label!r} of {name} holds complex numbers; pass real ones.")
    numeric = inferred in ("integer", "floating", "mixed-integer-float", "decimal")
    return "number" if numeric else "text"


def _numbers(values, missing, n_quantiles):
    """Return codes and labels of numbers: as categories if there are few, or else by quantiles."""
    present = np.array(values[~missing].tolist())
    if present.dtype.kind not in "iu":
        present = present.astype(np.float64)
    codes = np.zeros(missing.size, dtype=np.intp)
    distinct, codes[~missing] = np.unique(present, return_inverse=True)
    if distinct.size <= FEW_VALUES:
        return codes, [_text(one) for one in distinct.tolist()], distinct.tolist() == [0, 1]
    present = present.astype(np.float64)
    bins = quantile_bin_index(present, n_quantiles)
    filled, codes[~missing] = np.unique(bins, return_inverse=True)
    lowest, highest = np.full(filled.size, np.inf), np.full(filled.size, -np.inf)
    np.minimum.at(lowest, codes[~missing], present)
    np.maximum.at(highest, codes[~missing], present)
    return codes, _ranges(lowest, highest), False


def _ranges(lowest, highest):
    """Return "low to high" for each part, with as many digits as it takes to tell them apart."""
    labels: list[str] = []
    for digits in _DIGITS:
        ends = [[f"{end:.{digits}g}" for end in ends] for ends in (lowest, highest)]
        labels = [a if a == b else f"{a} to {b}" for a, b in zip(*ends)]
        if all(high != low for high, low in zip(ends[1], ends[0][1:])):
            break
    return labels


def _text(value):
    """Return the name of a category; whole numbers lose a decimal point."""
    if isinstance(value, float | np.floating) and value == np.floor(value) and np.isfinite(value):
        value = int(value)
    return str(value)


def _with_missing(name, codes, labels, missing, says_no):
    """Return a column with missing values as the last category and no category that is empty."""
    if missing.any():
        word = "missing"
        while word in labels:
            word = f"{word} value"
        codes = np.where(missing, len(labels), codes)
        labels = [*labels, word]
    found, codes = np.unique(codes, return_inverse=True)
    return GroupColumn(name, codes, [labels[code] for code in found], says_no)
