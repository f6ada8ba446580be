"""What a calibrator is: the contract that every calibrator of this package keeps."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ._data.arrays import check_weights
from ._data.fitting.accuracy import AccuracyMixin
from ._data.fitting.named_scores import ScoreTransformerMixin
from ._data.fitting.scores import check_class_labels, prepare_training_data, score_matrix
from ._data.hard_predictions import warn_if_hard, warn_if_probabilities
from ._data.named_columns import arrange_scores
from ._data.predictions import all_columns, check_probabilities, check_unit_interval
from ._utils.arguments.named_errors import naming
from ._utils.compat import StrOptions, check_feature_names_in
from ._utils.docs import fill_doc
from ._utils.links import lift, logit, probability_floor

__all__ = ["BaseBinaryCalibrator", "BaseCalibrator", "BaseMulticlassCalibrator"]

INPUT_CONSTRAINT = {"input": [StrOptions({"native", "probability"})]}
# Beyond this size logits are infinite for every purpose, and their sums and squares still are not.
_LARGEST_LOGIT = 1e150


@fill_doc()
class BaseCalibrator(AccuracyMixin, ScoreTransformerMixin, BaseEstimator):
    """Base class of the maps from a score matrix to a probability matrix.

    A calibrator is a classifier whose features are the scores of another classifier. A subclass
    defines ``fit(S, y, sample_weight=None)``, which sets ``classes_``, and ``predict_proba(S)``,
    which returns rows that sum to one and columns that follow ``classes_``; the rest is here.

    Attributes
    ----------
    native_scale : {"score", "probability", "logit", "log_probability"}
        The scale on which the map is defined: any finite numbers, probabilities in [0, 1], the
        log-odds of each class against the rest, or logarithms of probabilities (up to a constant
        per row, so that logits of a softmax will do). A subclass sets this class attribute.
    input_scale : str
        What the columns of `S` are: the native scale, or "probability" if the calibrator has a
        parameter `input` and it says so. `CalibratedClassifier` reads it and delivers the right
        scale by itself.
    reads_scores : bool
        Whether the map has no scale of its own, like a step function, so that it may read the
        scores of a classifier without probabilities, brought into [0, 1] by their range.
    takes_features : bool
        Whether `S` is ``[P | X]``, the probability columns followed by features.
    method_names : tuple of str
        The names by which `OneVsRestCalibrator` knows the class; none by default.

    See Also
    --------
    BaseBinaryCalibrator : Base class of the calibrators for two classes.
    BaseMulticlassCalibrator : Base class of the maps on log-probabilities of all classes.

    Notes
    -----
    **Probabilities for a map on another scale.** With ``input="probability"``, `S` holds
    probabilities, and they are turned into log-odds or log-probabilities first. The logarithm of
    zero is infinite, so exact 0 and 1 are moved to the distance `floor_`, which is learnt in
    `fit`: half the smallest distance to 0 or 1 that occurs in `S`, exact hits aside, or machine
    epsilon if that is more. A forest of 100 trees has 0.005. Later probabilities that come closer
    to 0 or 1 than all calibration probabilities are moved less, so that their order is kept: a
    distance d below twice the floor f becomes ``f + d**2 / (4 f)``.
    """

    native_scale = "probability"
    takes_features = False
    method_names: tuple[str, ...] = ()
    _parameter_constraints: dict = {}  # scikit-learn's declaration of what parameters may be

    @property
    def input_scale(self) -> str:
        """Scale of the columns of `S`: "probability" if `input` says so, else the native one."""
        given = getattr(self, "input", "native")
        return "probability" if given == "probability" else self.native_scale

    @property
    def reads_scores(self) -> bool:
        """Whether the map has no scale of its own; a class attribute where it is true."""
        return False

    def transform(self, S: ArrayLike) -> np.ndarray:
        """Return the calibrated probabilities; the same as `predict_proba`.

        <<parameters_scores>>

        <<returns_proba>>
        """
        return self.predict_proba(S)

    def predict(self, S: ArrayLike) -> np.ndarray:
        """Return the class of the largest calibrated probability, the first one on ties.

        <<parameters_scores>>

        <<returns_class>>
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
        with naming("input_features"):
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
            On the native scale.
        codes : ndarray of shape (n_samples,)
            Positions in `classes_`.
        sample_weight : ndarray of shape (n_samples,)
            Positive weights.
        """
        with naming("S", "y"):
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
        S = S[counts]
        if self.input_scale != self.native_scale:
            self.floor_ = probability_floor(S)
        return self._on_native_scale(S), codes, weight[counts]

    def _validate_scores(self, S):
        """Return `S` as a float64 matrix of the form seen in `fit`, on the native scale."""
        S = arrange_scores(S, self.classes_)
        with naming("S"):
            S = validate_data(self, score_matrix(S), dtype=np.float64, reset=False)
        return self._on_native_scale(self._check_scores(S))

    def _on_native_scale(self, S):
        """Turn probabilities into what the map reads."""
        return S if self.input_scale == self.native_scale else logit(lift(S, self.floor_))

    def _check_classes(self, n_columns):
        """Raise unless `S` has a column for each class seen in `fit`, or one for two classes."""
        n_classes = self.classes_.size
        if n_classes != max(n_columns, 2):
            raise ValueError(
                f"S has {n_columns} column{'s' if n_columns > 1 else ''}, y has {n_classes} "
                f"class{'es' if n_classes > 1 else ''} {self.classes_.tolist()}. Every class must "
                "occur in y (rows of weight zero do not count) and have its column; only for two "
                "classes may S be one column, the score of the second one."
            )

    def _warn_of_probabilities(self, S):
        """Warn if what a user gives as scores or logits looks like probabilities."""
        warn_if_probabilities(S, type(self).__name__, self.native_scale)

    def _check_scores(self, S):
        """Return a finite matrix on the declared scale, rounded back onto it, or raise."""
        if self.input_scale == "probability":
            return check_unit_interval(S, "S")
        return S


@fill_doc(occurring="both classes")
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

        <<fit_labels>>

        Raises
        ------
        ValueError
            If `y` does not hold exactly two classes, or `S` has more than two columns, is not
            finite or lies outside the declared scale.
        """
        self._validate_params()
        S, codes, weight = self._validate_training_data(S, y, sample_weight)
        if self.input_scale != "probability":
            self._warn_of_probabilities(S)
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


