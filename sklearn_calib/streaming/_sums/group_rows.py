"""Which rows of a batch belong to which group; groups keep their names from batch to batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._data.arrays import check_same_length
from ..._data.group_columns import read_groups

# More values than this are those of a number or an identifier, and not of groups.
MOST_GROUPS = 10_000


class GroupRows:
    """The columns that define the groups of a batch.

    Parameters
    ----------
    groups : object
        Columns, as documented in `CalibrationState.update`.
    y_true : object
        The labels, for their number.

    Attributes
    ----------
    names : tuple of str
        The names of the columns.
    """

    def __init__(self, groups: Any, y_true: Any):
        table = read_groups(groups)
        check_same_length(y_true=np.asarray(y_true), groups=table)
        self.names = tuple(table.names)
        self._columns = [_codes(*one) for one in zip(table.names, table.columns)]

    def __call__(
        self, rows: np.ndarray | None
    ) -> Iterator[tuple[tuple[str, str | None], np.ndarray]]:
        """Yield each group that occurs, as (column, value), with the numbers of its rows.

        The value of missing values is None.

        Parameters
        ----------
        rows : ndarray of bool or None
            Which rows of the batch count; None for all. Numbers are those among these rows.
        """
        for name, (codes, labels) in zip(self.names, self._columns):
            codes = codes if rows is None else codes[rows]
            order = np.argsort(codes, kind="stable")
            start = np.flatnonzero(np.diff(codes[order], prepend=-1))
            for part in np.split(order, start[1:]):
                if part.size:
                    yield (name, labels[codes[part[0]]]), part


def _codes(name, column):
    """Return the category of each row and the names of the categories."""
    if column.numbers is None:
        codes, labels = column.codes, [str(one) for one in column.levels]
    else:
        distinct, codes = np.unique(column.numbers, return_inverse=True)
        present = distinct[~np.isnan(distinct)]
        if not np.array_equal(present, np.floor(present)):
            raise ValueError(
                f"Column {name!r} of groups holds numbers such as {present[present % 1 != 0][0]!r} "
                "that are no categories, and where to cut them depends on all rows. Cut them at "
                "fixed edges first, for example with pandas.cut."
            )
        labels = [str(int(one)) for one in present]
        codes = np.where(np.isnan(column.numbers), -1, codes)
    if len(labels) > MOST_GROUPS:
        raise ValueError(
            f"Column {name!r} of groups has {len(labels):,} values in one batch, and at most "
            f"{MOST_GROUPS:,} are groups. Pass a column with fewer categories."
        )
    return np.where(codes < 0, len(labels), codes), [*labels, None]
