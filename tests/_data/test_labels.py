"""Which labels belong to which columns, and which class is the positive one."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from sklearn_calib._data.labels import check_labels
from sklearn_calib._data.predictions import check_predictions

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
