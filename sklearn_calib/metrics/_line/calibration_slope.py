"""The calibration slope."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..._data.targets import resolve_event
from ..._utils.docs import fill_doc
from ..._utils.types import Label
from .._metric import evaluate, metric
from .event_line import EventLine
from .log_odds_sums import merge_slope


class CalibrationSlope(EventLine):
    """The slope of the line, prepared."""

    def __init__(self, predictions, *, target):
        super().__init__(predictions, target)

    def __call__(self, codes):
        return self.line.fit(self.events(codes)).slope


def _mergeable(n_classes, *, target):
    return merge_slope(resolve_event(target, n_classes))


@metric(
    prepare=CalibrationSlope,
    mergeable=_mergeable,
    label="slope",
    meaning="calibration slope: below one the predictions are too extreme, above one too timid",
    interval="likelihood",
    effect=None,
    ideal=1.0,
    alternative="two-sided",
    shown_in=("report",),
    rank=80,
)
@fill_doc()
def calibration_slope(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> float:
    r"""Compute the calibration slope.

    The maximum likelihood estimate of b in the logistic recalibration model

    .. math:: \mathrm{logit}\, P(y_i = 1) = a + b \, \mathrm{logit}\, p_i .

    One is ideal. Below one the predictions are too extreme (too low where they are low and too
    high where they are high, the mark of overfitting), above one they are not extreme enough, and
    at zero or below they do not rank the outcomes at all.

    Parameters
    ----------
    <<y_true_or_dask>>
    <<y_proba>>
    <<target_event>>
    <<weights_as_copies>>

    Returns
    -------
    slope : float
        Any number. Plus or minus infinity if a threshold on the predictions separates the labels;
        NaN if there is only one class in `y_true` or only one value in `y_proba` (log-odds that
        differ by rounding alone are one value), which do not determine a slope. The sums that are
        kept of Dask arrays do not determine a slope beyond about 15 either; it is NaN as well.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    calibration_intercept : Whether the predictions are too high or too low on average.
    observed_expected_ratio : The same on the scale of numbers of events.
    sklearn_calib.inference.calibration_line : All three with intervals and a test.

    Notes
    -----
    <<certain_probabilities>>
    The scorer gives ``-abs(slope - 1)``. The estimate is biased away from zero in small samples:
    for a calibrated model with predictions spread evenly over [0, 1] its mean is about 1.05 at
    n = 100 and 1.004 at n = 1000. Time is O(n log n) and memory O(n).

    References
    ----------
    <<reference_cox>>
    .. [2] B. Van Calster et al., "Calibration: the Achilles heel of predictive analytics", BMC
       Medicine 17 (2019), doi:10.1186/s12916-019-1466-7.

    Examples
    --------
    >>> from sklearn_calib.metrics import calibration_slope
    >>> y_true = [0, 0, 1, 1, 1, 0]
    >>> y_proba = [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
    >>> round(calibration_slope(y_true, y_proba), 4)
    0.2068
    """
    return evaluate(calibration_slope, locals())
