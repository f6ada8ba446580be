"""The calibration slope, intercept and observed / expected ratio with intervals and a test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import beta, chi2, norm

from .._data.predictions import check_predictions
from .._utils.docs import fill_doc
from .._utils.options import check_option, check_real
from .._utils.results import Result
from .._utils.types import Label
from ..metrics._line.calibration_slope import CalibrationSlope
from ..metrics._line.observed_expected_ratio import ObservedExpectedRatio
from ._intervals.line_likelihood import LineLikelihood
from ._pvalues import level_of_tests

_METHODS = ("auto", "profile", "wald", "robust")


@dataclass(frozen=True, repr=False, eq=False)
class CalibrationLineResult(Result):
    """Outcome of :func:`calibration_line`.

    Attributes
    ----------
    slope : float
        Calibration slope; one is ideal. See :func:`~sklearn_calib.metrics.calibration_slope`.
    slope_se : float
        Its standard error; NaN if the slope is infinite or not determined.
    slope_interval : tuple of float
        Its confidence interval; an end is infinite where the data set no limit.
    slope_pvalue : float
        P-value of the hypothesis that the slope is one.
    intercept : float
        Calibration in the large: the intercept beside a slope of one; zero is ideal. See
        :func:`~sklearn_calib.metrics.calibration_intercept`.
    intercept_se : float
        Its standard error.
    intercept_interval : tuple of float
        Its confidence interval.
    intercept_pvalue : float
        P-value of the hypothesis that it is zero.
    joint_intercept, joint_intercept_se : float
        The intercept beside the fitted slope, and its standard error.
    observed, expected : float
        Weighted share of events, and mean probability.
    ratio : float
        Observed over expected; one is ideal.
    ratio_interval : tuple of float
        Its confidence interval.
    pvalue : float
        P-value of the hypothesis that the line is the ideal one: intercept zero and slope one, or
        intercept zero where "profile" has no slope.
    statistic : float
        What this p-value comes from; for a calibrated model and many rows chi-squared with two
        degrees of freedom, or one without a slope.
    method : {"profile", "wald", "robust"}
        How intervals and p-values were computed.
    confidence_level : float
        The nominal coverage.
    target : str
        Which event was looked at.
    n_samples : int
        Rows of positive weight.
    n_certain : int
        Rows whose probability is exactly 0 or 1.
    floor : float
        The distance from 0 and 1 at which they were counted.

    See Also
    --------
    calibration_line : Makes it.

    Examples
    --------
    >>> from sklearn_calib.inference import calibration_line
    >>> result = calibration_line([0, 1, 1, 0, 1], [0.2, 0.6, 0.3, 0.4, 0.8])
    >>> print(result.verdict)
    The slope, 2.08 (95 % interval -0.45 to 8.73), and the intercept, 0.69 (-1.29 to 2.83), agree \
