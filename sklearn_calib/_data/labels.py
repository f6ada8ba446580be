"""Validate labels, and find out which column of the probabilities stands for which label."""

from numbers import Number, Real

import numpy as np
from sklearn.utils import check_array

from .._utils.options import shorten
from .arrays import ANY_ARRAY, is_number, is_plain, refuse_hidden

# Whole numbers of a smaller range are counted to find the distinct ones.
_MOST_CODES = 4096


def check_labels(values, name="y_true"):
    """Return class labels as a non-empty one-dimensional array without missing values."""
    refuse_hidden(values, name)
    if isinstance(values, list | tuple):
        values = np.array(values, dtype=object)  # or else [0, "a"] would become ["0", "a"]
    try:
        y = values
        if not is_plain(values) or values.dtype.kind == "f":
            y = check_array(
                values,
                input_name=name,
                **ANY_ARRAY,
            )
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must be an array of class labels without missing values: "
            f"{str(error).strip().removesuffix('.')}. Use numbers, booleans or text, and drop the "
            "rows without a label."
        ) from error
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim == 2:
        refuse_multilabel(y, name)
    if y.ndim != 1:
        came = repr(values) if y.ndim == 0 else f"shape {y.shape}"
        raise ValueError(f"{name} must be a one-dimensional array of class labels, got {came}.")
    if y.size == 0:
        raise ValueError(f"{name} is empty; at least one label is needed.")
    if y.dtype.kind == "O":
        y = _resolve_object_labels(y, name)
    if y.dtype.kind not in "biufU":
        raise ValueError(
            f"{name} must hold class labels, got an array of dtype {y.dtype}. Use numbers, "
            "booleans or text."
        )
    if y.dtype.kind == "f" and not np.array_equal(y, np.floor(y)):
        value = y[y != np.floor(y)][0]
        raise ValueError(
            f"{name} must hold class labels, got the continuous value {value:.10g}. Are {name} "
            "and y_proba swapped?"
        )
    return y


def refuse_multilabel(y, name, probabilities="y_proba"):
    """Raise the error for labels with several columns, which says what works instead."""
    raise ValueError(
        f"{name} must have one label per row, got multilabel data, an array of shape {y.shape}. "
        f"Two ways work: one label at a time, {name}[:, k] with {probabilities}[:, k], or all of "
        f"them pooled, {name}.ravel() with {probabilities}.ravel(). If the rows are one-hot, turn "
        "them into labels with argmax(axis=1)."
    )


def check_target(y):
    """Return the labels that a classifier is to be fitted on in a plain dtype.

    Raises
    ------
    ValueError
        If some are masked or missing, or a row has several.
    """
    refuse_hidden(y, "y")
    y = plain_labels(y)
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        raise ValueError(
            f"y must have one label per row, got multilabel data, an array of shape {np.shape(y)}. "
            "Two ways work: one label at a time, y[:, k], or all of them, by wrapping the "
            "calibrated classifier in sklearn's MultiOutputClassifier. If the rows are one-hot, "
            "turn them into labels with argmax(axis=1)."
        )
    return y


def plain_labels(y):
    """Return labels of an object array in the dtype of its entries.

    Numbers and booleans become arrays of their kind, and text stays as it is. A mixture, or missing
    labels, are refused.
    """
    array = y if hasattr(y, "dtype") else np.asarray(y, dtype=object)
    if str(getattr(array, "dtype", "")) != "object" or np.ndim(array) != 1:
        return y
    values = np.asarray(array, dtype=object)
    resolved = _resolve_object_labels(values, "y") if values.size else values
    return y if resolved.dtype.kind == "U" else resolved


def _resolve_object_labels(y, name):
    """Give an object array of equal-typed labels the dtype of its entries."""
    kinds = {str if isinstance(v, str) else Number if is_number(v) else type(v) for v in y}
    if kinds <= {str} or kinds <= {Number}:
        return np.array(y.tolist())
    names = sorted({type(v).__name__ for v in y})
    raise ValueError(
        f"{name} must hold labels of one type without missing values, got the types {names}. "
        "Drop the rows without a label, and use strings only or numbers only."
    )


def distinct_labels(y):
    """Return the distinct values of checked labels, sorted."""
    if y.dtype.kind in "biuf":  # mostly two numbers, or small whole ones, need no search
        low, high = y.min(), y.max()
        gap = _MOST_CODES if y.dtype.kind == "f" else int(high) - int(low)
        if gap <= 1 or np.all((y == low) | (y == high)):
            return np.array([low] if low == high else [low, high], dtype=y.dtype)
        if gap < _MOST_CODES:
            return np.flatnonzero(np.bincount(_above(y, low))).astype(y.dtype) + low
    return np.unique(y)


def _above(y, low):
    """Return how far whole numbers are above the lowest, without overflow of small types."""
    return y.astype(np.int64) - low.astype(np.int64)


