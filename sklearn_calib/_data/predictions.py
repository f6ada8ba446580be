"""Validate predicted probabilities and what comes with them.

Every check raises a ``ValueError`` that names the argument, what came, what is allowed and what to
try next. What changes the numbers is documented: rows of weight zero are left out, which is what
weight zero means; columns of a table that are called like the classes follow their names; and what
is off by no more than the rounding of the input is rounded back (values beyond 0 and 1, row sums).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._utils.dask_collections import refuse_partitioned
from .arrays import check_numeric, check_same_length, check_weights
from .features import FeatureTable, read_features
from .hard_predictions import warn_if_hard
from .labels import check_labels, distinct_labels, encode_labels, same_label, sorted_pair
from .named_columns import (
    check_single_column,
    classes_from_names,
    is_identity,
    order_by_names,
    table_names,
)
from .precision import ROW_SUM_TOLERANCE, rounding_eps, row_sum_tolerance

# Row sums further off than this make scikit-learn's scores warn.
_EXACT = 1e-8


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
    features : FeatureTable of shape (n_samples, n_features) or None
        The features as they were passed; who uses them encodes them.
    """

    codes: np.ndarray
    proba: np.ndarray
    classes: np.ndarray
    weight: np.ndarray | None = None
    features: FeatureTable | None = None

    @property
    def n_samples(self):
        """Number of rows of positive weight."""
        return self.proba.shape[0]

    @property
    def n_classes(self):
        """Number of columns."""
        return self.proba.shape[1]

    @property
    def n_impossible(self):
        """Number of rows that gave probability zero to what happened."""
        rows = np.arange(self.n_samples)
        return int(np.count_nonzero(self.proba[rows, self.codes] == 0.0))

    def take(self, rows):
        """Return the predictions of some rows, chosen by a mask or positions."""
        arrays: dict[str, Any] = {
            name: None if values is None else values[rows]
            for name in ("codes", "proba", "weight", "features")
            for values in [getattr(self, name)]
        }
        return replace(self, **arrays)

    @property
    def share(self):
        """Weights that sum to one; equal ones if there are none."""
        if self.weight is None:
            return np.full(self.n_samples, 1.0 / self.n_samples)
        share = self.weight / self.weight.max()  # the sum of the weights themselves may overflow
        return share / share.sum()


def check_predictions(
    y_true, y_proba, X=None, *, sample_weight=None, pos_label=None, labels=None, decimals=None
):
    """Validate the data arguments of a metric or test and return `Predictions`.

    Rows of tables are read by position, never aligned by an index. Columns follow their names if
    these are exactly the classes, and otherwise the sorted classes. `decimals` is the number of
    decimals of a text file, see `check_probabilities`.
    """
    refuse_partitioned(y_true=y_true, y_proba=y_proba, X=X, sample_weight=sample_weight)
    y = check_labels(y_true)
    proba = check_probabilities(y_proba, decimals=decimals)
    check_same_length(y_true=y, y_proba=proba)
    warn_if_hard(proba, "y_proba")
    classes, codes, proba = _match_columns(y, y_proba, proba, pos_label, labels)
    proba = arrange_columns(proba, classes)
    features = None
    if X is not None:
        features = read_features(X)
        check_same_length(y_true=y, X=features)
    weight = check_weights(sample_weight, y.size)
    predictions = Predictions(codes, proba, classes, weight, features)
    return predictions if weight is None or weight.all() else predictions.take(weight > 0)


def _match_columns(y, y_proba, proba, pos_label, labels):
    """Return classes, label codes and the probabilities with columns in the order of the classes.

    `y_proba` are the probabilities as they were passed, maybe with names, and `proba` the same
    numbers.
    """
    names, n_columns, present = table_names(y_proba), proba.shape[1], distinct_labels(y)
    known = classes_from_names(names, present) if labels is None else labels
    classes, codes = encode_labels(y, present, n_columns, pos_label, known)
    if n_columns == 1:
        check_single_column(y_proba, classes)
        return classes, codes, proba
    order = order_by_names(names, sorted_pair(classes) if n_columns == 2 else classes)
    if order is None or is_identity(order):
        return classes, codes, proba
    if labels is not None:
        raise ValueError(
            f"labels={np.asarray(labels).tolist()} contradicts the columns of y_proba, which are "
            f"called {names}. Put the columns in the order of labels, so that both say the same."
        )
    return classes, codes, proba[:, order]


