"""Beta calibration."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np

from ..._utils.arguments.constraints import Interval
from ..._utils.compat import StrOptions
from ..._utils.docs import fill_doc
from ..._utils.fitting_context import resolve
from ..._utils.links import expit, probability_floor
from ...base import BaseBinaryCalibrator
from .._solvers.logistic import fit_logistic, join_ties, smoothed_targets, warn_not_converged


@fill_doc(steps="iterations")
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
    parameters : {"abm", "am", "ab", "a"}, default="abm"
        Which coefficients are free. "abm": all three. "am": ``a = b``, a line through the
        log-odds. "ab": ``c = (a - b) log 2``, so that 0.5 stays 0.5. "a": ``a = b`` and ``c = 0``,
        a temperature.
    monotone : bool, default=True
        Whether a and b must not be negative, as in [1]_, so that the map never decreases; the fit
        is the exact constrained optimum. False lets them be negative.
    smooth : bool or "auto", default="auto"
        Whether the labels are smoothed as in Platt scaling, to ``(N+ + 1) / (N+ + 2)`` and
        ``1 / (N- + 2)`` for N+ positive and N- negative rows, which keeps the coefficients moderate
        on separable data. "auto" is False, the method of [1]_, and True if the calibrator is fitted
        by `CalibratedClassifier`, where it lowers the log loss.
    eps : float or "auto", default="auto"
        Probabilities are clipped to ``[eps, 1 - eps]``, in `fit` and afterwards. Between 0 and
        0.5. "auto" is 1e-15, the value of the reference, and half the smallest distance to 0 or 1
        that occurs in the calibration probabilities (exact hits aside) if the calibrator is fitted
        by `CalibratedClassifier`.
    max_iter : int, default=100
        Largest number of iterations of the optimiser.

    Attributes
    ----------
    a_, b_, c_ : float
        The coefficients.
    eps_ : float
        The distance to 0 and 1 at which probabilities are clipped.
    <<binary_classes_>>
    n_iter_ : int
        Iterations of the optimiser.
    <<n_features_in_>>

    <<warns_not_converged>>

    See Also
    --------
    PlattCalibrator : Two parameters, for scores of any scale, with smoothed targets.
    IsotonicCalibrator : Any increasing map, for large calibration sets.
    OneVsRestCalibrator : More than two classes.

    Notes
    -----
    Fewer than three distinct probabilities do not determine three coefficients; the solution of
    smallest norm is taken then, which for one distinct probability is ``a = b = 0`` and the
    overall rate. Without smoothing, the coefficients grow on separable data until the gradient of
    the mean loss is below 1e-12, and stay finite; equal probabilities are put together and sorted
    first, so that neither the order of rows nor copies of rows matter. Fitting costs one sort.

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
        "parameters": [StrOptions({"abm", "am", "ab", "a"})],
        "monotone": ["boolean"],
        "smooth": ["boolean", StrOptions({"auto"})],
        "eps": [StrOptions({"auto"}), Interval(Real, 0.0, 0.5, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        parameters: str = "abm",
        monotone: bool = True,
        smooth: bool | str = "auto",
        eps: float | str = "auto",
        max_iter: int = 100,
    ) -> None:
        self.parameters = parameters
        self.monotone = monotone
        self.smooth = smooth
        self.eps = eps
        self.max_iter = max_iter

    def _fit_map(self, score, target, weight):
        self.eps_ = resolve(self.eps, alone=1e-15, behind_classifier=probability_floor(score))
        if resolve(self.smooth, alone=False, behind_classifier=True):
            target = smoothed_targets(target, weight)
        score, target, weight = join_ties(score, target, weight)
        features = np.array(self._log_probabilities(score))
        if self.parameters in ("am", "a"):
            features = features.sum(axis=0, keepdims=True)
        elif self.parameters == "ab":
            features += [[np.log(2.0)], [-np.log(2.0)]]
        fit = fit_logistic(
            features,
            target,
            weight,
            fit_intercept=self.parameters in ("abm", "am"),
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
        p = np.clip(p, self.eps_, 1.0 - self.eps_)
        return np.log(p), -np.log1p(-p)
