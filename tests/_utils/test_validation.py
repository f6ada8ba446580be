"""Validation: the label rules one by one, and what each check returns."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from sklearn_calib._data.arrays import check_features, check_numeric, check_weights
from sklearn_calib._data.labels import check_labels
from sklearn_calib._data.predictions import check_predictions, check_probabilities
from sklearn_calib._utils.options import check_bandwidth, check_integer, check_option

P2 = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
P3 = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])


# Labels and columns: (labels of y_true, probabilities, options) -> (classes, codes, flipped).

ACCEPTED = {
    "0/1, one column": ([0, 1, 1], P2[:, 1], {}, [0, 1], [0, 1, 1]),
    "0/1, two columns": ([0, 1, 1], P2, {}, [0, 1], [0, 1, 1]),
    "-1/1": ([-1, 1, 1], P2[:, 1], {}, [-1, 1], [0, 1, 1]),
    "bool": ([False, True, True], P2[:, 1], {}, [False, True], [0, 1, 1]),
    "only 1": ([1, 1, 1], P2[:, 1], {}, [0, 1], [1, 1, 1]),
    "only 1, two columns": ([1, 1, 1], P2, {}, [0, 1], [1, 1, 1]),
    "only 0": ([0, 0, 0], P2, {}, [0, 1], [0, 0, 0]),
    "only -1": ([-1, -1, -1], P2, {}, [-1, 1], [0, 0, 0]),
    "only True": ([True] * 3, P2[:, [1]], {}, [False, True], [1, 1, 1]),
    "only False": ([False] * 3, P2, {}, [False, True], [0, 0, 0]),
    "sorted text, two columns": (["b", "a", "b"], P2, {}, ["a", "b"], [1, 0, 1]),
    "sorted numbers, two columns": ([7, 3, 7], P2, {}, [3, 7], [1, 0, 1]),
    "pos_label, one column": (["b", "a", "b"], P2[:, 1], {"pos_label": "b"}, ["a", "b"], [1, 0, 1]),
    "pos_label absent": (["a", "a", "a"], P2[:, 1], {"pos_label": "b"}, ["a", "b"], [0, 0, 0]),
    "pos_label 2 beside only 1": ([1, 1, 1], P2[:, 1], {"pos_label": 2}, [1, 2], [0, 0, 0]),
    "pos_label 2 beside only 1, two columns": ([1, 1, 1], P2, {"pos_label": 2}, [1, 2], [0] * 3),
    "pos_label 1, only 1": ([1, 1, 1], P2, {"pos_label": 1}, [0, 1], [1, 1, 1]),
    "pos_label True": ([0, 1, 1], P2[:, 1], {"pos_label": True}, [0, 1], [0, 1, 1]),
    "labels, one column": (
        ["b", "a", "b"],
        P2[:, 1],
        {"labels": ["a", "b"]},
        ["a", "b"],
        [1, 0, 1],
    ),
    "labels, one present": (["a"] * 3, P2, {"labels": ["a", "b"]}, ["a", "b"], [0, 0, 0]),
    "labels 0, 2": ([2, 2, 2], P2, {"labels": [0, 2]}, [0, 2], [1, 1, 1]),
    "three classes": ([5, 1, 3], P3, {}, [1, 3, 5], [2, 0, 1]),
    "three of text": (["c", "a", "b"], P3, {}, ["a", "b", "c"], [2, 0, 1]),
    "three with labels": ([3, 3, 3], P3, {"labels": [1, 2, 3]}, [1, 2, 3], [2, 2, 2]),
    "floats and int labels": ([3.0, 1.0, 1.0], P3, {"labels": [1, 2, 3]}, [1, 2, 3], [2, 0, 0]),
    "long text": (
        ["b" * 30, "a", "a"],
        P3,
        {"labels": ["a", "b" * 30, "c"]},
        ["a", "b" * 30, "c"],
        [1, 0, 0],
    ),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_label_rules(case):
    y, proba, options, classes, codes = ACCEPTED[case]
    data = check_predictions(y, proba, **options)
    assert data.classes.tolist() == classes
    assert data.codes.tolist() == codes
    assert data.proba.shape == (3, len(classes))
    assert data.proba.dtype == np.float64
    assert_array_equal(data.proba[:, -1], proba if proba.ndim == 1 else proba[:, -1])
    assert (data.n_samples, data.n_classes) == data.proba.shape


FLIPPED = {
    "two columns": (["b", "a", "b"], P2, {"pos_label": "a"}, P2[:, ::-1]),
    "two columns, labels": (["b"] * 3, P2, {"pos_label": "a", "labels": ["a", "b"]}, P2[:, ::-1]),
    "two columns, 0 of 0/1": ([1, 1, 1], P2, {"pos_label": 0}, P2[:, ::-1]),
    "two columns, -1 beside only 1": ([1, 1, 1], P2, {"pos_label": -1}, P2[:, ::-1]),
    "one column": (["b", "a", "b"], P2[:, 0], {"pos_label": "a"}, P2[:, ::-1]),
    "one column, labels": (
        ["b"] * 3,
        P2[:, 0],
        {"pos_label": "a", "labels": ["a", "b"]},
        P2[:, ::-1],
    ),
}


@pytest.mark.parametrize("case", FLIPPED)
def test_the_positive_class_comes_last(case):
    y, proba, options, expected = FLIPPED[case]
    data = check_predictions(y, proba, **options)
    np.testing.assert_allclose(data.proba, expected, rtol=1e-15)
    assert data.classes[1] == options["pos_label"]
    assert_array_equal(data.codes, np.array(y) == options["pos_label"])


def test_rows_of_weight_zero_are_left_out_everywhere():
    X = np.arange(6.0).reshape(3, 2)
    data = check_predictions([0, 1, 1], P2, X, sample_weight=[1.0, 0.0, 2.0])
    assert data.codes.tolist() == [0, 1]
    assert_array_equal(data.proba, P2[[0, 2]])
    assert data.weight.tolist() == [1.0, 2.0]
    assert_array_equal(data.features, X[[0, 2]])
    assert data.n_samples == 2


def test_the_class_of_a_row_of_weight_zero_still_counts_as_a_class():
    data = check_predictions([0, 1, 2], P3, sample_weight=[1.0, 1.0, 0.0])
    assert data.classes.tolist() == [0, 1, 2]
    assert data.codes.tolist() == [0, 1]


def test_predictions_are_frozen():
    with pytest.raises(AttributeError):
        check_predictions([0, 1, 1], P2).proba = P2


# The single checks.


def test_labels_keep_a_plain_dtype():
    for values, kind in [
        ([0, 1], "i"),
        ([True, False], "b"),
        ([0.0, 1.0], "f"),
        (["a", "b"], "U"),
        (np.array(["a", "b"], dtype=object), "U"),
        (np.array([0, 1], dtype=object), "i"),
        (pd.Series(["a", "b"], dtype="string"), "U"),
        (pd.Series([1, 0], dtype="category"), "i"),
        (pd.Series([True, False]), "b"),
        (pd.Series([[1], [0]], dtype="object").explode(), "i"),
        (((0,), (1,)), "i"),
    ]:
        assert check_labels(values).dtype.kind == kind


@pytest.mark.parametrize(
    ("values", "pattern"),
    [
        ([[0], [1, 2]], r"labels of one type.*\['list'\]"),
        ([0, "1"], r"labels of one type.*\['int', 'str'\]"),
        (["a", None], r"labels of one type.*\['NoneType', 'str'\]"),
        ([0.5, 1.0], r"continuous value 0\.5"),
        ([1 + 2j, 1], r"class labels"),
        (np.zeros((2, 2)), r"one label per row.*\(2, 2\).*argmax"),
        (np.zeros((2, 1, 1)), r"one-dimensional.*\(2, 1, 1\)"),
        ("text", r"one-dimensional array.*'text'"),
        (csr_array(np.eye(2)), r"class labels.*[Ss]parse"),
        (pd.Series(pd.to_datetime(["2020", "2021"])), r"class labels.*datetime64"),
        ([], r"is empty"),
    ],
    ids=str,
)
def test_labels_are_refused(values, pattern):
    with pytest.raises(ValueError, match=f"^y_true.*{pattern}"):
        check_labels(values)


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


def test_probabilities_and_features_have_two_axes():
    assert check_probabilities([0.1, 0.2]).shape == (2, 1)
    assert check_features([1, 2]).shape == (2, 1)
    assert check_features([[1, 2]]).shape == (1, 2)


@pytest.mark.parametrize(("off", "accepted"), [(5e-7, True), (-5e-7, True), (2e-6, False)])
def test_row_sums_have_a_tolerance(off, accepted):
    P = [[0.5, 0.5 + off]]
    if accepted:
        assert check_probabilities(P).tolist() == P  # and nothing is renormalised
    else:
        with pytest.raises(ValueError, match=r"within 1e-06; row 0 sums to 1\.000002"):
            check_probabilities(P)


def test_weights():
    assert check_weights(None, 3) is None
    assert check_weights([[1], [2]], 2).tolist() == [1.0, 2.0]
    assert check_weights([True, False], 2).dtype == np.float64


def test_options():
    assert check_option("a", "option", ("a", "b")) == "a"
    for value in ("c", None, 1, ["a"], np.array(["a", "b"])):
        with pytest.raises(ValueError, match="option must be one of 'a', 'b', got"):
            check_option(value, "option", ("a", "b"))


def test_whole_numbers():
    for value in (2, np.int8(2), np.uint64(2)):
        assert type(check_integer(value, "n", 1)) is int
    for value in (0, -1, 2.0, "2", None, True, np.True_, np.nan, [2]):
        with pytest.raises(ValueError, match="n must be a whole number of at least 1, got"):
            check_integer(value, "n", 1)


def test_bandwidths():
    assert check_bandwidth("median") == "median"
    for value in (1, 0.5, np.float32(0.5), np.int64(3), 1e-300, 1e300):
        assert type(check_bandwidth(value)) is float
    for value in (0, -1.0, np.nan, np.inf, 1e-310, "scott", None, True, [0.2], np.array(0.2)):
        with pytest.raises(ValueError, match='width must be a positive number or "median", got'):
            check_bandwidth(value, "width")


def test_weights_whose_sum_overflows_are_refused():
    with pytest.raises(ValueError, match=r"sample_weight is too large to be added up.*1e\+308"):
        check_weights(np.full(6, 1e308), 6)
    assert check_weights(np.full(6, 1e200), 6).tolist() == [1e200] * 6
