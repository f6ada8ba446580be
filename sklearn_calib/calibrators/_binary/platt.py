"""Platt scaling."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from ..._utils.arguments.constraints import Interval
from ..._utils.docs import fill_doc
from ..._utils.links import expit
from ..._utils.stack import warn
from ...base import INPUT_CONSTRAINT, BaseBinaryCalibrator
from .._solvers.logistic import fit_logistic, smoothed_targets, warn_not_converged


@fill_doc(native="any finite scores, used as they are", target="log-odds")
class PlattCalibrator(BaseBinaryCalibrator):
    """Calibrate scores by a logistic curve with smoothed targets (Platt scaling).

    The probability of the positive class is ``expit(slope * s + intercept)``. Slope and intercept
    minimise the mean log loss against the smoothed targets of Platt [1]_, ``(N+ + 1) / (N+ + 2)``
    for the positive class and ``1 / (N- + 2)`` for the negative one, where N+ and N- are the
    (weighted) numbers of rows. The smoothing keeps the fit finite on separable data. There is no
    other penalty and no constraint: the slope of an inverted score is negative.

    Take it for small calibration sets and for scores whose distortion is S-shaped, such as those
    of boosted trees or margins. On the log-odds scale a calibrated model is left as it is; on the
    probability scale no choice of slope and intercept does that, so pass probabilities with
    ``input="probability"``. Exact 0 and 1, as forests produce them, are far outliers on the
    log-odds scale: take :class:`IsotonicCalibrator` there.

    Parameters
    ----------
    <<input>>
    max_iter : int, default=100
        Largest number of iterations of the optimiser.

    Attributes
    ----------
    slope_ : float
        Factor of the score; 0 if all scores are equal.
    intercept_ : float
        Log-odds of the positive class at score zero.
    <<binary_classes_>>
    n_iter_ : int
        Iterations of the optimiser.
    <<floor_>>
    <<n_features_in_>>

    Warns
    -----
    UserWarning
        If the slope is negative, so that the order of the scores is reversed.
    ConvergenceWarning
        If `max_iter` iterations do not suffice.

    See Also
    --------
    BetaCalibrator : Three parameters, made for probabilities.
    TemperatureCalibrator : One parameter, keeps 0.5 at 0.5.
    OneVsRestCalibrator : More than two classes.

    Notes
    -----
    Of two columns, the second one is the score. The order of the scores is kept strictly, up to
    rounding of probabilities near 0 and 1, if the slope is positive. Time and memory are linear
    in the number of rows. With sample weights all at the same constant, the fit still depends on
    that constant, because the smoothing counts rows.

    References
    ----------
    .. [1] Platt, J. (1999). Probabilistic outputs for support vector machines and comparisons to
       regularized likelihood methods. Advances in Large Margin Classifiers, 61-74.

    .. [2] Lin, H.-T., Lin, C.-J. and Weng, R. C. (2007). A note on Platt's probabilistic outputs
       for support vector machines. Machine Learning 68, 267-276.
       https://doi.org/10.1007/s10994-007-5018-6

    Examples
    --------
    >>> from sklearn_calib.calibrators import PlattCalibrator
    >>> calibrator = PlattCalibrator().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> round(calibrator.slope_, 4)
    0.674
    >>> calibrator.predict_proba([-2.0, 0.5]).round(3)
    array([[0.794, 0.206],
           [0.417, 0.583]])
    """

    native_scale = "score"
    method_names = ("platt", "sigmoid")
    _parameter_constraints: dict = {
        **INPUT_CONSTRAINT,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, *, input: str = "native", max_iter: int = 100) -> None:
        self.input = input
        self.max_iter = max_iter

    def _fit_map(self, score, target, weight):
        smoothed = smoothed_targets(target, weight)
        fit = fit_logistic(score[np.newaxis], smoothed, weight, max_iter=self.max_iter)
        self.slope_, self.intercept_ = float(fit.coef[0]), fit.intercept
        self.n_iter_ = fit.n_iter
        warn_not_converged(self, fit)
        if self.slope_ < 0.0:
            warn(
                f"The slope of PlattCalibrator is negative ({self.slope_:.3g}): large scores go "
                "with the negative class, and the calibrated probabilities have the reverse order "
                "of the scores. Check that the scores belong to the positive class; with noise for "
                "scores, use more calibration rows or a calibrator that cannot decrease, such as "
                "BetaCalibrator.",
            )

    def _map(self, score):
        with np.errstate(over="ignore"):  # infinite log-odds are probability 0 or 1
            return expit(self.slope_ * score + self.intercept_)
