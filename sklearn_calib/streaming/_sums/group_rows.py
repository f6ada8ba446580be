"""Which rows of a batch belong to which group; groups keep their names from batch to batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._data.arrays import check_same_length
from ..._data.group_columns import plain_categories, read_groups


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
        self._columns = [plain_categories(*one) for one in zip(table.names, table.columns)]

    def __call__(
        self, rows: np.ndarray | None
    ) -> Iterator[tuple[tuple[str, str | None], np.ndarray]]:
        """Yield each group that occurs, as (column, value), with the numbers of its rows.

        Missing values are None. `rows` says which rows of the batch count, None for all of them,
        and the numbers are those among these.
        """
        for name, (codes, labels) in zip(self.names, self._columns):
            codes = codes if rows is None else codes[rows]
            order = np.argsort(codes, kind="stable")
            start = np.flatnonzero(np.diff(codes[order], prepend=-1))
            for part in np.split(order, start[1:]):
                if part.size:
                    yield (name, labels[codes[part[0]]]), part
