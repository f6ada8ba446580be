"""Validate what users pass: labels, probabilities, weights, features and options.

Every check raises a ``ValueError`` that names the argument, what came, what is allowed and what to
try next. Nothing is clipped, re-ordered or dropped silently; the one exception is documented:
rows of weight zero are left out, which is what weight zero means.
"""

from dataclasses import dataclass
from numbers import Integral, Number, Real

import numpy as np
from sklearn.utils import check_array

ROW_SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Predictions:
    """Validated labels and probabilities, in one form for binary and multiclass data.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,)
        The label of each row as a column number of `proba`.
    proba : ndarray of shape (n_samples, n_classes)
        float64 probabilities with at least two columns. Binary data always come as
        (negative, positive) class, whichever way they were passed.
    classes : ndarray of shape (n_classes,)
        The label that each column stands for.
    weight : ndarray of shape (n_samples,) or None
        Positive weights; rows of weight zero have been left out everywhere.
    features : ndarray of shape (n_samples, n_features) or None
        float64 features.
    """

    codes: np.ndarray
    proba: np.ndarray
    classes: np.ndarray
    weight: np.ndarray | None = None
    features: np.ndarray | None = None

    @property
    def n_samples(self):
        """Number of rows of positive weight."""
        return self.proba.shape[0]

    @property
    def n_classes(self):
        """Number of columns."""
        return self.proba.shape[1]


def check_predictions(y_true, y_proba, X=None, *, sample_weight=None, pos_label=None, labels=None):
    """Validate the data arguments of a metric or test and return `Predictions`.

    Pandas objects are read by position, never aligned by their index.
    """
    proba = check_probabilities(y_proba)
    y = check_labels(y_true)
    check_same_length(y_true=y, y_proba=proba)
    classes, codes = _encode_labels(y, proba.shape[1], pos_label, labels)
    proba = arrange_columns(proba, classes)
    features = None
    if X is not None:
        features = check_features(X)
        check_same_length(y_true=y, X=features)
    weight = check_weights(sample_weight, y.size)
    if weight is not None and not weight.all():
        keep = weight > 0
        codes, proba, weight = codes[keep], proba[keep], weight[keep]
        features = None if features is None else features[keep]
    return Predictions(codes, proba, classes, weight, features)


def check_probabilities(values, name="y_proba"):
    """Return probabilities as a float64 matrix; (n,) becomes (n, 1)."""
    proba = check_numeric(values, name)
    if proba.ndim == 1:
        proba = proba[:, np.newaxis]
    if proba.shape[1] == 0:
        raise ValueError(f"{name} has no column; pass one column, or one per class.")
    check_unit_interval(proba, name)
    if proba.shape[1] > 1:
        sums = proba.sum(axis=1)
        off = np.abs(sums - 1.0)
        row = int(off.argmax())
        if off[row] > ROW_SUM_TOLERANCE:
            raise ValueError(
                f"The rows of {name} must sum to one within {ROW_SUM_TOLERANCE:g}; row {row} sums "
                f"to {sums[row]:.8g}. Pass the output of predict_proba, or divide each row by its "
                "sum if the columns are unnormalised."
            )
    return proba


def arrange_columns(proba, classes):
    """Return binary probabilities as columns (negative, positive) class, others as they are.

    Parameters
    ----------
    proba : ndarray of shape (n_samples, n_columns)
        One column (positive class), or columns that follow the sorted classes.
    classes : ndarray of shape (n_classes,)
        For binary data (negative, positive).
    """
    if proba.shape[1] == 1:
        return np.column_stack([1.0 - proba[:, 0], proba[:, 0]])
    if proba.shape[1] == 2 and _same(classes[1], _sorted(classes)[0]):
        return proba[:, ::-1]
    return proba


def check_unit_interval(values, name):
    """Raise unless every entry of a finite matrix lies in [0, 1]."""
    if values.min() < 0.0 or values.max() > 1.0:
        row, column = np.argwhere((values < 0.0) | (values > 1.0))[0]
        raise ValueError(
            f"{name} must hold probabilities in [0, 1]; row {row}, column {column} is "
            f"{values[row, column]:.10g}. Pass the output of predict_proba, not scores or logits."
        )


def check_features(values, name="X"):
    """Return features as a float64 matrix; (n,) is one feature."""
    features = check_numeric(values, name)
    if features.ndim == 1:
        features = features[:, np.newaxis]
    if features.shape[1] == 0:
        raise ValueError(f"{name} has no column; at least one feature is needed.")
    return features


def check_numeric(values, name):
    """Return a non-empty, finite float64 array of one or two dimensions.

    Text and dates are refused even where NumPy could turn them into numbers.
    """
    hint = "Encode text and dates as numbers first."
    try:
        array = check_array(
            values,
            dtype=None,
            ensure_2d=False,
            allow_nd=True,
            ensure_all_finite=False,
            ensure_min_samples=0,
            ensure_min_features=0,
            input_name=name,
        )
        if array.dtype.kind == "O":
            array = _numbers_of_objects(array)
    except (TypeError, ValueError) as error:
        reason = str(error).strip().removesuffix(".")
        raise ValueError(f"{name} must be a numeric array: {reason}. {hint}") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must be numeric, got an array of dtype {array.dtype}. {hint}")
    array = array.astype(np.float64, copy=False)
    if array.ndim not in (1, 2):
        raise ValueError(
            f"{name} must have one or two dimensions, got an array of shape {array.shape}."
        )
    if array.shape[0] == 0:
        raise ValueError(f"{name} is empty; at least one row is needed.")
    if not np.isfinite(array).all():
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        column = "" if array.ndim == 1 else f", column {where[1]}"
        raise ValueError(
            f"{name} must be finite; row {where[0]}{column} is {array[where]}. Drop or impute "
            "NaN and infinity first."
        )
    return array