with calibration (p = 0.63).
    """

    _summary = (
        "slope",
        "slope_se",
        "slope_interval",
        "slope_pvalue",
        "intercept",
        "intercept_se",
        "intercept_interval",
        "intercept_pvalue",
        "joint_intercept",
        "joint_intercept_se",
        "observed",
        "expected",
        "ratio",
        "ratio_interval",
        "statistic",
        "pvalue",
        "method",
        "confidence_level",
        "target",
        "n_samples",
        "n_certain",
    )

    slope: float
    slope_se: float
    slope_interval: tuple[float, float]
    slope_pvalue: float
    intercept: float
    intercept_se: float
    intercept_interval: tuple[float, float]
    intercept_pvalue: float
    joint_intercept: float
    joint_intercept_se: float
    observed: float
    expected: float
    ratio: float
    ratio_interval: tuple[float, float]
    statistic: float
    pvalue: float
    method: str
    confidence_level: float
    target: str | None
    n_samples: int
    n_certain: int
    floor: float

    @property
    def verdict(self) -> str:
        """The result in words."""
        if self.observed in (0.0, 1.0):
            what = "No" if self.observed == 0.0 else "Every"
            return (
                f"{what} row has the event, so there is no slope; the intercept has "
                f"{_range(self.intercept_interval)} as its interval. More rows are needed."
            )
        if np.isnan(self.slope):
            return (
                "All predictions are equal, so there is no slope; the intercept is "
                f"{self.intercept:.2f} ({_range(self.intercept_interval)}, "
                f"p = {self.intercept_pvalue:.3g})."
            )
        level = f"{100 * self.confidence_level:g} % interval"
        if np.isinf(self.slope):
            side, size = ("above", "infinite") if self.slope > 0 else ("below", "minus infinity")
            return (
                f"A threshold on the predictions separates the labels (all events are at or {side} "
                f"it), so the slope is {size} ({level} {_range(self.slope_interval)}). More rows, "
                "among which both outcomes overlap, are needed to estimate it."
            )
        numbers = (
            f"The slope, {self.slope:.2f} ({level} {_range(self.slope_interval)}), and the "
            f"intercept, {self.intercept:.2f} ({_range(self.intercept_interval)}),"
        )
        alpha = level_of_tests(self.confidence_level)
        if not self.pvalue <= alpha:
            return f"{numbers} agree with calibration (p = {self.pvalue:.3g})."
        found = []
        if self.slope_pvalue <= alpha:
            kind = "too extreme" if self.slope < 1.0 else "not extreme enough"
            found.append("in the wrong order" if self.slope < 0.0 else kind)
        if self.intercept_pvalue <= alpha:
            found.append(f"too {'high' if self.intercept < 0.0 else 'low'} on average")
        fault = f": the predictions are {' and '.join(found)}" if found else ""
        return f"{numbers} contradict calibration (p = {self.pvalue:.3g}){fault}."


@fill_doc()
def calibration_line(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    *,
    method: str = "auto",
    confidence_level: float = 0.95,
    target: str = "auto",
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
) -> CalibrationLineResult:
    r"""Estimate the calibration slope and intercept, with intervals and a test.

    The logistic recalibration model is

    .. math:: \mathrm{logit}\, P(y_i = 1) = a + b \, \mathrm{logit}\, p_i .

    The slope b is the maximum likelihood estimate beside a free intercept, and the intercept a, or
    calibration in the large, that beside b = 1. A calibrated model has b = 1 and a = 0; the test
    asks whether both hold. The ratio of observed to expected events comes with them.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    method : {"auto", "profile", "wald", "robust"}, default="auto"
        Intervals and p-values of slope and intercept. "profile" inverts likelihood ratio tests,
        "wald" is the estimate plus or minus standard errors from the Fisher information; both take
        a weight for that many rows, also in the interval of the ratio. "robust" is Wald with the
        sandwich estimate of the standard errors, which is right if weights correct for how the
        rows were sampled. "auto" is "robust" if `sample_weight` is given and "profile" otherwise.
    confidence_level : float, default=0.95
        Nominal coverage, between 0 and 1.
    <<target_event>>
    <<sample_weight>>
    <<pos_label>>
    <<labels>>

    Returns
    -------
    result : CalibrationLineResult
        Estimates, standard errors, intervals and p-values; ``result.verdict`` says it in words.

    Raises
    ------
    <<malformed>>

    See Also
    --------
    check_calibration : A test that is exact for few rows and sees any kind of error.
    sklearn_calib.metrics.calibration_slope : The slope alone, with a scorer.

    Notes
    -----
    <<certain_probabilities>>
    If a threshold on the predictions separates the labels the slope is infinite: "profile" still
    gives the finite end of its interval, the other methods have no interval then. The p-values
    hold for many rows; with fewer than about 100, take
    ``check_calibration(..., statistic="calibration_slope")``, which is exact. For repeated rows of
    one unit (a patient, a site) neither holds.

    "profile" takes the logistic line for the truth, as software for generalised linear models does.
    :func:`calibration_ci` uses the same likelihood, but multiplies its loss by the ratio of the
    model's variance to the robust one (at most one without weights), so that its interval of the
    best line also holds where the truth is no line, and with weights that correct for sampling.

    The interval of the ratio is :math:`(O/E) \exp(\pm z s)` with :math:`s^2 = (1 - \bar y) /
    (n \bar y)` [3]_, which takes the expected number as fixed. n is the sum of the weights with
    "profile" and "wald"; "robust" has :math:`s^2 = \sum_i w_i^2 (y_i - \bar y)^2 / (\bar y \sum_i
    w_i)^2`. Without events, or without non-events, it is the exact binomial one, with
    :math:`(\sum_i w_i)^2 / \sum_i w_i^2` as n for "robust".

    Time is O(n log n) and memory O(n).

    References
    ----------
    <<reference_cox>>
    .. [2] B. Van Calster et al., "Calibration: the Achilles heel of predictive analytics", BMC
       Medicine 17 (2019), doi:10.1186/s12916-019-1466-7.
    .. [3] T. P. A. Debray et al., "A guide to systematic review and meta-analysis of prediction
       model performance", BMJ 356 (2017), doi:10.1136/bmj.i6460.

    Examples
    --------
    >>> from sklearn_calib.datasets import make_calibration_data
    >>> from sklearn_calib.inference import calibration_line
    >>> X, y_true, y_proba = make_calibration_data(n=500)
    >>> result = calibration_line(y_true, y_proba)
    >>> round(result.slope, 2), [round(end, 2) for end in result.slope_interval]
    (0.47, [0.4, 0.55])
    """
    check_option(method, "method", _METHODS)
    confidence_level = check_real(confidence_level, "confidence_level", below=1.0)
    predictions = check_predictions(
        y_true, y_proba, sample_weight=sample_weight, pos_label=pos_label, labels=labels
    )
    if method == "auto":
        method = "profile" if predictions.weight is None else "robust"
    data = _Line(predictions, target)
    infer = _by_profile if method == "profile" else _by_standard_errors
    certain = (data.event.proba == 0.0) | (data.event.proba == 1.0)
    return CalibrationLineResult(
        slope=data.fitted.slope,
        intercept=data.fitted.intercept,
        joint_intercept=data.fitted.joint_intercept,
        **infer(data.fitted, method, confidence_level),
        **_ratio(predictions, data, method, confidence_level),
        method=method,
        confidence_level=confidence_level,
        target=data.event.target,
        n_samples=predictions.n_samples,
        n_certain=int(np.count_nonzero(certain)),
        floor=data.event.floor,
    )


class _Line:
    """The fitted line and what inference about it needs."""

    def __init__(self, predictions, target):
        self.event = CalibrationSlope(predictions, target=target)
        self.y = self.event.events(predictions.codes)
        self.fitted = LineLikelihood(self.event.line, self.y, predictions.weight)


def _standard_errors(fitted, robust):
    """Return the standard errors of slope, joint intercept and intercept, and the covariance."""
    covariance = fitted.covariance(robust=robust)
    joint, slope = (np.nan, np.nan) if covariance is None else np.sqrt(np.diag(covariance))
    large = np.sqrt(fitted.intercept_variance(robust=robust))
    return float(slope), float(joint), float(large), covariance


def _by_profile(fitted, method, confidence_level):
    """Return intervals and p-values from likelihood ratios."""
    slope_se, joint_se, intercept_se, _ = _standard_errors(fitted, robust=False)
    z = norm.ppf(0.5 + 0.5 * confidence_level)
    intervals = {
        f"{parameter}_interval": (fitted.end(parameter, -1.0, z), fitted.end(parameter, 1.0, z))
        for parameter in ("slope", "intercept")
    }
    slope_part = max(0.0, 2.0 * (fitted.best - fitted.at_one))
    intercept_part = max(0.0, 2.0 * (fitted.at_one - fitted.ideal))
    statistic, has_slope = slope_part + intercept_part, not np.isnan(fitted.slope)
    return {
        **intervals,
        "slope_se": slope_se,
        "slope_pvalue": float(chi2.sf(slope_part, 1)) if has_slope else np.nan,
        "intercept_se": intercept_se,
        "intercept_pvalue": float(chi2.sf(intercept_part, 1)),
        "joint_intercept_se": joint_se,
        "statistic": statistic,
        "pvalue": float(chi2.sf(statistic, 2 if has_slope else 1)),
    }


def _by_standard_errors(fitted, method, confidence_level):
    """Return intervals and p-values from standard errors."""
    slope_se, joint_se, intercept_se, covariance = _standard_errors(fitted, method == "robust")
    z = norm.ppf(0.5 + 0.5 * confidence_level)
    statistic = np.nan
    if covariance is not None:
        off = np.array([fitted.joint_intercept, fitted.slope - 1.0])
        statistic = float(off @ np.linalg.solve(covariance, off))
    return {
        "slope_se": slope_se,
        "slope_interval": _symmetric(fitted.slope, z * slope_se),
        "slope_pvalue": float(2.0 * norm.sf(abs(fitted.slope - 1.0) / slope_se)),
        "intercept_se": intercept_se,
        "intercept_interval": _symmetric(fitted.intercept, z * intercept_se),
        "intercept_pvalue": float(2.0 * norm.sf(abs(fitted.intercept) / intercept_se)),
        "joint_intercept_se": joint_se,
        "statistic": statistic,
        "pvalue": float(chi2.sf(statistic, 2)),
    }


def _symmetric(estimate, reach):
    """Return an interval around an estimate; the whole line if it has no standard error."""
    if np.isnan(reach):
        return -np.inf, np.inf
    return float(estimate - reach), float(estimate + reach)


def _ratio(predictions, data, method, confidence_level):
    """Return observed, expected, their ratio and its interval."""
    ratio = ObservedExpectedRatio(predictions, target=data.event.target)
    total = data.fitted.weight.sum()
    share = data.fitted.weight / total
    # The part of a row in the variance of a mean: a weight is one row, or that many rows.
    squares = share**2 if method == "robust" else share / total
    observed, expected = float(data.fitted.rate[0]), float(share @ data.event.proba)
    value = float(ratio(predictions.codes)[0])
    tail, n = 0.5 - 0.5 * confidence_level, 1.0 / squares.sum()
    if expected == 0.0:
        interval = (0.0, np.inf)
    elif observed in (0.0, 1.0):
        # The exact limits of Clopper and Pearson, for the effective number of rows.
        low, high = (0.0, beta.isf(tail, 1, n)) if observed == 0.0 else (beta.ppf(tail, n, 1), 1.0)
        interval = (float(low / expected), float(high / expected))
    else:
        spread = np.sqrt(squares @ (data.y[:, 0] - observed) ** 2) / observed
        with np.errstate(over="ignore"):
            factor = np.exp(norm.isf(tail) * spread)
            interval = (float(value / factor), float(value * factor))
    return {
        "observed": observed,
        "expected": expected,
        "ratio": value,
        "ratio_interval": interval,
    }


def _range(interval):
    """Return an interval as text."""
    return f"{interval[0]:.2f} to {interval[1]:.2f}"
