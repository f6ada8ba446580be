"""The calibration intercept."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..._data.targets import resolve_event
from ..._utils.docs import fill_doc
from ..._utils.options import check_flag
from ..._utils.types import Label
from .._metric import evaluate, metric
from .event_line import EventLine
from .log_odds_sums import merge_intercept


class CalibrationIntercept(EventLine):
    """The intercept of the line, prepared."""

    def __init__(self, predictions, *, joint, target):
        self.joint = check_flag(joint, "joint")
        super().__init__(predictions, target)

    def __call__(self, codes):
        events = self.events(codes)
        if self.joint:
            return self.line.fit(events).intercept
        return self.line.fit_intercept(self.line.rate(events))


def _mergeable(n_classes, *, joint, target):
    joint = check_flag(joint, "joint")
    return merge_intercept(resolve_event(target, n_classes), joint=joint)


@metric(
    prepare=CalibrationIntercept,
    mergeable=_mergeable,
    label="intercept",
    meaning="calibration in the large: below zero the predictions are too high, above zero too low",
    interval="likelihood",
    effect=None,
    alternative="two-sided",
    shown_in=("report",),
    rank=85,
)
@fill_doc()
def calibration_intercept(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    joint: bool = False,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the calibration intercept, also called calibration in the large.

    The maximum likelihood estimate of a in the logistic recalibration model

    .. math:: \mathrm{logit}\, P(y_i = 1) = a + b \, \mathrm{logit}\, p_i

    with b = 1, or with ``joint=True`` beside the estimate of b. Zero is ideal. With b = 1 it says
    whether the predictions are too high (below zero) or too low (above zero) on average, in
    log-odds: adding it to the log-odds makes the mean prediction equal to the observed rate. The
    joint intercept belongs to the fitted slope and has no such meaning on its own.

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
    joint : bool, default=False
        Whether the slope is estimated as well, instead of being one.
    <<target_event>>
    <<weights_as_copies>>

    Returns
    -------
    intercept : float
        Any number. Minus or plus infinity if there is only one class in `y_true`. With
        ``joint=True`` it is NaN if both classes occur and the slope is infinite or not determined.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    calibration_slope : Whether the predictions are too extreme.
    observed_expected_ratio : The same on the scale of numbers of events.
    sklearn_calib.inference.calibration_line : All three with intervals and a test.

    Notes
    -----
    <<certain_probabilities>>
    The scorer gives ``-abs(intercept)``. The estimate has hardly any bias: for a calibrated model
    with predictions spread evenly over [0, 1] its mean is 0.00 at n = 100 and at n = 1000, with
    standard deviations of 0.24 and 0.08. Time is O(n log n) and memory O(n).

    References
    ----------
    <<reference_cox>>
    .. [2] B. Van Calster et al., "A calibration hierarchy for risk models was defined: from utopia
       to empirical data", Journal of Clinical Epidemiology 74 (2016),
       doi:10.1016/j.jclinepi.2015.12.005.

    Examples
    --------
    >>> from sklearn_calib.metrics import calibration_intercept
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(calibration_intercept(y_true, y_proba), 4)
    0.0092
    """
    return evaluate(calibration_intercept, locals())
