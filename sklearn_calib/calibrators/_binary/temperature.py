"""Temperature scaling."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from ..._utils.links import expit
from ...base import BaseBinaryCalibrator
from .log_odds_input import LogOddsInputMixin

_SMALLEST, _LARGEST = 1e-3, 1e3


class TemperatureCalibrator(LogOddsInputMixin, BaseBinaryCalibrator):
    """Calibrate logits by one temperature (temperature scaling).

    The probability of the positive class is ``expit(z / T)`` for a logit z, with the temperature T
    in [0.001, 1000] that minimises the mean log loss. T > 1 makes an overconfident model less
    confident, T < 1 the reverse. The problem is convex in 1 / T and is solved exactly, without
    steps, rates or seeds.

    Take it for neural networks and other models that are over- or underconfident and otherwise
    right [1]_; it needs the fewest calibration rows. It cannot shift the prior: 0.5 stays 0.5, so
    it does not undo class weights or resampling.

    Parameters
    ----------
    input : {"native", "probability"}, default="native"
        What `S` holds. "native": logits. "probability": probabilities in [0, 1], turned into
        log-odds clipped at machine epsilon first.

    Attributes
    ----------
    temperature_ : float
        The temperature T. Positive, so the order of the scores never flips.
    classes_ : ndarray of shape (2,)
        The labels, sorted; the second one is the positive class.
    n_features_in_ : int
        Number of columns of `S`.

    Warns
    -----
    UserWarning
        If ``input="native"`` and all values lie in [0, 1], as probabilities do.

    See Also
    --------
    PlattCalibrator : Also has an intercept, which brings the prior back.
    OneVsRestCalibrator : More than two classes.

    Notes
    -----
    Of two columns of logits, z is the difference of the second and the first, so that the
    probabilities are ``softmax(S / T)``. T is at its upper end if the logits are not positively
    related to the labels (or all zero), and at its lower end if they separate the classes.
    Labels are not smoothed. Time and memory are linear in the number of rows.

    References
    ----------
    .. [1] Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On calibration of modern
       neural networks. Proceedings of the 34th International Conference on Machine Learning,
       1321-1330. https://arxiv.org/abs/1706.04599

    Examples
    --------
    >>> from sklearn_calib.calibrators import TemperatureCalibrator
    >>> calibrator = TemperatureCalibrator()
    >>> calibrator.fit([-4.0, -4.0, -4.0, 4.0, 4.0, 4.0], [0, 0, 1, 1, 1, 0])
    TemperatureCalibrator()
    >>> round(calibrator.temperature_, 3)
    5.771
    >>> calibrator.predict_proba([4.0]).round(3)
    array([[0.333, 0.667]])
    """

    _native_scale = "logit"
    method_names = ("temperature",)
    _parameter_constraints: dict = {**LogOddsInputMixin._parameter_constraints}

    def __init__(self, *, input: str = "native") -> None:
        self.input = input

    def _fit_map(self, score, target, weight):
        scaled = score / max(np.abs(score).max(), 1.0)
        weight = weight / weight.sum()

        def slope(log_temperature):
            """Return the derivative of the mean loss with respect to 1 / T, up to a factor."""
            residual = _probability(score, np.exp(log_temperature)) - target
            return np.einsum("i,i,i->", weight, residual, scaled)

        lower, upper = np.log(_SMALLEST), np.log(_LARGEST)
        if slope(upper) >= 0.0:
            self.temperature_ = _LARGEST
        elif slope(lower) <= 0.0:
            self.temperature_ = _SMALLEST
        else:
            self.temperature_ = float(np.exp(brentq(slope, lower, upper, xtol=1e-14, rtol=1e-14)))

    def _map(self, score):
        return _probability(score, self.temperature_)


def _probability(logit, temperature):
    with np.errstate(over="ignore"):  # infinite log-odds are probability 0 or 1
        return expit(logit / temperature)
