"""Dirichlet calibration."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.special import log_softmax

from ..._data.predictions import all_columns
from ..._utils.arguments.constraints import Interval
from ..._utils.arguments.splits import make_splits
from ..._utils.compat import StrOptions
from ..._utils.docs import fill_doc
from ..._utils.links import softmax
from ...base import INPUT_CONSTRAINT, BaseMulticlassCalibrator
from .._solvers.logistic import warn_not_converged
from .._solvers.multinomial import MultinomialProblem, fit_multinomial

_CANDIDATES = (0.0, 1e-4, 1e-3, 1e-2, 1e-1)
_N_FOLDS = 3


@fill_doc(steps="steps")
class DirichletCalibrator(BaseMulticlassCalibrator):
    """Calibrate probabilities by a matrix on their logarithms (Dirichlet calibration).

    The probabilities become ``softmax(coef_ @ log(p) + intercept_)``, which is the exact correction
    where the probability vectors of each class follow a Dirichlet distribution [1]_. Matrix and
    intercept minimise the mean log loss plus ``reg_lambda`` times the sum of the squared elements
    off the diagonal plus ``reg_mu`` times the sum of the squared intercepts (off-diagonal and
    intercept regularisation, ODIR). The diagonal is free.

    It is the multiclass form of beta calibration. `MatrixScalingCalibrator` shrinks to a
    temperature instead and needs fewer rows.

    Parameters
    ----------
    <<input_probability>>
    reg_lambda : float or "cv", default="cv"
        Penalty of the elements off the diagonal. "cv" takes the one of 0, 0.0001, 0.001, 0.01 and
        0.1 with the smallest mean log loss on held-out folds, the smallest one on ties.
    reg_mu : float or None, default=None
        Penalty of the intercepts; None means the same as `reg_lambda`.
    eps : float or None, default=None
        Probabilities are clipped to ``[eps, 1 - eps]``, in `fit` and afterwards; the reference
        takes 1e-12. None moves exact 0 and 1 to the distance `floor_` instead.
    cv : int, splitter, iterable or None, default=None
        The folds for "cv", each of which must train on every class. None means at most 3 folds,
        and no more than the smallest class has different rows: the different rows of a class are
        dealt to them in sorted order, so that neither the order of rows nor copies matter. If a
        class has one row only, `reg_lambda` is 0.001.
    max_iter : int, default=100
        Largest number of Newton steps of a fit.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_classes)
        Row k makes the new logit of class k. Without a penalty it is unique only up to a constant
        for each column.
    intercept_ : ndarray of shape (n_classes,)
        Intercepts.
    reg_lambda_ : float
        The penalty that was used.
    cv_losses_ : ndarray of shape (5,)
        Mean held-out log loss of each candidate. Only if they were compared.
    <<classes_>>
    n_iter_ : int
        Newton steps of the final fit.
    <<floor_>>
    <<n_features_in_>>

    <<warns_not_converged>>

    See Also
    --------
    MatrixScalingCalibrator : The same form, shrunk to a temperature.
    BetaCalibrator : The same idea for two classes.

    Notes
    -----
    The penalties of [1]_ are divided by the number of elements: their lambda is
    ``reg_lambda * K * (K - 1)`` and their mu is ``reg_mu * K``. A fit costs O(n K^4) operations a
    step up to about 30 classes; "cv" takes 15 fits more.

    References
    ----------
    .. [1] Kull, M., Perello-Nieto, M., Kängsepp, M., Silva Filho, T., Song, H. and Flach, P.
       (2019). Beyond temperature scaling: obtaining well-calibrated multiclass probabilities with
       Dirichlet calibration. Advances in Neural Information Processing Systems 32.
       https://arxiv.org/abs/1910.12656

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib.calibrators import DirichletCalibrator
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(3, size=1000)
    >>> P = np.array([rng.dirichlet(np.where(np.arange(3) == k, 3, 1)) for k in y])
    >>> calibrator = DirichletCalibrator(reg_lambda=0.001).fit(P, y)
    >>> calibrator.predict_proba([[0.5, 0.3, 0.2]]).round(2)
    array([[0.68, 0.2 , 0.12]])
    """

    method_names = ("dirichlet",)

    centred = False
    _parameter_constraints: dict = {
        **INPUT_CONSTRAINT,
        "reg_lambda": [StrOptions({"cv"}), Interval(Real, 0.0, None, closed="left")],
        "reg_mu": [None, Interval(Real, 0.0, None, closed="left")],
        "eps": [None, Interval(Real, 0.0, 0.5, closed="neither")],
        "cv": ["cv_object"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        input: str = "probability",
        reg_lambda: float | str = "cv",
        reg_mu: float | None = None,
        eps: float | None = None,
        cv: Any = None,
        max_iter: int = 100,
    ) -> None:
        self.input = input
        self.reg_lambda = reg_lambda
        self.reg_mu = reg_mu
        self.eps = eps
        self.cv = cv
        self.max_iter = max_iter

    def _on_native_scale(self, S):
        if self.input == "probability" and self.eps is not None:
            return np.log(np.clip(all_columns(S), self.eps, 1.0 - self.eps))
        return super()._on_native_scale(S)

    def _fit_map(self, log_proba, codes, weight):
        self.reg_lambda_ = self.reg_lambda
        if self.reg_lambda == "cv":
            self.reg_lambda_ = self._select(log_proba, codes, weight)
        fit = self._fit(log_proba, codes, weight, self.reg_lambda_)
        self.intercept_, self.coef_ = _parts(fit.coef, self.classes_.size)
        self.n_iter_ = fit.n_iter
        warn_not_converged(self, fit)

    def _map(self, log_proba):
        return softmax(self._logits(log_proba, self.coef_, self.intercept_))

    @staticmethod
    def _logits(log_proba, coef, intercept):
        # einsum adds up a row in the same order however many rows there are, unlike BLAS.
        return np.einsum("ij,kj->ik", log_proba, coef) + intercept

    def _fit(self, log_proba, codes, weight, strength):
        n_samples, n_classes = log_proba.shape
        features = np.hstack([np.ones((n_samples, 1)), log_proba])
        problem = MultinomialProblem(
            np.zeros_like(log_proba), np.eye(n_classes)[codes], weight, cross=features
        )
        penalty = np.full((n_classes + 1, n_classes), 2.0 * strength)
        penalty[0] = 2.0 * (strength if self.reg_mu is None else self.reg_mu)
        penalty[1:][np.diag_indices(n_classes)] = 0.0
        start = np.vstack([np.zeros(n_classes), np.eye(n_classes)])
        return fit_multinomial(
            problem, penalty.ravel(), start=start.ravel(), max_iter=self.max_iter
        )

    def _select(self, log_proba, codes, weight):
        """Return the candidate with the smallest mean loss over held-out folds."""
        if self.cv is None:
            splits = _canonical_splits(log_proba, codes)
            if not splits:
                return 1e-3
        else:
            splits = make_splits(self.cv, log_proba, codes)
        losses = np.zeros((len(splits), len(_CANDIDATES)))
        for fold, (train, test) in enumerate(splits):
            missing = np.setdiff1d(np.arange(self.classes_.size), codes[train])
            if missing.size:
                label = self.classes_[missing].tolist()[0]
                raise ValueError(
                    f"Fold {fold + 1} of cv= does not train on class {label!r}. Use fewer or "
                    "stratified folds, or give reg_lambda a number."
                )
            for index, strength in enumerate(_CANDIDATES):
                fit = self._fit(log_proba[train], codes[train], weight[train], strength)
                intercept, coef = _parts(fit.coef, self.classes_.size)
                log_q = log_softmax(self._logits(log_proba[test], coef, intercept), axis=1)
                held_out = -log_q[np.arange(test.size), codes[test]]
                losses[fold, index] = np.average(held_out, weights=weight[test])
        self.cv_losses_ = losses.mean(axis=0)
        return _CANDIDATES[int(self.cv_losses_.argmin())]


def _parts(coef, n_classes):
    """Return intercept and matrix of a flat vector of coefficients."""
    table = coef.reshape(n_classes + 1, n_classes)
    return table[0], table[1:].T


def _canonical_splits(log_proba, codes):
    """Return (train, test) rows of folds that depend on the set of different rows only.

    Rows that differ by the order of the other classes count as one, so that the order of the
    classes does not matter either.
    """
    own = log_proba[np.arange(codes.size), codes]
    key = np.column_stack([own, np.sort(log_proba, axis=1)])
    _, group = np.unique(key, axis=0, return_inverse=True)
    fold = np.empty(codes.size, dtype=int)
    n_folds = _N_FOLDS
    for code in range(codes.max() + 1):
        rows = codes == code
        distinct, number = np.unique(group.ravel()[rows], return_inverse=True)
        n_folds = min(n_folds, distinct.size)
        fold[rows] = number.ravel()
    if n_folds < 2:
        return []
    return [
        (np.flatnonzero(fold % n_folds != k), np.flatnonzero(fold % n_folds == k))
        for k in range(n_folds)
    ]
