"""Validate predicted probabilities and what comes with them.

Every check raises a ``ValueError`` that names the argument, what came, what is allowed and what to
try next. Nothing is clipped, re-ordered or dropped silently; the one exception is documented:
rows of weight zero are left out, which is what weight zero means.
"""

from dataclasses import dataclass

import numpy as np

from .arrays import check_features, check_numeric, check_same_length, check_weights
from .labels import check_labels, encode_labels, same_label, sorted_pair

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
    classes, codes = encode_labels(y, proba.shape[1], pos_label, labels)
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
    if proba.shape[1] == 2 and same_label(classes[1], sorted_pair(classes)[0]):
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