def check_probabilities(values, name="y_proba", *, decimals=None):
    """Return probabilities as a float64 matrix; (n,) becomes (n, 1).

    Rows must sum to one within the rounding of the input (see `row_sum_tolerance`) and are divided
    by their sum where that is visible: off by more than 1e-6 in two columns, of which the second
    one is otherwise used as it is, and by more than 1e-8 in more columns. For numbers from a text
    file, `decimals` says how many they show at most. By default the numbers tell if they are
    rounded to three decimals or more.
    """
    proba = check_numeric(values, name)
    if proba.ndim == 1:
        proba = proba[:, np.newaxis]
    if proba.shape[1] == 0:
        raise ValueError(f"{name} has no column; pass one column, or one per class.")
    proba = check_unit_interval(proba, name, came_as=values)
    if proba.shape[1] == 1:
        return proba
    sums = _row_sums(proba)
    off = np.abs(sums - 1.0)
    row = int(off.argmax())
    if off[row] <= _EXACT:
        return proba
    if off[row] > ROW_SUM_TOLERANCE:
        tolerance = row_sum_tolerance(proba, values, decimals)
        if off[row] > tolerance:
            raise ValueError(
                f"The rows of {name} must sum to one within {tolerance:.3g}; row {row} sums to "
                f"{_digits(sums[row])}. Pass the output of predict_proba, or divide each row by "
                "its sum if the columns are unnormalised."
            )
    visible = off > (ROW_SUM_TOLERANCE if proba.shape[1] == 2 else _EXACT)
    divisor = np.where(visible, sums, 1.0)
    return proba / divisor[:, np.newaxis]


def _row_sums(proba):
    """Return the sum of each row; two columns are added up faster than along the rows."""
    return proba[:, 0] + proba[:, 1] if proba.shape[1] == 2 else proba.sum(axis=1)


def all_columns(proba):
    """Return a column for each class; a single column is that of the positive class."""
    if proba.shape[1] != 1:
        return proba
    both = np.empty((proba.shape[0], 2))
    both[:, 1] = proba[:, 0]
    np.subtract(1.0, both[:, 1], out=both[:, 0])
    return both


def arrange_columns(proba, classes):
    """Return binary probabilities as columns (negative, positive) class, others as they are.

    One column is that of the positive class; others follow the sorted classes. Of two columns that
    do not quite sum to one, that of the positive class counts.
    """
    if proba.shape[1] != 2:
        return all_columns(proba)
    if same_label(classes[1], sorted_pair(classes)[0]):
        proba = proba[:, ::-1]
    off = np.abs(_row_sums(proba) - 1.0) > _EXACT
    if off.any():
        proba = np.column_stack([np.where(off, 1.0 - proba[:, 1], proba[:, 0]), proba[:, 1]])
    return proba


def match_query_columns(values, proba, classes):
    """Return probabilities of query points in the form of `Predictions.proba`.

    `values` are the probabilities as they were passed, maybe with names, and `proba` the same
    numbers, checked.
    """
    if proba.shape[1] == 1:
        check_single_column(values, classes)
    else:
        ordered = sorted_pair(classes) if classes.size == 2 else classes
        order = order_by_names(table_names(values), ordered)
        proba = proba if order is None else proba[:, order]
    return arrange_columns(proba, classes)


def check_unit_interval(values, name, *, came_as=None):
    """Return a finite matrix with every entry in [0, 1], or raise.

    Entries that are beyond 0 or 1 by no more than rounding become 0 or 1: 1e-10, or two machine
    epsilons of the precision of the numbers, or of that in which they came.
    """
    low, high = values.min(), values.max()
    if low >= 0.0 and high <= 1.0:
        return values
    if max(-low, high - 1.0) > max(1e-10, 2.0 * rounding_eps(values, came_as)):
        worst = np.maximum(-values, values - 1.0)
        row, column = np.unravel_index(worst.argmax(), worst.shape)
        raise ValueError(
            f"{name} must hold probabilities in [0, 1]; row {row}, column {column} is "
            f"{_digits(values[row, column])}. Pass the output of predict_proba, not scores or "
            "logits."
        )
    return np.clip(values, 0.0, 1.0)


def _digits(value):
    """Return a number with as many digits as it takes to tell it from 0 and 1."""
    short = f"{value:.8g}"
    return repr(float(value)) if float(short) in (0.0, 1.0) else short
