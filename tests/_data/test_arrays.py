"""Numbers, features and weights become arrays or are refused with a reason."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from sklearn_calib._data.arrays import check_numeric, check_weights


def test_numbers_become_float64():
    for values in (
        [1, 2],
        [True, False],
        np.array([1, 2], dtype=np.float16),
        np.array([1, 2], dtype=object),
        np.array([1, 2], dtype=np.longdouble),
        pd.Series([1, 2], dtype="Int8"),
        pd.Series([True, False], dtype="boolean"),
        pd.DataFrame({"a": [1, 2], "b": [True, False]}),
        pd.Series([1, 2], dtype="category"),
    ):
        assert check_numeric(values, "X").dtype == np.float64


def test_float64_arrays_are_not_copied():
    values = np.zeros((3, 2))
    assert np.shares_memory(check_numeric(values, "X"), values)


@pytest.mark.parametrize(
    ("values", "pattern"),
    [
        ([["a"], ["b"]], r"numeric.*<U1.*Encode text and dates"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]}), r"numeric.*'u' of type str.*Encode"),
        (pd.Series(["1", "2"], dtype="category"), r"numeric.*'1' of type str.*Encode"),
        (pd.Series(["1", "2"], dtype="string"), r"numeric.*'1' of type str.*Encode"),
        (pd.Series(pd.to_datetime(["2020", "2021"])), r"numeric.*datetime64.*Encode"),
        (pd.Series(pd.to_timedelta([1, 2], unit="D")), r"numeric.*timedelta64.*Encode"),
        (
            pd.DataFrame({"a": [1.0], "b": pd.to_datetime(["2020"])}),
            r"numeric.*Encode text and dates",
        ),
        (pd.Series(pd.to_datetime(["2020"]).tz_localize("UTC")), r"numeric.*Encode"),
        ([1 + 1j], r"numeric.*Complex"),
        ([[1.0], [1.0, 2.0]], r"numeric.*inhomogeneous"),
        (csr_array(np.eye(2)), r"numeric.*[Ss]parse.*toarray"),
        ([1.0, None], r"finite; row 1 is nan.*impute"),
        ([[0.0, 1.0], [-np.inf, 0.0]], r"finite; row 1, column 0 is -inf.*impute"),
        ([np.finfo(float).max, np.finfo(float).max, np.nan], r"finite; row 2 is nan"),
        (1.0, r"one or two dimensions.*\(\)"),
        (np.zeros((1, 1, 1)), r"one or two dimensions.*\(1, 1, 1\)"),
        (np.zeros((0, 3)), r"is empty"),
    ],
    ids=str,
)
def test_numbers_are_refused(values, pattern):
    with pytest.raises(ValueError, match=f"^X.*{pattern}"):
        check_numeric(values, "X")


def test_large_finite_numbers_are_accepted():
    """Their sum overflows, which must not count as an infinite entry."""
    largest = np.finfo(float).max
    assert check_numeric([largest, largest], "X").tolist() == [largest, largest]


def test_weights():
    assert check_weights(None, 3) is None
    assert check_weights([[1], [2]], 2).tolist() == [1.0, 2.0]
    assert check_weights([True, False], 2).dtype == np.float64


def test_weights_whose_sum_overflows_are_refused():
    with pytest.raises(ValueError, match=r"sample_weight is too large to be added up.*1e\+308"):
        check_weights(np.full(6, 1e308), 6)
    assert check_weights(np.full(6, 1e200), 6).tolist() == [1e200] * 6
