"""Beta calibration."""

from numbers import Integral, Real

import numpy as np

from ..._utils.compat import Interval, StrOptions
from ..._utils.links import expit
from ...base import BaseBinaryCalibrator
from .._solvers.logistic import fit_logistic, warn_not_converged


class BetaCalibrator(BaseBinaryCalibrator):
    """Calibrate probabilities by the beta family (beta calibration).

    The probability p of the positive class becomes ``expit(a log p - b log(1 - p) + c)``, with p
    clipped to ``[eps, 1 - eps]``; this is the exact correction where the probabilities of each
    class follow a beta distribution [1]_. The coefficients minimise the mean log loss. The
    identity, ``a = b = 1, c = 0``, is in the family, so a calibrated model is left as it is.

    Take it for probabilities from a few hundred calibration rows on: unlike Platt scaling it can
    undo distortions that differ between the two ends of [0, 1].

    Parameters
    ----------
    parameters : {"abm", "am", "ab"}, default="abm"
        Which coefficients are free. "abm": all three. "am": ``a = b``, Platt scaling of the
        log-odds without smoothing. "ab": ``c = (a - b) log 2``, so that 0.5 stays 0.5.
    monotone : bool, default=True
        Whether a and b must not be negative, as in [1]_, so that the map never decreases; the fit
        is the exact constrained optimum. False lets them be negative.
    eps : float, default=1e-15
        Probabilities are clipped to ``[eps, 1 - eps]``, in `fit` and afterwards. Between 0 and
        0.5.
    max_iter : int, default=100
        Largest number of iterations of the optimiser.

    Attributes
    ----------
    a_, b_, c_ : float
        The coefficients.
    classes_ : ndarray of shape (2,)
        The labels, sorted; the second one is the positive class.
    n_iter_ : int
        Iterations of the optimiser.
    n_features_in_ : int
        Number of columns of `S`.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` iterations do not suffice.

    See Also
    --------
    PlattCalibrator : Two parameters, for scores of any scale, with smoothed targets.
    IsotonicCalibrator : Any increasing map, for large calibration sets.
    OneVsRestCalibrator : More than two classes.

    Notes
    -----
    Fewer than three distinct probabilities do not determine three coefficients; the solution of
    smallest norm is taken then, which for one distinct probability is ``a = b = 0`` and the
    overall rate. The labels are not smoothed: on separable data the coefficients grow until the
    gradient of the mean loss is below 1e-12, and stay finite. Time and memory are linear in the
    number of rows.

    References
    ----------
    .. [1] Kull, M., Silva Filho, T. and Flach, P. (2017). Beta calibration: a well-founded and
       easily implemented improvement on logistic calibration for binary classifiers. Proceedings
       of the 20th International Conference on Artificial Intelligence and Statistics, 623-631.
       https://proceedings.mlr.press/v54/kull17a.html

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib.calibrators import BetaCalibrator
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=500)
    >>> y = rng.uniform(size=500) < p**2
    >>> calibrator = BetaCalibrator().fit(p, y)
    >>> round(calibrator.a_, 2), round(calibrator.b_, 2), round(calibrator.c_, 2)
    (1.7, 0.98, -0.59)
    >>> calibrator.predict_proba([0.3, 0.9]).round(2)
    array([[0.91, 0.09],
           [0.18, 0.82]])
    """

    method_names = ("beta",)
    _parameter_constraints: dict = {
        "parameters": [StrOptions({"abm", "am", "ab"})],
        "monotone": ["boolean"],
        "eps": [Interval(Real, 0.0, 0.5, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        parameters: str = "abm",
        monotone: bool = True,
        eps: float = 1e-15,
        max_iter: int = 100,
    ) -> None:
        self.parameters = parameters
        self.monotone = monotone
        self.eps = eps
        self.max_iter = max_iter

    def _fit_map(self, score, target, weight):
        features = np.array(self._log_probabilities(score))
        if self.parameters == "am":
            features = features.sum(axis=0, keepdims=True)
        elif self.parameters == "ab":
            features += [[np.log(2.0)], [-np.log(2.0)]]
        fit = fit_logistic(
            features,
            target,
            weight,
            fit_intercept=self.parameters != "ab",
            nonnegative=self.monotone,
            max_iter=self.max_iter,
        )
        self.a_, self.b_ = float(fit.coef[0]), float(fit.coef[-1])
        fixed = self.parameters == "ab"
        self.c_ = float((self.a_ - self.b_) * np.log(2.0)) if fixed else fit.intercept
        self.n_iter_ = fit.n_iter
        warn_not_converged(self, fit)

    def _map(self, score):
        log_p, minus_log_q = self._log_probabilities(score)
        return expit(self.a_ * log_p + self.b_ * minus_log_q + self.c_)

    def _log_probabilities(self, p):
        """Return ``log p`` and ``-log(1 - p)`` of the clipped probabilities."""
        p = np.clip(p, self.eps, 1.0 - self.eps)
        return np.log(p), -np.log1p(-p)
