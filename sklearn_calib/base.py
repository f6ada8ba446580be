"""What a calibrator is: the contract that every calibrator of this package keeps."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._data.arrays import check_weights
from ._data.hard_predictions import warn_if_hard
from ._data.named_columns import arrange_table
from ._data.predictions import check_probabilities, check_unit_interval
from ._data.scores import check_class_labels, prepare_training_data, score_matrix
from ._utils.compat import check_feature_names_in

__all__ = ["BaseBinaryCalibrator", "BaseCalibrator"]


class BaseCalibrator(ClassifierMixin, TransformerMixin, BaseEstimator):
    """Base class of the maps from a score matrix to a probability matrix.

    A calibrator is a classifier whose features are the scores of another classifier. A subclass
    defines ``fit(S, y, sample_weight=None)``, which sets ``classes_``, and ``predict_proba(S)``,
    which returns rows that sum to one and columns that follow ``classes_``; the rest is here.

    Attributes
    ----------
    input_scale : {"score", "probability", "logit"}
        What the columns of `S` are: any finite numbers, probabilities in [0, 1], or log-odds. A
        property where it depends on parameters. `CalibratedClassifier` reads it and delivers the
        right scale by itself.
    reads_scores : bool
        Whether the map has no scale of its own, like a step function, so that it may read the
        scores of a classifier without probabilities, brought into [0, 1] by their range.
    method_names : tuple of str
        The names by which `CalibratedClassifier` knows the class; none by default.
    takes_features : bool
        Whether `S` is ``[P | X]``, the probability columns followed by features.

    See Also
    --------
    BaseBinaryCalibrator : Base class of the calibrators for two classes.
    """

    takes_features = False
    method_names: tuple[str, ...] = ()

    @property
    def input_scale(self) -> str:
        """Scale of the columns of `S`; a class attribute in most subclasses."""
        return "probability"

    @property
    def reads_scores(self) -> bool:
        """Whether the map has no scale of its own; a class attribute where it is true."""
        return False

    def transform(self, S: ArrayLike) -> np.ndarray:
        """Return the calibrated probabilities; the same as `predict_proba`.

        Parameters
        ----------
        S : array-like of shape (n_samples,) or (n_samples, n_columns)
            Scores, in the form that was passed to `fit`.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            Rows sum to one, columns follow `classes_`.
        """
        return self.predict_proba(S)

    def predict(self, S: ArrayLike) -> np.ndarray:
        """Return the class of the largest calibrated probability, the first one on ties.

        Parameters
        ----------
        S : array-like of shape (n_samples,) or (n_samples, n_columns)
            Scores, in the form that was passed to `fit`.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels out of `classes_`. They may differ from what the uncalibrated classifier says.
        """
        proba = self.predict_proba(S)
        return self.classes_[proba.argmax(axis=1)]

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        """Return one name per class, such as "plattcalibrator_yes".

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Only compared with the names seen in `fit`.

        Returns
        -------
        names : ndarray of str objects of shape (n_classes,)
        """
        check_is_fitted(self)
        check_feature_names_in(self, input_features, generate_names=False)
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}_{label}" for label in self.classes_], dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.positive_only = self.input_scale == "probability"
        return tags

    def _validate_training_data(self, S, y, sample_weight):
        """Return `S`, label codes and weights without the rows of weight zero; set `classes_`.

        Returns
        -------
        S : ndarray of shape (n_samples, n_columns)
        codes : ndarray of shape (n_samples,)
            Positions in `classes_`.
        sample_weight : ndarray of shape (n_samples,)
            Positive weights.
        """
        S, y = validate_data(self, *prepare_training_data(S, y), dtype=np.float64)
        check_class_labels(y)
        weight = check_weights(sample_weight, y.shape[0])
        if weight is None:
            weight = np.ones(y.shape[0])
        counts = weight > 0
        self.classes_, codes = np.unique(y[counts], return_inverse=True)
        self._check_classes(S.shape[1])
        S = self._check_scores(S)
        if not self.takes_features:
            warn_if_hard(S, "S")
        return S[counts], codes, weight[counts]

    def _validate_scores(self, S):
        """Return `S` as a float64 matrix of the form seen in `fit`."""
        S = arrange_table(S, self.classes_)
        S = validate_data(self, score_matrix(S), dtype=np.float64, reset=False)
        return self._check_scores(S)

    def _check_classes(self, n_columns):
        """Raise unless the labels seen in `fit` go with the number of columns."""

    def _check_scores(self, S):
        """Return a finite matrix on the declared scale, rounded back onto it, or raise."""
        if self.input_scale == "probability":
            return check_unit_interval(S, "S")
        return S


class BaseBinaryCalibrator(BaseCalibrator):
    """Base class of the calibrators for two classes: one map from a score to a probability.

    `S` is a vector, one column, or two columns. Of two columns the second one, which belongs to
    the positive class ``classes_[1]``, is used; for logits it is the difference of the second
    and the first, as in ``softmax(S)``.

    A subclass defines ``_fit_map(score, target, weight)`` and ``_map(score)``.
    """

    def fit(self, S: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the map from scores to the probability of the positive class.

        Parameters
        ----------
        S : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
            Scores of rows that the classifier was not fitted on. Of two columns the second one
            belongs to the positive class, ``classes_[1]``.

        y : array-like of shape (n_samples,)
            Labels; both classes must occur.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights: two equal rows count as one row of weight two, a row of weight zero as none.

        Returns
        -------
        self : object
            The fitted calibrator.

        Raises
        ------
        ValueError
            If `y` does not hold exactly two classes, or `S` has more than two columns, is not
            finite or lies outside the declared scale.
        """
        self._validate_params()
        S, codes, weight = self._validate_training_data(S, y, sample_weight)
        self._fit_map(self._positive_score(S), codes.astype(np.float64), weight)
        return self

    def predict_proba(self, S: ArrayLike) -> np.ndarray:
        """Return the calibrated probabilities of both classes.

        Parameters
        ----------
        S : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
            Scores, with as many columns as in `fit`.

        Returns
        -------
        proba : ndarray of shape (n_samples, 2)
            Rows sum to one, columns follow `classes_`; the first is exactly one minus the second.
        """
        check_is_fitted(self)
        positive = self._map(self._positive_score(self._validate_scores(S)))
        return np.column_stack([1.0 - positive, positive])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _check_classes(self, n_columns):
        if self.classes_.size < 2:
            raise ValueError(
                f"y holds one class, {self.classes_.tolist()}, but {type(self).__name__} needs "
                "rows of two classes (rows of weight zero do not count). Calibrate on more rows."
            )
        if self.classes_.size > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"y holds {self.classes_.size} classes. Use OneVsRestCalibrator."
            )

    def _check_scores(self, S):
        if S.shape[1] > 2:
            raise ValueError(
                f"S has {S.shape[1]} columns, but {type(self).__name__} takes a vector, one column "
                "or two columns. Use OneVsRestCalibrator for more classes."
            )
        if self.input_scale == "probability":
            return check_probabilities(S, "S")
        return S

    def _positive_score(self, S):
        """Return the score of the positive class as a vector."""
        if S.shape[1] == 2 and self.input_scale == "logit":
            with np.errstate(over="ignore"):
                return np.nan_to_num(S[:, 1] - S[:, 0])  # an overflow becomes the largest float
        return S[:, -1]
