"""What can be wrong with rows: labels, probabilities, features, weights, groups, stored arrays."""

import numpy as np
import pandas as pd
import polars as pl
from scipy.sparse import csr_array

from .arguments import N
from .options import HUGE, types, without


def _with(array, value, dtype=None):
    """Return a copy of an array with another value in the fourth row."""
    array = np.asarray(array)
    copy = np.array(array, dtype=dtype or np.result_type(array.dtype, np.float64))
    copy[3] = value
    return copy


def _first_column(array):
    return array.reshape(len(array), -1)[:, 0]


def _arrays(good):
    """Return what is wrong with any rows of numbers or labels."""
    good = np.asarray(good)
    missing = pd.Series(_with(_first_column(good), np.nan)).convert_dtypes()
    return {
        **types(),
        "a number": 1,
        "an empty list": [],
        "no rows": good[:0],
        "one row less": good[:-1],
        "one row more": np.concatenate([good, good[:1]]),
        "three dimensions": np.stack([good.reshape(N, -1)] * 2),
        "complex numbers": good.astype(complex),
        "dates": np.full(N, "2026-01-01", dtype="M8[D]"),
        "bytes in an array": np.full(N, b"0.3"),
        "NaN inside": _with(good, np.nan),
        "infinity inside": _with(good, np.inf),
        "None inside": _with(good, None, object),
        "None in a list": _with(good, None, object).tolist(),
        "an object inside": _with(good, object(), object),
        "a huge number inside": _with(good, HUGE, object),
        "a list inside": [[0.1, 0.2], *good.ravel().tolist()[1:N]],
        "dicts inside": [{}] * N,
        "a missing value in pandas": missing,
        "a missing value in polars": pl.Series([None, *_first_column(good)[1:].tolist()]),
        "a generator": (value for value in good.tolist()),
        "a set": set(good.ravel().tolist()),
        "a sparse matrix": csr_array(good.reshape(N, -1)),
        "masked values": np.ma.masked_array(good, mask=np.ones(good.shape, bool)),
    }


