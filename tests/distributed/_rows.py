"""Dask collections for tests, with partitions of given sizes."""

from itertools import pairwise

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd

SIZES = (400, 0, 1, 250, 0, 349)


def split(rows, sizes=SIZES):
    """Return the rows of an array or table as a list of parts of given sizes."""
    ends = np.concatenate([[0], np.cumsum(sizes)])
    assert ends[-1] == len(rows)
    return [rows[a:b] for a, b in pairwise(ends)]


def as_array(rows, sizes=SIZES):
    """Return a Dask array with chunks of known sizes, some of them empty."""
    rows = np.asarray(rows)
    parts = [da.from_array(part, chunks=part.shape) for part in split(rows, sizes) if len(part)]
    return da.concatenate(parts)


def as_table(rows, sizes=SIZES):
    """Return a Dask DataFrame or Series with partitions of unknown sizes, some of them empty."""
    rows = rows if isinstance(rows, pd.DataFrame | pd.Series) else pd.Series(np.asarray(rows))
    parts = split(rows, sizes)
    return dd.from_map(lambda k: parts[k], range(len(parts)), meta=rows.iloc[:0])
