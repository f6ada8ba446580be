"""Rows of a classifier are looked at as far as they are indexed, and errors name them."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from sklearn_calib._data.fitting.rows import check_rows

X, Y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])


@pytest.mark.parametrize("rows", [X, X.tolist(), csr_array(X), ["a", "b", "c", "d"]], ids=str)
def test_rows_of_any_kind_come_back(rows):
    read, y, groups = check_rows(rows, Y, groups=None)
    assert (read.shape[0] if hasattr(read, "shape") else len(read)) == 4
    assert y.tolist() == Y.tolist()
    assert groups is None


@pytest.mark.parametrize(
    "rows", [None, 5, "abc", {}, {1, 2}, iter([1])], ids=lambda rows: type(rows).__name__
)
def test_what_has_no_rows_is_refused(rows):
    with pytest.raises((TypeError, ValueError), match=r"\bX\b"):
        check_rows(rows, Y)


def test_vectors_are_named():
    with pytest.raises(
        ValueError, match="groups and y must have the same number of rows, got 3 and"
    ):
        check_rows(X, Y, groups=[1, 2, 3])
    with pytest.raises(ValueError, match="y contains NaN"):
        check_rows(X, [0.0, 1.0, np.nan, 1.0])
