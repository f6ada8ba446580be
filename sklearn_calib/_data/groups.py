"""Groups of rows: the categories of columns, and of several columns together."""

from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

ALL_ROWS = "all rows"
_MOST_MEMBERS = 50_000_000


class Partition(NamedTuple):
    """Groups without common rows: the categories of one column or of several together.

    Attributes
    ----------
    start : int
        Number of the first of these groups.
    group_of_cell : ndarray of shape (n_cells,)
        The group of each cell, counted from `start`; -1 for cells in none.
    """

    start: int
    group_of_cell: np.ndarray


class Groups:
    """Groups of rows, and sums over them.

    Rows that agree in all columns form a cell. Sums over many sets of labels are added up by cell
    first and then by group, so that no array has the size of rows times groups.

    Parameters
    ----------
    columns : list of GroupColumn
        The columns.
    weight : ndarray of shape (n_samples,) or None
        Weights of the rows.
    max_interaction : int
        How many columns a group may combine.
    min_rows : int
        Combinations of columns with fewer rows are left out.
    counts : ndarray of shape (n_samples,), default=None
        How many rows each row stands for; one by default.

    Attributes
    ----------
    features, categories : list of str
        The column and the category of each group; of several columns joined by " & ". Group 0 is
        that of all rows.
    labels : list of str
        Both together, such as "sex = Female & age = 18 to 25".
    n_rows : ndarray of shape (n_groups,)
        Rows in each group.
    n_columns : ndarray of shape (n_groups,)
        How many columns define the group.
    absent : ndarray of shape (n_groups,)
        Whether the group is "0" or "False" in a column that says yes or no.
    cell : ndarray of shape (n_samples,)
        The cell of each row.
    partitions : list of Partition
        The groups again, in sets without common rows.
    weight : ndarray of shape (n_samples,)
        Weights, at most one.
    """

    def __init__(self, columns, weight, *, max_interaction, min_rows, counts=None):
        n_samples = columns[0].codes.size
        self.weight = np.ones(n_samples) if weight is None else weight / weight.max()
        self.cell, codes = _cells([column.codes for column in columns])
        self.n_cells = codes.shape[0]
        self._cell_rows = np.bincount(self.cell, counts, minlength=self.n_cells)
        orders = range(1, min(max_interaction, len(columns)) + 1)
        chosen = [one for order in orders for one in combinations(range(len(columns)), order)]
        if self.n_cells * len(chosen) > _MOST_MEMBERS:
            raise ValueError(
                f"max_interaction={max_interaction} of {len(columns)} columns are {len(chosen)} "
                f"combinations over {self.n_cells} different rows, which is too much. Use a "
                "smaller max_interaction, fewer columns or coarser categories."
            )
        everything = Partition(0, np.zeros(self.n_cells, dtype=np.intp))
        self.features, self.categories, self.labels = [ALL_ROWS], [""], [ALL_ROWS]
        self.partitions, rows, absent = [everything], [self._cell_rows.sum(keepdims=True)], [False]
        for some in chosen:
            own = [columns[k] for k in some]
            group, members, n_rows = self._combine(
                codes[:, some], 1 if len(some) == 1 else min_rows
            )
            self.partitions.append(Partition(len(self.features), group))
            self.features += [" & ".join(column.name for column in own)] * len(members)
            names = [[column.labels[code] for column, code in zip(own, one)] for one in members]
            self.categories += [" & ".join(each) for each in names]
            self.labels += [
                " & ".join(f"{column.name} = {one}" for column, one in zip(own, each))
                for each in names
            ]
            rows.append(n_rows)
            absent += [any(c.says_no and code == 0 for c, code in zip(own, one)) for one in members]
        self.n_rows = np.concatenate(rows).astype(np.int64)
        self.absent = np.array(absent, bool)
        sizes = [0, *map(len, chosen)]
        self.n_columns = np.repeat(sizes, [len(one) for one in rows])
        self._members = self._membership()
        self._weighted = self._cell_matrix(self.weight)

    def __len__(self):
        return len(self.features)

    def _combine(self, codes, least):
        """Return the group of each cell, the codes of each group and its number of rows."""
        group, members = _cells(list(codes.T))
        n_rows = np.bincount(group, self._cell_rows, minlength=len(members)).astype(np.int64)
        kept = np.flatnonzero(n_rows >= least)
        number = np.full(len(members), -1)
        number[kept] = np.arange(kept.size)
        return number[group], members[kept], n_rows[kept]

    def _membership(self):
        """Return which cells are in which group, a sparse matrix of ones."""
        pairs = [
            (part.start + part.group_of_cell[inside], inside)
            for part in self.partitions
            for inside in [np.flatnonzero(part.group_of_cell >= 0)]
        ]
        group = np.concatenate([one for one, _ in pairs])
        cell = np.concatenate([one for _, one in pairs])
        shape = len(self), self.n_cells
        return csr_array((np.ones(group.size), (group, cell)), shape=shape)

    def _cell_matrix(self, values):
        """Return a matrix that adds up rows times values by cell."""
        order = np.argsort(self.cell, kind="stable")
        ends = np.searchsorted(self.cell[order], np.arange(self.n_cells + 1))
        return csr_array((values[order], order, ends), shape=(self.n_cells, order.size))

    def sums(self, values):
        """Return weighted sums of values, or of columns of them, over the rows of each group."""
        return self._members @ (self._weighted @ values)

    def overlaps(self, values, some):
        """Return sums of row values, without weights, over the rows that each two groups share."""
        members = self._members[some]
        by_cell = np.bincount(self.cell, values, minlength=self.n_cells)
        return (members @ (members * by_cell[np.newaxis, :]).T).toarray()

    def histogram(self, index, n_bins, values=None):
        """Return sums of values, ones by default, over the rows of each group that are in each bin.

        `index` is the bin of each row; the result has the shape (n_groups, n_bins).
        """
        flat = np.bincount(self.cell * n_bins + index, values, minlength=self.n_cells * n_bins)
        return self._members @ flat.reshape(self.n_cells, n_bins)

    def rows(self):
        """Yield (number of the group, its rows), in the order of the groups."""
        for part in self.partitions:
            group = part.group_of_cell[self.cell]
            order = np.argsort(group, kind="stable")
            first = np.searchsorted(group[order], np.arange(group.max(initial=-1) + 2))
            for k, (start, end) in enumerate(pairwise(first)):
                yield part.start + k, order[start:end]


def _cells(codes):
    """Return a number for each distinct row of some columns of codes, and these rows, sorted."""
    number = np.zeros(codes[0].size, dtype=np.int64)
    first = np.zeros(1, dtype=np.intp)
    for one in codes:
        combined = number * (one.max(initial=0) + 1) + one
        _, first, number = np.unique(combined, return_index=True, return_inverse=True)
    return number, np.column_stack([one[first] for one in codes])
