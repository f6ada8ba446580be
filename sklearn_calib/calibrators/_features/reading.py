"""Read ``[P | X]``: numbers, or a table with text, categories and missing values."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import column_or_1d
from sklearn.utils.validation import validate_data

from ..._data.arrays import check_same_length, refuse_hidden, refuse_lazy
from ..._data.features import FeatureEncoder, FeatureTable, read_features
from ..._data.fitting.scores import check_class_labels, prepare_training_data, score_matrix
from ..._data.labels import plain_labels
from ..._data.named_columns import arrange_scores
from ..._utils.arguments.named_errors import naming


def read_training_rows(estimator, S, y):
    """Return `S` as a `FeatureTable` and the labels; set what scikit-learn wants to be known."""
    refuse_lazy(S, "S")
    if _is_plain(S):
        with naming("S", "y"):
            S, y = prepare_training_data(S, y, allow_nan=True)
            S, y = validate_data(estimator, S, y, **_NUMBERS)
        check_class_labels(y)
        return read_features(S, "S"), y
    refuse_hidden(y, "y")
    with naming("y"):
        y = column_or_1d(plain_labels(y), warn=True)
    check_class_labels(y)
    S = arrange_scores(S, np.unique(y))
    with naming("S"):
        validate_data(estimator, S, skip_check_array=True)
    table = read_features(S, "S")
    check_same_length(S=table, y=y)
    return table, y


def read_rows(estimator, S):
    """Return `S` in the form seen in `fit` as a `FeatureTable`."""
    refuse_lazy(S, "S")
    if _is_plain(S):
        S = arrange_scores(S, estimator.classes_)
        with naming("S"):
            S = validate_data(estimator, score_matrix(S, allow_nan=True), reset=False, **_NUMBERS)
    else:
        S = arrange_scores(S, estimator.classes_)
        with naming("S"):
            validate_data(estimator, S, reset=False, skip_check_array=True)
    return read_features(S, "S")


def encode_features(categorical_features, features):
    """Return a fitted encoder and the features as it sees them; None for both if there are none."""
    encoder = FeatureEncoder(categorical_features)
    if features is None:
        encoder.chosen(_NO_FEATURES)  # to refuse an option that says what features there are
        return None, None
    return encoder.fit(features), encoder.transform(features)


_NO_FEATURES = FeatureTable(columns=[], names=[], named=False, typed=False, argument="S")
_NUMBERS = {"dtype": np.float64, "ensure_all_finite": "allow-nan"}


def _is_plain(S):
    """Return whether scikit-learn can validate `S` as a matrix of numbers."""
    if hasattr(S, "columns") and not callable(S.columns):
        return False
    if issparse(S) or S is None:
        return True
    known = hasattr(getattr(S, "dtype", None), "kind")  # that of polars has none
    array = S if known else np.asarray(S, dtype=object)
    if array.dtype.kind not in "OUT" or array.ndim != 2:
        return True
    return not any(isinstance(value, str) or value is None for value in np.asarray(array).flat)