def encode_labels(y, present, n_columns, pos_label, labels):
    """Return (classes, codes) by the label rules; binary classes are (negative, positive).

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Checked labels.
    present : ndarray
        The distinct ones.
    n_columns : int
        Number of columns of the probabilities.
    pos_label, labels : object
        As in `check_predictions`.
    """
    check_pos_label(pos_label)
    if labels is not None:
        labels = _check_class_list(labels, max(n_columns, 2))
        unknown = [
            v for v in present.tolist() if not any(same_label(v, c) for c in labels.tolist())
        ]
        if unknown:
            raise ValueError(
                f"y_true contains {unknown}, which labels={labels.tolist()} does not list. Pass "
                "every class in labels, in sorted order. In a scorer, labels are the classes of "
                "the training fold: stratify the splits so that each has every class."
            )
    if n_columns <= 2:
        classes = _binary_classes(present, n_columns, pos_label, labels)
        return classes, (y == classes[1]).astype(np.int64)
    if pos_label is not None:
        raise ValueError(
            f"pos_label={pos_label!r} applies to binary data, but y_proba has {n_columns} columns. "
            "Leave it out; columns follow the sorted labels."
        )
    if labels is None:
        if present.size != n_columns:
            raise ValueError(
                f"y_true holds {present.size} distinct labels {_show(present)} but y_proba has "
                f"{n_columns} columns. Pass labels=, the sorted list of the {n_columns} classes "
                "that the columns stand for (classes_ of the classifier)."
            )
        labels = present
    return labels, np.searchsorted(labels, y)


def check_pos_label(pos_label):
    """Raise unless the positive class is None or a label: text, or a number or boolean."""
    if pos_label is None or isinstance(pos_label, str):
        return
    if not isinstance(pos_label, Real | np.bool_) or pos_label != pos_label:
        raise ValueError(
            f"pos_label must be one label, got {shorten(pos_label)}. Pass one of y_true's."
        )


def _binary_classes(present, n_columns, pos_label, labels):
    """Return the (negative, positive) pair of labels."""
    if labels is None and present.size > 2:
        raise ValueError(
            f"y_true holds {present.size} distinct labels {_show(present)} but y_proba is binary, "
            f"with {n_columns} column{'s' if n_columns > 1 else ''}. Pass one column per class."
        )
    if labels is not None:
        pair = labels
    elif n_columns == 2 and present.size == 2:
        pair = present
    elif _is_conventional(present if pos_label is None else np.append(present, pos_label)):
        negative = -1 if present[0] == -1 or pos_label == -1 else 0
        pair = np.array([negative, 1]).astype(present.dtype)
    elif pos_label is not None:
        pair = _pair_from_pos_label(present, n_columns, pos_label)
    else:
        hint = "labels=" if n_columns == 2 else "pos_label= or labels="
        raise ValueError(
            f"y_true holds {_show(present)}, which does not tell the positive class: without "
            f"{hint} the labels must lie in {{0, 1}}, {{-1, 1}} or {{False, True}}"
            f"{' or both classes must occur' if n_columns == 2 else ''}. Pass {hint}."
        )
    if pos_label is None or same_label(pos_label, pair[1]):
        return pair
    if same_label(pos_label, pair[0]):
        return pair[::-1]
    raise ValueError(
        f"pos_label={pos_label!r} is not one of the labels {_show(pair)}. Pass one of these."
    )


def _pair_from_pos_label(present, n_columns, pos_label):
    """Complete the pair of labels from those present and the positive one."""
    if isinstance(pos_label, str) != (present.dtype.kind == "U"):
        raise ValueError(
            f"pos_label={pos_label!r} and the labels {_show(present)} of y_true differ in type. "
            "Pass the label as it stands in y_true."
        )
    others = np.array([v for v in present.tolist() if not same_label(v, pos_label)])
    if others.size == 2:
        raise ValueError(
            f"pos_label={pos_label!r} is not one of the labels {_show(present)}. Pass one of these."
        )
    if others.size == 0 and n_columns == 2:
        raise ValueError(
            f"y_true holds only {_show(present)}, so the class of the other column of y_proba is "
            "not known. Pass labels=, the sorted pair of classes."
        )
    other = others[0] if others.size else f"not {pos_label}"
    pair = np.array([other, pos_label], dtype=None if others.size else object)
    return pair if n_columns == 1 else sorted_pair(pair)


def _check_class_list(labels, n_classes):
    """Return `labels` as an array: sorted, distinct, one per column."""
    labels = check_labels(labels, "labels")
    if labels.size != n_classes:
        raise ValueError(
            f"labels={labels.tolist()} must list {n_classes} classes, one per column of y_proba"
            f"{' (two for one column)' if n_classes == 2 else ''}, got {labels.size}."
        )
    if not np.array_equal(np.unique(labels), labels):
        raise ValueError(
            f"labels={labels.tolist()} must be distinct and in sorted order, "
            f"{np.unique(labels).tolist()}, as the columns of y_proba are in scikit-learn. "
            "Re-order the columns of y_proba the same way."
        )
    return labels


def _is_conventional(present):
    if present.dtype.kind not in "biuf":
        return False
    values = set(present.tolist())
    return values <= {0, 1} or values <= {-1, 1}


def same_label(a, b):
    """Compare two labels; text never equals a number."""
    return isinstance(a, str) == isinstance(b, str) and bool(a == b)


def sorted_pair(pair):
    return pair if pair[0] <= pair[1] else pair[::-1]


def _show(values):
    shown = values.tolist()
    return str(shown) if len(shown) <= 10 else f"[{', '.join(map(repr, shown[:10]))}, ...]"
