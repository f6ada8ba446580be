"""Read columns of any kind as categories: text, numbers, booleans, and missing values.

- Text, booleans, and columns of a categorical type have one category per value that occurs.
- Numbers with at most `FEW_VALUES` distinct values are categories, others are cut at quantiles.
- Missing values (None, NaN, NaT, null) are a category of their own.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .arrays import refuse_hidden
from .bins import quantile_bin_index
from .features import FeatureTable, name_missing, read_features

FEW_VALUES = 10
# More values than this are those of a number or an identifier, and not of groups.
MOST_GROUPS = 10_000
_DIGITS = range(3, 18)


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


def read_groups(groups, name="groups"):
    """Read columns of any kind, as documented in `calibration_by_group`, as a `FeatureTable`.

    `name` is how the caller calls them.
    """
    refuse_hidden(groups, name)
    if groups is None or isinstance(groups, str) or not hasattr(groups, "__len__"):
        raise ValueError(
            f"{name} must be a DataFrame, a Series, an array or a dict of columns, got {groups!r}."
        )
    if isinstance(groups, Mapping):
        table = _read_mapping(groups, name)
    else:
        table = read_features(groups, name)
        if len(table.names) == 1 and table.names == ["feature 0"]:
            table = table.renamed(["group"])
    twice = sorted({one for one in table.names if table.names.count(one) > 1})
    if twice:
        _refuse_twice(twice[0], name)
    return table


def _refuse_twice(column, name):
    raise ValueError(f"Several columns of {name} are called {column!r}; rename all but one.")


def _read_mapping(groups, name):
    """Return the table of a mapping of names to columns."""
    if not groups:
        raise ValueError(f"{name} has no column; at least one is needed.")
    tables = {}
    for key, values in groups.items():
        refuse_hidden(values, f"{name}[{key!r}]")
        if str(key) in tables:
            _refuse_twice(str(key), name)
        tables[str(key)] = one = read_features(values, f"{name}[{key!r}]")
        if len(one.columns) != 1:
            raise ValueError(f"{name}[{key!r}] must be one column, got {len(one.columns)}.")
    lengths = sorted({len(one) for one in tables.values()})
    if len(lengths) > 1:
        raise ValueError(f"The columns of {name} must have one length, got {lengths}.")
    columns = [one.columns[0] for one in tables.values()]
    first = next(iter(tables.values()))
    return replace(first, columns=columns, names=[*tables], named=True, argument=name)


def group_columns(table: FeatureTable, n_quantiles: int) -> list[GroupColumn]:
    """Return a `GroupColumn` for each column of a table of the rows that count.

    Numbers with many values are cut into `n_quantiles` parts; quantiles and categories are those of
    these rows.
    """
    return [_categories(*one, n_quantiles) for one in zip(table.names, table.columns)]


def _categories(name, column, n_quantiles):
    """Return a column as categories."""
    if column.numbers is None:
        labels = [str(level) for level in column.levels]
        says_no = all(isinstance(level, bool) for level in column.levels)
        return _with_missing(name, column.codes, labels, column.codes < 0, says_no)
    missing = np.isnan(column.numbers)
    codes, labels, says_no = _numbers(name, column, missing, n_quantiles)
    return _with_missing(name, codes, labels, missing, says_no)


def _numbers(name, column, missing, n_quantiles):
    """Return codes and labels of numbers: as categories if there are few, or else by quantiles."""
    codes = np.zeros(missing.size, dtype=np.intp)
    distinct, codes[~missing] = np.unique(column.exact[~missing], return_inverse=True)
    if distinct.size <= FEW_VALUES:
        column.refuse_rounded(f"Column {name!r} of groups")
        return codes, [_text(one) for one in distinct.tolist()], distinct.tolist() == [0, 1]
    rank = codes[~missing]  # in the order of the numbers, and so are the parts
    bins = quantile_bin_index(rank.astype(np.float64), n_quantiles)
    codes[~missing] = np.unique(bins, return_inverse=True)[1]
    part = np.empty(distinct.size, dtype=np.intp)
    part[rank] = codes[~missing]
    lowest = distinct[np.flatnonzero(np.diff(part, prepend=-1))]
    highest = distinct[np.flatnonzero(np.diff(part, append=-1))]
    return codes, _ranges(lowest, highest), False


def _ranges(lowest, highest):
    """Return "low to high" for each part, with as many digits as it takes to tell them apart."""
    for digits in _DIGITS:
        ends = [[f"{end:.{digits}g}" for end in ends] for ends in (lowest, highest)]
        labels = [a if a == b else f"{a} to {b}" for a, b in zip(*ends)]
        if all(high != low for high, low in zip(ends[1], ends[0][1:])):
            return labels
    return [str(a) if a == b else f"{a} to {b}" for a, b in zip(lowest, highest)]


def _text(number):
    """Return a number as text; whole numbers have no decimal point."""
    return str(int(number)) if number % 1 == 0 else str(number)


def natural_key(label):
    """Return a key that sorts whole numbers by size, text by letters, and None last."""
    whole = label is not None and label.removeprefix("-").isdecimal()
    return label is None, not whole, int(label) if whole else 0, label or ""


def plain_categories(name, column):
    """Return the codes and the names of categories that do not depend on other rows.

    The column of a `FeatureTable` holds text, booleans, whole numbers or a categorical type. The
    last name is None, for missing values.
    """
    if column.numbers is None:
        codes, labels = column.codes, [str(one) for one in column.levels]
    else:
        column.refuse_rounded(f"Column {name!r} of groups")
        missing = np.isnan(column.numbers)
        codes = np.full(missing.size, -1)
        present, codes[~missing] = np.unique(column.exact[~missing], return_inverse=True)
        fractions = present[present % 1 != 0]
        if fractions.size:
            raise ValueError(
                f"Column {name!r} of groups holds numbers such as {float(fractions[0])!r} "
                "that are no categories, and where to cut them depends on all rows. Cut them at "
                "fixed edges first, for example with pandas.cut."
            )
        labels = [str(int(one)) for one in present]
    if len(labels) > MOST_GROUPS:
        raise ValueError(
            f"Column {name!r} of groups has {len(labels):,} values in one batch, and at most "
            f"{MOST_GROUPS:,} are groups. Pass a column with fewer categories."
        )
    return np.where(codes < 0, len(labels), codes), [*labels, None]


def _with_missing(name, codes, labels, missing, says_no):
    """Return a column with missing values as the last category and no category that is empty."""
    if missing.any():
        codes = np.where(missing, len(labels), codes)
        labels = name_missing([*labels, None])
    found, codes = np.unique(codes, return_inverse=True)
    return GroupColumn(name, codes, [labels[code] for code in found], says_no)
