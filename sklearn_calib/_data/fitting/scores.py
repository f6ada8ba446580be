"""Look at the scores and labels of a calibrator before scikit-learn validates them."""

from datetime import date, time, timedelta

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets

from ..._utils.arguments.named_errors import naming
from ..arrays import is_plain, refuse_hidden
from ..labels import plain_labels, refuse_multilabel
from ..named_columns import arrange_scores

_NOT_NUMBERS = (str, bytes, date, time, timedelta, np.str_, np.bytes_, np.datetime64)


def prepare_training_data(S, y, allow_nan=False):
    """Return scores as a matrix and labels in a plain dtype, ready for `validate_data`.

    Columns of a table that are called like the classes are put in the order of the classes.
    """
    refuse_hidden(y, "y")
    with naming("y"):
        y = plain_labels(y)
        labels = np.asarray(y)
    if getattr(y, "ndim", 1) == 2 and y.shape[1] > 1:
        refuse_multilabel(y, "y", "S")
    if labels.dtype.kind == "c":
        raise ValueError(
            f"y must hold class labels, got an array of dtype {labels.dtype}. Complex data not "
            "supported."
        )
    if labels.ndim == 1 and labels.dtype.kind == "f" and np.isfinite(labels).all():
        check_class_labels(labels)  # before the scores, which may be the labels
    classes = _distinct(y)
    S = score_matrix(S if classes is None else arrange_scores(S, classes), allow_nan)
    counted = labels.ndim and getattr(S, "shape", None) and not issparse(S)
    if counted and S.shape[0] != labels.shape[0]:
        raise ValueError(
            f"S and y must have the same number of rows, got {S.shape[0]} and {labels.shape[0]}."
        )
    return S, y


def check_class_labels(y):
    """Raise scikit-learn's error for regression targets, with what the reason may be."""
    try:
        with naming("y"):
            check_classification_targets(y)
    except ValueError as error:
        fractions = y[y != np.floor(y)] if y.dtype.kind == "f" else []
        if not len(fractions):
            raise
        value = fractions[0]
        raise ValueError(
            f"{error} y must hold class labels, got the continuous value {value:.10g}. Are y and S "
            "swapped?"
        ) from error


def score_matrix(S, allow_nan=False):
    """Make a vector one column and refuse what is not made of finite numbers.

    NaN is kept if `allow_nan`. The rest is left to `validate_data`.
    """
    refuse_hidden(S, "S")
    if not is_plain(S) and getattr(getattr(S, "dtype", None), "name", None) == "bfloat16":
        raise ValueError(
            "S has the dtype bfloat16, which is too coarse to learn a calibration map from. "
            "Compute the scores in float32, or convert them with astype(numpy.float32)."
        )
    if not hasattr(S, "ndim") and not hasattr(S, "columns"):
        S = np.asarray(S)
    if issparse(S):
        return S
    if len(getattr(S, "shape", ())) == 1:
        S = np.asarray(S).reshape(-1, 1)
    _refuse_other_than_numbers(np.asarray(S))
    if isinstance(S, np.ndarray) and S.ndim == 2 and S.dtype.kind == "f":
        good = ~np.isinf(S) if allow_nan else np.isfinite(S)
        if not good.all():
            row, column = np.argwhere(~good)[0]
            raise ValueError(
                f"S must be finite, without NaN and infinity; row {row}, column {column} is "
                f"{S[row, column]}. Leave out such rows, or find out why the classifier gives them."
            )
    return S


def _refuse_other_than_numbers(array):
    """Raise for text, bytes, dates and durations, which NumPy turns into numbers without a word."""
    found = None
    if array.dtype.kind in "USmMT":
        found = f"an array of dtype {array.dtype}"
    elif array.dtype.kind == "O":
        others = [value for value in array.flat if isinstance(value, _NOT_NUMBERS)]
        if others:
            found = f"{others[0]!r} of type {type(others[0]).__name__}"
    if found:
        raise ValueError(
            f"S must hold numbers, the scores of a classifier, got {found}. Convert text that "
            "stands for numbers with astype(float); dates and durations are no scores."
        )


def _distinct(y):
    """Return the sorted distinct labels, or None if they cannot be sorted."""
    try:
        return np.unique(np.asarray(y))
    except TypeError:
        return None
