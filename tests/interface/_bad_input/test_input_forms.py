"""The same rows in another form give the same result, and nothing that is passed in is changed.

Every public callable that takes rows is called with arrays that are read-only, memory-mapped,
strided, reversed, in Fortran order, of the other byte order or of smaller types, with lists, tuples
and columns of pandas and polars. All numbers are exact in half precision, so results are equal.
"""

import dataclasses
from collections.abc import Mapping
from tempfile import NamedTemporaryFile
from zlib import crc32

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_equal
from sklearn.base import BaseEstimator

from .arguments import describe_argument
from .callables import find_subjects

ROWS = {"labels", "labels of rows", "probabilities", "scores", "features", "weights", "predictions"}
ROWS |= {"groups", "numbers", "rows of a classifier"}


def _memory_map(array, folder):
    if array.dtype.kind == "U":
        return array
    with NamedTemporaryFile(dir=folder, delete=False) as file:
        array.tofile(file)
    return np.memmap(file.name, dtype=array.dtype, mode="r", shape=array.shape)


def _read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def _of_small_type(array):
    small = np.int8 if array.dtype.kind in "iu" else np.float32
    return array.astype(small) if array.dtype.kind in "iuf" else array


def _as_pandas(array):
    return pd.Series(array) if array.ndim == 1 else pd.DataFrame(array, columns=["f", "g"])


def _as_polars(array):
    if array.ndim == 1:
        return pl.Series(array)
    return pl.DataFrame({"f": array[:, 0], "g": array[:, 1]})


FORMS = {
    "read-only": lambda array, folder: _read_only(array),
    "memory-mapped": _memory_map,
    "strided": lambda array, folder: np.repeat(array, 2, axis=0)[::2],
    "reversed": lambda array, folder: array[::-1].copy()[::-1],
    "Fortran order": lambda array, folder: np.asfortranarray(array),
    "other byte order": lambda array, folder: array.astype(array.dtype.newbyteorder()),
    "small type": lambda array, folder: _of_small_type(array),
    "list": lambda array, folder: array.tolist(),
    "tuple": lambda array, folder: tuple(map(_nested_tuple, array.tolist())),
    "pandas": lambda array, folder: _as_pandas(array),
    "polars": lambda array, folder: _as_polars(array),
}


def _nested_tuple(value):
    return tuple(value) if isinstance(value, list) else value


def _row_arguments(name, subject):
    """Return the arguments of a function that are rows."""
    kinds = {key: describe_argument(name, key)[0] for key in subject.parameters}
    return [key for key, kind in kinds.items() if kind in ROWS]


# Displays hand rows to the functions that compute, and drawing takes long.
SUBJECTS = {
    name: (subject, _row_arguments(name, subject))
    for name, subject in find_subjects().items()
    if not name.startswith("display.") and _row_arguments(name, subject)
}


# Training in steps makes more of rounding, and classifiers of scikit-learn compute with float32.
IN_SINGLE_PRECISION = (
    "KernelRecalibrator",
    "CalibratedClassifier",
    "CrossFitTransformer",
    "calibration_test_score",
)

# What the columns of tables are called is part of the answer.
OF_TABLES = {"feature_names"}

# Seconds each, for forms that functions below them read as well.
TAKE_LONG = {"inference.required_sample_size", "report.calibration_report"}


def _answer(name, subject, rows):
    """Return what a call gives, as plain values."""
    arguments = subject.good()
    for key in rows:
        arguments |= subject.good(for_parameter=key)
    arguments |= rows
    if "random_state" in subject.parameters:
        arguments["random_state"] = 0
    result = subject.call(**arguments)
    if isinstance(result, BaseEstimator):
        fitted = describe_argument(name, "S" if "S" in subject.parameters else "X")[1]()
        method = "predict_proba" if hasattr(result, "predict_proba") else "transform"
        return getattr(result, method)(fitted)
    return _plain(result)


def _plain(value):
    if hasattr(value, "to_json"):
        return value.to_json()
    if hasattr(value, "to_dict") and not isinstance(value, pd.DataFrame):
        return value.to_dict()
    if dataclasses.is_dataclass(value):
        return {key: _plain(one) for key, one in vars(value).items()}
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return value


def _assert_same(found, expected, rtol):
    if isinstance(expected, Mapping):
        assert found.keys() == expected.keys()
        for key in expected.keys() - OF_TABLES:
            _assert_same(found[key], expected[key], rtol)
    elif isinstance(expected, np.ndarray | float) and np.asarray(expected).dtype.kind == "f":
        assert_allclose(found, expected, rtol=rtol, atol=1e-14)
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            _assert_same(one, other, rtol)
    else:
        assert_equal(found, expected)


def _check(name, forms, folder):
    subject, row_arguments = SUBJECTS[name]
    plain = {key: np.asarray(describe_argument(name, key)[1]()) for key in row_arguments}
    expected = _answer(name, subject, plain)
    for form in forms:
        given = {key: FORMS[form](array, folder) for key, array in plain.items()}
        before = {key: np.array(values) for key, values in given.items()}
        rtol = 1e-12
        if form == "small type" and any(one in name for one in IN_SINGLE_PRECISION):
            rtol = 1e-5
        _assert_same(_answer(name, subject, given), expected, rtol)
        for key, values in given.items():
            assert np.array_equal(np.asarray(values), before[key]), f"{form} {key} was changed"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in SUBJECTS if name not in TAKE_LONG])
def test_another_form_gives_the_same(name, tmp_path):
    forms = list(FORMS)
    start = crc32(name.encode()) % len(forms)
    _check(name, [forms[start], forms[(start + 5) % len(forms)]], tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SUBJECTS)
def test_every_form_gives_the_same(name, tmp_path):
    _check(name, FORMS, tmp_path)