def _numbers_of_objects(array):
    """Turn an object array into float64 unless it holds anything but numbers (None is NaN)."""
    for value in array.flat:
        if value is not None and not _is_number(value):
            raise TypeError(f"it holds {value!r} of type {type(value).__name__}")
    return array.astype(np.float64)


def check_labels(values, name="y_true"):
    """Return class labels as a non-empty one-dimensional array without missing values."""
    if isinstance(values, list | tuple):
        values = np.array(values, dtype=object)  # or else [0, "a"] would become ["0", "a"]
    try:
        y = check_array(
            values,
            dtype=None,
            ensure_2d=False,
            allow_nd=True,
            ensure_min_samples=0,
            ensure_min_features=0,
            input_name=name,
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
        raise ValueError(
            f"{name} must have one label per row, got an array of shape {y.shape}. Turn one-hot "
            "rows into labels with argmax(axis=1); multilabel data are not supported."
        )
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


def _resolve_object_labels(y, name):
    """Give an object array of equal-typed labels the dtype of its entries."""
    kinds = {str if isinstance(v, str) else Number if _is_number(v) else type(v) for v in y}
    if kinds <= {str} or kinds <= {Number}:
        return np.array(y.tolist())
    names = sorted({type(v).__name__ for v in y})
    raise ValueError(
        f"{name} must hold labels of one type without missing values, got the types {names}. "
        "Drop the rows without a label, and use strings only or numbers only."
    )


def _is_number(value):
    return isinstance(value, Number | np.bool_)


def check_same_length(**arrays):
    """Raise unless all arrays have as many rows as the first."""
    (first, reference), *others = arrays.items()
    for name, array in others:
        if array.shape[0] != reference.shape[0]:
            raise ValueError(
                f"{first} and {name} must have the same number of rows, got {reference.shape[0]} "
                f"and {array.shape[0]}."
            )


def check_weights(sample_weight, n_samples):
    """Return weights as a float64 vector, or None."""
    if sample_weight is None:
        return None
    weight = check_numeric(sample_weight, "sample_weight")
    if weight.ndim == 2 and weight.shape[1] == 1:
        weight = weight[:, 0]
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have shape ({n_samples},), one weight per row, got {weight.shape}."
        )
    if weight.min() < 0:
        row = int(weight.argmin())
        raise ValueError(
            f"sample_weight must not be negative; row {row} has weight {weight[row]:.10g}."
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not np.isfinite(total):
        raise ValueError(
            f"sample_weight is too large to be added up; the largest is {weight.max():.3g}. Divide "
            "all weights by it."
        )
    return weight


def _encode_labels(y, n_columns, pos_label, labels):
    """Return (classes, codes) by the label rules; binary classes are (negative, positive)."""
    present = np.unique(y)
    if pos_label is not None and np.ndim(pos_label) > 0:
        raise ValueError(f"pos_label must be one label, got {pos_label!r}. Pass one of y_true's.")
    if labels is not None:
        labels = _check_class_list(labels, max(n_columns, 2))
        unknown = [v for v in present.tolist() if not any(_same(v, c) for c in labels.tolist())]
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
        pair = np.array([-1 if -1 in present or pos_label == -1 else 0, 1]).astype(present.dtype)
    elif pos_label is not None:
        pair = _pair_from_pos_label(present, n_columns, pos_label)
    else:
        hint = "labels=" if n_columns == 2 else "pos_label= or labels="
        raise ValueError(
            f"y_true holds {_show(present)}, which does not tell the positive class: without "
            f"{hint} the labels must lie in {{0, 1}}, {{-1, 1}} or {{False, True}}"
            f"{' or both classes must occur' if n_columns == 2 else ''}. Pass {hint}."
        )
    if pos_label is None or _same(pos_label, pair[1]):
        return pair
    if _same(pos_label, pair[0]):
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
    others = np.array([v for v in present.tolist() if not _same(v, pos_label)])
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
    return pair if n_columns == 1 else _sorted(pair)


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


def _same(a, b):
    """Compare two labels; text never equals a number."""
    return isinstance(a, str) == isinstance(b, str) and bool(a == b)


def _sorted(pair):
    return pair if pair[0] <= pair[1] else pair[::-1]


def _show(values):
    shown = values.tolist()
    return str(shown) if len(shown) <= 10 else f"[{', '.join(map(repr, shown[:10]))}, ...]"


def check_option(value, name, allowed):
    """Raise unless `value` is one of the strings in `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        options = ", ".join(repr(option) for option in allowed)
        raise ValueError(f"{name} must be one of {options}, got {value!r}.")
    return value


def check_integer(value, name, minimum):
    """Return a whole number of at least `minimum` as int."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or value < minimum:
        raise ValueError(f"{name} must be a whole number of at least {minimum}, got {value!r}.")
    return int(value)


def check_real(value, name, *, below=np.inf):
    """Return a number above zero and below a limit as float."""
    real = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not real or not 0 < value < below:
        limit = "" if below == np.inf else f" and below {below:g}"
        raise ValueError(f"{name} must be a finite number above 0{limit}, got {value!r}.")
    return float(value)


def check_bandwidth(value, name="bandwidth"):
    """Return "median" or a positive float."""
    if isinstance(value, str) and value == "median":
        return value
    real = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    # Division by a subnormal number overflows.
    if not real or not np.isfinite(value) or value < np.finfo(np.float64).tiny:
        raise ValueError(f'{name} must be a positive number or "median", got {value!r}.')
    return float(value)
