"""Calibrate every class against the rest."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ..._utils.arguments.constraints import N_JOBS
from ..._utils.docs import fill_doc
from ..._utils.fitting_context import current_caller, fitted_by
from ..._utils.links import probability_floor
from ...base import INPUT_CONSTRAINT, BaseCalibrator
from .._methods import calibrators_by_name


@fill_doc(occurring="every class", scores="Scores")
class OneVsRestCalibrator(BaseCalibrator):
    """Calibrate any number of classes by a binary calibrator per class.

    The number of columns decides. A vector or one column is the score of the positive class of
    binary data: one calibrator is fitted, and the probability of the other class is one minus its
    output. With K columns, two included, column k is calibrated against "the label is class k",
    and the K outputs are divided by their sum; a row whose sum is zero or not finite becomes
    ``1 / K`` everywhere.

    Parameters
    ----------
    method : str or calibrator, default="isotonic"
        The binary calibrator, by name (with its default parameters) or as an instance such as
        ``HistogramCalibrator(n_bins=5)``, whose parameters can be searched as
        ``method__n_bins``. The instance is cloned, never fitted. Every calibrator lists its names
        in `method_names`: "platt" or "sigmoid", "beta", "isotonic", "histogram", "temperature"
        and so on.
    input : {"native", "probability"}, default="native"
        What `S` holds. "native": the scale that the method declares, that is any scores for
        "platt", logits (of each class against the rest) for "temperature" and probabilities for
        the others. "probability": probabilities in [0, 1] for every method, turned into log-odds
        where the method needs them, with exact 0 and 1 moved to the distance `floor_`; so a grid
        over methods works on the output of `predict_proba`.
    n_jobs : int, default=None
        Number of columns fitted in parallel. None means 1 unless in a
        :obj:`joblib.parallel_backend` context, -1 all processors. Worth it only for large data.

    Attributes
    ----------
    calibrators_ : list of binary calibrators
        The fitted maps: one per class, or one alone if `S` had one column. Their positive class
        is True.
    <<classes_>>
    <<floor_>>
    <<n_features_in_>>

    See Also
    --------
    CalibratedClassifier : Fits a classifier and a calibrator together without leaking rows.
    CrossFitTransformer : Puts a classifier in front of a calibrator in a pipeline.

    Notes
    -----
    Rows of `S` need not sum to one. Every class must occur among the labels. Each column is
    calibrated on its own, so the normalised rows are only approximately calibrated, and with few
    rows per class flexible methods overfit: isotonic and histogram need some hundreds of rows
    *per class*.

    <<references_multiclass>>

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_calib.calibrators import OneVsRestCalibrator
    >>> X, y = load_iris(return_X_y=True)
    >>> X_train, X_cal, y_train, y_cal = train_test_split(X, y, random_state=0, stratify=y)
    >>> P_cal = GaussianNB().fit(X_train, y_train).predict_proba(X_cal)
    >>> calibrator = OneVsRestCalibrator("platt", input="probability").fit(P_cal, y_cal)
    >>> calibrator.predict_proba([[0.1, 0.6, 0.3]]).round(2)
    array([[0.29, 0.39, 0.31]])
    """

    _parameter_constraints: dict = {
        "method": [str, BaseCalibrator],
        **INPUT_CONSTRAINT,
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        method: str | BaseCalibrator = "isotonic",
        *,
        input: str = "native",
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.input = input
        self.n_jobs = n_jobs

    @property
    def native_scale(self) -> str:  # type: ignore[override]
        """Scale of a column as the method reads it; log-odds where it reads logits."""
        # Anything but a known method is for `fit` to refuse.
        scale = getattr(self._binary_calibrator(), "input_scale", "probability")
        return "logit" if scale == "log_probability" else scale

    def fit(self, S: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit one calibrator per column.

        Parameters
        ----------
        S : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_classes)
            Scores of rows that the classifier was not fitted on. A vector or one column belongs
            to the positive class ``classes_[1]``; more columns follow the sorted labels.

        <<fit_labels>>

        <<raises_wrong_columns>>
        """
        base = self._checked_calibrator()
        S, codes, weight = self._validate_training_data(S, y, sample_weight)
        if self.input == "native" and self.native_scale == "logit":
            self._warn_of_probabilities(S)
        positives = [1] if S.shape[1] == 1 else range(self.classes_.size)
        self._fit_columns(base, [(column, codes == k, weight) for column, k in zip(S.T, positives)])
        return self

    def predict_proba(self, S: ArrayLike) -> np.ndarray:
        """Return the calibrated probabilities.

        <<class_scores_to_proba>>
        """
        check_is_fitted(self)
        columns = self._validate_scores(S).T
        if len(self.calibrators_) == 1:
            return self.calibrators_[0].predict_proba(columns[0])
        proba = np.column_stack(
            [
                calibrator.predict_proba(column)[:, 1]
                for calibrator, column in zip(self.calibrators_, columns)
            ]
        )
        total = proba.sum(axis=1, keepdims=True)
        usable = (total > 0.0) & np.isfinite(total)
        uniform = np.full_like(proba, 1.0 / proba.shape[1])
        return np.divide(proba, total, out=uniform, where=usable)

    @staticmethod
    def get_method_names() -> list[str]:
        """Return the names that `method` takes, without second names of the same calibrator.

        Returns
        -------
        names : list of str
        """
        return sorted({kind.method_names[0] for kind in calibrators_by_name().values()})

    @property
    def reads_scores(self) -> bool:
        """Whether the method has no scale of its own, so that it may read any scores."""
        return getattr(self._binary_calibrator(), "reads_scores", False)

    def _fit_apart(self, classes, columns):
        """Fit to probabilities, targets and weights of rows that are others for every class.

        Parameters
        ----------
        classes : ndarray of shape (n_classes,)
            The sorted labels, of three classes or more.
        columns : list of tuple
            For each class the probabilities, whether the label is the class, and the weights.
        """
        base = self._checked_calibrator()
        present = [bool(target.any()) for _, target, _ in columns]
        if not all(present):
            raise ValueError(
                f"No row of class {classes[present.index(False)]!r} has been seen. Every class "
                "must occur among the labels."
            )
        self.classes_, self.n_features_in_ = classes, classes.size
        if self.input_scale != self.native_scale:
            self.floor_ = min(probability_floor(p) for p, _, _ in columns)
        self._fit_columns(base, [(self._on_native_scale(p), t == 1, w) for p, t, w in columns])
        return self

    def _fit_columns(self, base, columns):
        """Fit a calibrator to the scores, targets and weights of each column."""
        caller = "one-vs-rest" if current_caller() == "user" else current_caller()
        self.calibrators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_column)(caller, base, *column) for column in columns
        )

    def _checked_calibrator(self):
        """Return the unfitted calibrator of a column, or raise for a wrong parameter."""
        self._validate_params()
        base = self._binary_calibrator()
        if base is None or base.takes_features or isinstance(base, OneVsRestCalibrator):
            raise ValueError(
                "The 'method' parameter of OneVsRestCalibrator must be a binary calibrator or one "
                f"of {self.get_method_names()}, got {self.method!r}."
            )
        return base

    def _binary_calibrator(self):
        """Return the unfitted calibrator that `method` names or is, None for an unknown name."""
        if not isinstance(self.method, str):
            return self.method
        kind = calibrators_by_name().get(self.method)
        return None if kind is None else kind()


def _fit_column(caller, base, column, target, weight):
    """Fit a clone of the binary calibrator to one column, on the scale that it declares."""
    with fitted_by(caller):
        return clone(base).fit(column, target, weight)