@fill_doc(occurring="every class")
class BaseMulticlassCalibrator(BaseCalibrator):
    """Base class of the calibrators for any number of classes that work on log-probabilities.

    `S` has a column for each class. For two classes it may be a vector or one column, which
    belongs to the positive class ``classes_[1]``: its probability, or its log-odds.

    A subclass defines ``_fit_map(log_proba, codes, weight)`` and ``_map(log_proba)``, which
    returns probabilities of shape (n_samples, n_classes) whose rows sum to one. Both get
    log-probabilities of shape (n_samples, n_classes), centred so that every row sums to zero: a
    constant added to all log-probabilities of a row has no meaning. Where it has one, as in a map
    that scales the classes differently, the subclass sets ``centred = False``.
    """

    native_scale = "log_probability"
    centred = True

    def fit(self, S: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the map from probabilities to calibrated probabilities.

        Parameters
        ----------
        S : array-like of shape (n_samples, n_classes), or (n_samples,) or (n_samples, 1)
            Probabilities or log-probabilities, as `input` says, of rows that the classifier was
            not fitted on. Columns follow the sorted labels; a vector or one column is allowed for
            two classes and belongs to ``classes_[1]``.

        <<fit_labels>>

        <<raises_wrong_columns>>
        """
        self._validate_params()
        S, codes, weight = self._validate_training_data(S, y, sample_weight)
        if self.input_scale == self.native_scale:
            self._warn_of_probabilities(S)
        self._fit_map(self._log_probabilities(S), codes, weight)
        return self

    def predict_proba(self, S: ArrayLike) -> np.ndarray:
        """Return the calibrated probabilities.

        Parameters
        ----------
        S : array-like of shape (n_samples, n_classes), or (n_samples,) or (n_samples, 1)
            Probabilities or log-probabilities, with as many columns as in `fit`.

        <<returns_proba>>
        """
        check_is_fitted(self)
        return self._map(self._log_probabilities(self._validate_scores(S)))

    def _check_scores(self, S):
        return check_probabilities(S, "S") if self.input_scale == "probability" else S

    def _on_native_scale(self, S):
        if self.input_scale == self.native_scale:
            return S
        return np.log(lift(all_columns(S), self.floor_))

    def _log_probabilities(self, S):
        """Return a column for each class, which one column of log-odds is not, centred."""
        if S.shape[1] == 1:
            S = np.hstack([-0.5 * S, 0.5 * S])
        # In C order, as sums depend on the order in memory in their last bits.
        S = np.clip(S, -_LARGEST_LOGIT, _LARGEST_LOGIT, order="C")
        return S - S.mean(axis=1, keepdims=True) if self.centred else S


def __dir__():
    return sorted(__all__)
