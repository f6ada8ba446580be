"""Temperature scaling."""

from __future__ import annotations

from ..._utils.docs import fill_doc
from ..._utils.links import softmax
from ...base import INPUT_CONSTRAINT, BaseMulticlassCalibrator
from .._solvers.temperature import fit_temperature


@fill_doc(
    native="logits, that is log-probabilities up to a constant for each row (log-odds, if there "
    "is one column)",
    target="log-probabilities",
)
class TemperatureCalibrator(BaseMulticlassCalibrator):
    """Calibrate logits by one temperature (temperature scaling).

    The probabilities are ``softmax(z / T)`` for a row z of logits, for any number of classes, with
    the temperature T in [0.001, 1000] that minimises the mean log loss. T > 1 makes an
    overconfident model less confident, T < 1 the reverse. The problem is convex in 1 / T and is
    solved exactly, without steps, rates or seeds.

    Use it for neural networks and other models that are over- or underconfident and otherwise
    right [1]_; it needs the fewest calibration rows. The order of the classes of a row stays, so
    that the predicted class never changes. It cannot shift the prior: 0.5 stays 0.5, so it does
    not undo class weights or resampling.

    Parameters
    ----------
    <<input>>

    Attributes
    ----------
    temperature_ : float
        The temperature T. Positive, so the order of the scores never flips.
    <<classes_>>
    <<floor_>>
    <<n_features_in_>>

    Warns
    -----
    UserWarning
        If ``input="native"`` and all values lie in [0, 1], as probabilities do.

    See Also
    --------
    PlattCalibrator : Also has an intercept, which brings the prior back. Two classes.
    VectorScalingCalibrator : A factor and an intercept for each class.

    Notes
    -----
    One column of logits is the log-odds z of the positive class, whose probability becomes
    ``expit(z / T)``. T is at its upper end if the logits are not positively related to the labels
    (or all zero), and at its lower end if they separate the classes. Labels are not smoothed.
    Time and memory are linear in the size of `S`.

    References
    ----------
    <<reference_temperature>>

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

    method_names = ("temperature",)
    _parameter_constraints: dict = {**INPUT_CONSTRAINT}

    def __init__(self, *, input: str = "native") -> None:
        self.input = input

    def _fit_map(self, log_proba, codes, weight):
        self.temperature_ = fit_temperature(log_proba, codes, weight)

    def _map(self, log_proba):
        return softmax(log_proba / self.temperature_)
