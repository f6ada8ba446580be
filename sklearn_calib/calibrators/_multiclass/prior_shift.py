"""Correction for other class prevalences."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..._data.arrays import check_numeric
from ..._data.named_columns import values_by_label
from ..._data.predictions import all_columns, check_probabilities
from ..._utils.arguments.constraints import Interval
from ..._utils.docs import fill_doc
from ..._utils.stack import warn
from ...base import BaseCalibrator

_TOLERANCE = 1e-10


@fill_doc(steps="steps", occurring="every class", scores="Calibrated probabilities")
class PriorShiftCalibrator(BaseCalibrator):
    """Adapt probabilities to other class prevalences than those of the calibration rows.

    Where the classes are rarer or more frequent than in the data that the probabilities were
    calibrated on, and otherwise look the same (prior shift, label shift), the right probabilities
    are ``p_k * target_k / source_k``, divided by their sum, with the prevalences of class k in both
    populations [1]_. The target prevalences are given, or estimated from scores of the target
    population without labels.

    Put it last in a pipeline, behind a calibrator: the correction is only right for calibrated
    probabilities.

    Parameters
    ----------
    prevalence : array-like of shape (n_classes,), dict, Series or None, default=None
        Prevalence of each class where the probabilities are used, in the order of the sorted
        labels, or a dict from label to prevalence, or a pandas Series whose index is the labels,
        such as ``y_new.value_counts()``. Positive numbers; they are divided by their sum. None:
        nothing changes until `estimate_prevalence` is called.
    max_iter : int, default=10000
        Largest number of steps of `estimate_prevalence`.

    Attributes
    ----------
    source_prevalence_ : ndarray of shape (n_classes,)
        (Weighted) share of each class among the labels given to `fit`.
    prevalence_ : ndarray of shape (n_classes,)
        Target prevalences; those of the source until others are given or estimated.
    n_iter_ : int
        Steps of the last `estimate_prevalence`.
    <<classes_>>
    <<n_features_in_>>

    See Also
    --------
    CrossFitTransformer : Puts a classifier in front of calibrators in a pipeline.

    Notes
    -----
    `fit` only counts labels. `estimate_prevalence` maximises the likelihood of the scores by the EM
    algorithm of [1]_, a concave problem. Each third step is a leap along the last two [2]_, which
    is taken back if the likelihood falls. A step is linear in the size of `S`.

    References
    ----------
    .. [1] Saerens, M., Latinne, P. and Decaestecker, C. (2002). Adjusting the outputs of a
       classifier to new a priori probabilities: a simple procedure. Neural Computation 14, 21-41.
       https://doi.org/10.1162/089976602753284446
    .. [2] Varadhan, R. and Roland, C. (2008). Simple and globally convergent methods for
       accelerating the convergence of any EM algorithm. Scandinavian Journal of Statistics 35,
       335-353. https://doi.org/10.1111/j.1467-9469.2007.00585.x

    Examples
    --------
    >>> from sklearn_calib.calibrators import PriorShiftCalibrator
    >>> calibrator = PriorShiftCalibrator(prevalence=[0.9, 0.1])
    >>> calibrator = calibrator.fit([0.2, 0.4, 0.6, 0.8], [0, 0, 1, 1])
    >>> calibrator.predict_proba([0.5, 0.9]).round(2)
    array([[0.9, 0.1],
           [0.5, 0.5]])
    """

    _parameter_constraints: dict = {
        "prevalence": [None, dict, "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, *, prevalence: Any = None, max_iter: int = 10_000) -> None:
        self.prevalence = prevalence
        self.max_iter = max_iter

    def fit(self, S: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Count the classes of the source population.

        Parameters
        ----------
        S : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_classes)
            Calibrated probabilities. A vector or one column belongs to the positive class
            ``classes_[1]``; more columns follow the sorted labels.

        <<fit_labels>>

        Raises
        ------
        ValueError
            If `S`, `y` or `prevalence` are malformed.
        """
        self._validate_params()
        S, codes, weight = self._validate_training_data(S, y, sample_weight)
        count = np.bincount(codes, weights=weight)
        self.source_prevalence_ = count / count.sum()
        self.prevalence_ = self._given_prevalence()
        return self

    def estimate_prevalence(self, S: ArrayLike) -> Self:
        """Estimate the target prevalences from scores of the target population.

        Parameters
        ----------
        S : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_classes)
            Calibrated probabilities of rows without labels, with as many columns as in `fit`.

        Returns
        -------
        self : object
            The calibrator, with the estimate in `prevalence_`.

        <<warns_not_converged>>
        """
        check_is_fitted(self)
        ratio = all_columns(self._validate_scores(S)) / self.source_prevalence_
        prevalence, change, self.n_iter_ = self.source_prevalence_, np.inf, 0
        safe, least = prevalence, -np.inf
        path = [prevalence]
        while change > _TOLERANCE and self.n_iter_ < self.max_iter:
            updated, log_likelihood = _em_step(ratio, prevalence)
            self.n_iter_ += 1
            if log_likelihood < least:  # the leap before this step went too far
                prevalence, least = safe, -np.inf
                path = [prevalence]
                continue
            change = np.abs(updated - prevalence).max()
            prevalence = updated
            path.append(prevalence)
            if len(path) == 3 and change > _TOLERANCE and self.n_iter_ < self.max_iter:
                safe, least = prevalence, log_likelihood
                prevalence = _leap(*path)
                path = [prevalence]
        if change > _TOLERANCE:
            warn(
                f"The estimated prevalences still moved by {change:.1e} a step after "
                f"max_iter={self.max_iter} steps, and may be far from where they end. Increase "
                "max_iter.",
                ConvergenceWarning,
            )
        self.prevalence_ = prevalence
        return self

    def predict_proba(self, S: ArrayLike) -> np.ndarray:
        """Return the probabilities under the target prevalences.

        <<parameters_class_scores>>

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            Rows sum to one, columns follow `classes_`. A row that only has classes of prevalence
            zero stays as it is.
        """
        check_is_fitted(self)
        proba = all_columns(self._validate_scores(S))
        joint = proba * (self.prevalence_ / self.source_prevalence_)
        total = joint.sum(axis=1, keepdims=True)
        proba = proba / proba.sum(axis=1, keepdims=True)
        return np.divide(joint, total, out=proba, where=total > 0.0)

    def _check_scores(self, S):
        return check_probabilities(S, "S")

    def _given_prevalence(self):
        """Return the target prevalences that `prevalence` holds, or those of the source."""
        given = self.prevalence
        if given is None:
            return self.source_prevalence_
        classes = self.classes_.tolist()
        values = check_numeric(values_by_label(given, self.classes_, "prevalence"), "prevalence")
        if values.shape != (len(classes),):
            raise ValueError(
                f"prevalence must hold one number for each of the classes {classes}, got an array "
                f"of shape {values.shape}."
            )
        if not np.isfinite(values).all() or values.min() <= 0.0:
            raise ValueError(
                f"prevalence must hold finite numbers above zero, got {values.tolist()}. Leave a "
                "class that cannot occur out of the data instead."
            )
        return values / values.sum()


def _em_step(ratio, prevalence):
    """Return the prevalences after a step, and the log-likelihood of those before it."""
    joint = ratio * prevalence
    total = joint.sum(axis=1, keepdims=True)
    seen = total[:, 0] > 0.0
    if not seen.any():
        raise ValueError("S rules out every class in every row; no prevalence can be seen.")
    return (joint[seen] / total[seen]).mean(axis=0), float(np.log(total[seen]).sum())


def _leap(first, second, third):
    """Return where two steps lead to if they go on, as far as all prevalences stay positive."""
    step, turn = second - first, (third - second) - (second - first)
    size, bend = np.linalg.norm(step), np.linalg.norm(turn)
    if bend == 0.0 or size <= bend:
        return third
    length = size / bend
    reached = first + 2.0 * length * step + length**2 * turn
    return reached / reached.sum() if reached.min() > 0.0 else third