def labels(good):
    return {
        **_arrays(good),
        "fractions": np.asarray(good) + 0.5,
        "several labels a row": np.eye(N, 3, dtype=int),
        "types mixed": ["a", 1] * (N // 2),
        "more classes": np.arange(N) % 3,
    }


def labels_of_rows(good):
    return without(labels(good), "more classes")


def probabilities(good):
    good = np.asarray(good)
    return {
        **_arrays(good),
        "a negative number": _with(good, -0.1),
        "a number above one": _with(good, 1.1),
        "percentages": 100 * good,
        "text of numbers": good.astype(str),
        "text of numbers in a list": good.astype(str).tolist(),
        "rows that do not sum to one": np.column_stack([good, good]),
        "too many columns": np.column_stack([good, good, good]) / 3,
        "no columns": np.empty((N, 0)),
    }


def scores(good):
    in_range = ("a negative number", "a number above one", "percentages")
    return without(probabilities(good), *in_range, "rows that do not sum to one")


def predictions(good):
    return without(probabilities(good), "one row less", "one row more", "too many columns")


def features(good):
    # Text, dates, missing values and objects are categories.
    categories = ("NaN inside", "None inside", "None in a list", "an object inside", "dates")
    categories += ("bytes in an array", "dicts inside", "a list inside")
    categories += ("a missing value in pandas", "a missing value in polars")
    return {**without(_arrays(good), *categories), "no columns": np.empty((N, 0))}


def rows(good):
    """Return what no classifier can take; the rest is its own business."""
    wrong = _arrays(good)
    kinds = ("a number", "no rows", "one row less", "one row more", "a generator", "a set")
    kinds += ("masked values", "an empty list", *types())
    return {**{kind: wrong[kind] for kind in kinds}, "text inside": np.full((N, 2), "a")}


def weights(good):
    return {
        **_arrays(good),
        "a negative weight": _with(good, -1.0),
        "zeros": np.zeros(N),
        "two columns": np.ones((N, 2)),
        "text of numbers": np.full(N, "1.0"),
        "weights too large": np.full(N, 1e308),
    }


def weights_of_a_batch(good):
    return without(weights(good), "zeros")


def groups(good):
    good = np.asarray(good)
    return {
        **types(),
        "a number": 1,
        "one row less": good[:-1],
        "no rows": good[:0],
        "three dimensions": np.full((N, 2, 2), "a"),
        "a generator": (value for value in good.tolist()),
        "a set": set(good.tolist()),
        "dicts inside": [{}] * N,
        "complex numbers": np.arange(N) % 2 + 0j,
        "no columns": np.empty((N, 0)),
        "masked values": np.ma.masked_array(good, mask=np.ones(N, bool)),
    }


def groups_of_rows(good):
    """Groups that only a splitter reads."""
    left = ("dicts inside", "complex numbers", "no columns", "three dimensions")
    return without(groups(good), *left)


def segments_of_a_batch(good):
    return without(groups(good), "a text", "a number", "a date")


def locations(good):
    """Return what are no points of the simplex; there may be any number of them."""
    left = ("one row less", "one row more", "a number", "too many columns")
    return without(probabilities(np.resize(good, N)), *left)


def models(good):
    a = good["a"]
    return {
        **types(),
        "a number": 5,
        "an empty list": [],
        "one model": {"a": a},
        "a model with other rows": {"a": a, "b": a[:-1]},
        "a model with wrong numbers": {"a": a, "b": 2 * a},
        "a model of text": {"a": a, "b": "abc"},
        "nothing inside": {"a": a, "b": None},
        "a set": {1, 2},
    }


def models_of_estimators(good):
    return {
        **types(),
        "a number": 5,
        "an empty list": [],
        "text inside": {"a": "abc"},
        "nothing inside": {"a": None},
        "a list": list(good.values()),
        "a set": {1, 2},
    }


def folds_of_models(good):
    return {
        **types(),
        "a number": 5,
        "a list": [1],
        "no indices": {"estimator": []},
        "text inside": {"estimator": "abc", "indices": "abc"},
        "nothing inside": {"estimator": None, "indices": None},
    }


def numbers(good):
    good = np.asarray(good)
    return {
        **types(),
        "a number": 1,
        "no rows": good[:0],
        "three dimensions": np.ones((3, 3, 3)),
        "complex numbers": good.astype(complex),
        "NaN inside": _with(good, np.nan),
        "infinity inside": _with(good, np.inf),
        "None inside": _with(good, None, object),
        "a huge number inside": _with(good, HUGE, object),
        "text of numbers": good.astype(str),
        "dates": np.full(N, "2026-01-01", dtype="M8[D]"),
        "a generator": (value for value in good.tolist()),
        "a set": {1, 2},
        "a sparse matrix": csr_array(good.reshape(len(good), -1)),
    }


def draws(good):
    return without(numbers(good), "NaN inside", "infinity inside")


def points(good):
    """Return what is wrong with an array that a display has stored."""
    good = np.asarray(good)
    along = -1 if len(good) == 1 else 0
    first = np.take(good, [0], axis=along)
    return {
        **without(types(), "nothing"),
        "a number": 0.5,
        "a list of text": ["a"] * len(good),
        "one less": np.delete(good, 0, axis=along),
        "one more": np.concatenate([good, first], axis=along),
        "complex numbers": good.astype(complex) + 1j,
        "None inside": [None] * len(good),
        "three dimensions": np.stack([np.stack([good] * 2)] * 2),
        "a set": {0.1, 0.2, 0.3},
    }


def row_numbers(good):
    good = np.asarray(good)
    return {
        **without(types(), "nothing"),
        "a number": 3,
        "fractions": good + 0.5,
        "rows that are not there": good + 1000,
        "negative": good - 1000,
        "NaN": np.full(good.shape, np.nan),
        "text": np.full(good.shape, "a"),
        "an empty list": [],
        "one row": good[0],
        "one column less": good[:, :-1],
        "complex": good + 0j,
    }
