"""Intervals of calibration errors and proper scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import ArrayLike

from .._data.arrays import check_numeric, check_same_length, refuse_hidden
from .._utils.arguments.named_errors import naming
from .._utils.arguments.random_streams import check_generator
from .._utils.docs import fill_doc, list_names
from .._utils.options import check_integer, check_option, check_real
from .._utils.progress import reporter
from .._utils.results import Result
from .._utils.stack import warn
from .._utils.types import Label, MetricLike, Options, Progress, RandomState
from ..metrics._metric import ranked_metrics
from ._intervals.choose import METHODS, construct, measure
from ._pvalues import fewest_resamples
from ._row_scores import SCORES

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False, eq=False)
class CalibrationInterval(Result):
    """Outcome of :func:`calibration_ci`; unpacks as ``(low, high)``.

    Attributes
    ----------
    estimate : float
        The metric of the data. It is biased upwards if it is an error that cannot be negative, and
        may then lie above the interval of the error that it estimates.
    corrected : float or None
        The estimate without this bias; None if the construction gives none.
    low, high : float
        Ends of the interval.
    replicates : ndarray of shape (n_resamples,) or None
        The metric of each resample; None if the construction needs no resamples.
    confidence_level : float
        The nominal coverage.
    method : {"inversion", "exact", "projection", "pairs", "studentized", "likelihood", "score", \
"percentile", "basic"}
        How the ends were computed, see :func:`calibration_ci`.
    metric_name : str
        The metric.
    n_samples : int
        Rows of positive weight.

    See Also
    --------
    calibration_ci : Makes it.

    Examples
    --------
    >>> from sklearn_calib.inference import calibration_ci
    >>> low, high = calibration_ci([0, 1, 1, 0], [0.2, 0.6, 0.9, 0.4], metric="ece")
    >>> low <= high
    True
    """

    _summary = (
        "estimate",
        "corrected",
        "low",
        "high",
        "metric_name",
        "method",
        "confidence_level",
        "n_samples",
        "n_resamples",
    )

    estimate: float
    corrected: float | None
    low: float
    high: float
    replicates: np.ndarray | None
    confidence_level: float
    method: str
    metric_name: str
    n_samples: int

    def __iter__(self):
        """Yield the ends of the interval."""
        return iter((self.low, self.high))

    @property
    def n_resamples(self) -> int | None:
        """Number of resamples; None if there are none."""
        return None if self.replicates is None else self.replicates.size


@dataclass(frozen=True, repr=False, eq=False)
class GroupIntervals(Result):
    """Outcome of :func:`calibration_ci` with `groups`: one interval per group of rows.

    Iterating yields the intervals, ``result[group]`` is that of a group.

    Attributes
    ----------
    groups : tuple
        The groups, sorted.
    intervals : tuple of CalibrationInterval
        Their intervals.
    confidence_level : float
        The nominal coverage of each interval.
    simultaneous_level : float
        The coverage that all intervals together have at least, by Bonferroni's inequality.

    See Also
    --------
    calibration_ci : Makes it.

    Examples
    --------
    >>> from sklearn_calib.inference import calibration_ci
    >>> y_true, y_proba = [0, 1, 1, 0], [0.2, 0.6, 0.9, 0.4]
    >>> result = calibration_ci(y_true, y_proba, metric="brier", groups=["a", "a", "b", "b"])
    >>> result.to_frame()[["group", "estimate", "n_samples"]]
      group  estimate  n_samples
    0     a     0.100          2
    1     b     0.085          2
    """

    _summary = ("groups", "confidence_level", "simultaneous_level")

    groups: tuple
    intervals: tuple[CalibrationInterval, ...]
    confidence_level: float

    def __iter__(self) -> Iterator[CalibrationInterval]:
        """Yield the intervals in the order of the groups."""
        return iter(self.intervals)

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.groups)

    def __getitem__(self, group: object) -> CalibrationInterval:
        """Return the interval of a group."""
        return self.intervals[self.groups.index(group)]

    @property
    def simultaneous_level(self) -> float:
        """The coverage that all intervals together have at least."""
        return max(0.0, 1.0 - len(self.groups) * (1.0 - self.confidence_level))

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per group.

        Returns
        -------
        frame : DataFrame of shape (n_groups, n_columns)
            The column "group", then those of the intervals.
        """
        import pandas as pd

        rows = [{"group": g} | one._row() for g, one in zip(self.groups, self.intervals)]
        return pd.DataFrame(rows)


@overload
def calibration_ci(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: ArrayLike | None = ...,
    *,
    metric: MetricLike = ...,
    metric_params: Options | None = ...,
    confidence_level: float = ...,
    method: str = ...,
    n_resamples: int = ...,
    indices: ArrayLike | None = ...,
    groups: None = ...,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label | None = ...,
    labels: ArrayLike | None = ...,
    random_state: RandomState = ...,
    verbose: Progress = ...,
) -> CalibrationInterval: ...


@overload
def calibration_ci(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: ArrayLike | None = ...,
    *,
    metric: MetricLike = ...,
    metric_params: Options | None = ...,
    confidence_level: float = ...,
    method: str = ...,
    n_resamples: int = ...,
    indices: ArrayLike | None = ...,
    groups: ArrayLike,
    sample_weight: ArrayLike | None = ...,
    pos_label: Label | None = ...,
    labels: ArrayLike | None = ...,
    random_state: RandomState = ...,
    verbose: Progress = ...,
) -> GroupIntervals: ...


@fill_doc(metrics=list_names([*(one.name for one in ranked_metrics()), *SCORES]))
def calibration_ci(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: ArrayLike | None = None,
    *,
    metric: MetricLike = "auto",
    metric_params: Options | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 999,
    indices: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
    random_state: RandomState = None,
    verbose: Progress = False,
) -> CalibrationInterval | GroupIntervals:
    r"""Compute an interval of a calibration error or a proper score.

    The interval covers the **true error**: that of the probabilities with which the labels of
    these rows happen, which the metric of the data estimates with noise. For a binned error it is
    the error in the same bins. Errors that cannot be negative are biased upwards, the more so the
    fewer rows there are; a calibrated model has an ECE of 0.06 at n = 500. Resamples of the rows
    are biased once more, so that **percentile intervals of such errors do not cover**. With
    ``method="auto"`` the construction depends on the metric:

    - "inversion", for sums of the gaps of bins (:func:`~sklearn_calib.metrics.ece`,
      :func:`~sklearn_calib.metrics.average_calibration_error`): the errors that a test on the
      observed value does not reject, whichever bins the error is in. At the lower end, the noise
      of the observed value, and of gaps added up with signs that change at most once, is drawn
      from binomial distributions; at the upper end the true error is spread so that it is hardest
      to see, equally many standard errors in each bin.
    - "exact", for the largest gap (:func:`~sklearn_calib.metrics.mce`): binomial bounds of each
      bin, with Bonferroni's correction at the lower end. A bin of a few rows can have any rate, so
      the upper end is large if there is one. With weights it is approximate. If one bin holds all
      rows, "inversion" has these bounds, too.
    - "projection", for other norms of the residuals (:func:`~sklearn_calib.metrics.smooth_ece`):
      the observed value minus a quantile of that of drawn noise, and plus a normal quantile of the
      mean residual. Noise is drawn at rates that vary as much as the residuals do.
    - "pairs", for :func:`~sklearn_calib.metrics.skce`, :func:`~sklearn_calib.metrics.kce`,
      :func:`~sklearn_calib.metrics.klce` and :func:`~sklearn_calib.metrics.mmce`: percentiles over
      resamples in which no row is paired with a copy of itself, at the bandwidths of the data. The
      lower end is above 0 only if labels drawn from the predictions reject calibration, as in
      :func:`check_calibration`. The interval of a biased form is that of the unbiased one, with its
      root if the error has one.
    - "studentized", for the proper scores "log_loss" and "brier": the normal interval of a mean,
      corrected for skewness [2]_.
    - "likelihood", for :func:`~sklearn_calib.metrics.calibration_slope` and
      :func:`~sklearn_calib.metrics.calibration_intercept`: the values that a likelihood ratio test
      with a robust variance does not reject. It is that of the best line whether or not the true
      curve is a line, and with weights. ``calibration_line(..., method="profile")`` takes the line
      for the truth and weights for copies of rows: the same search without the factor that makes
      the variance robust. Without weights the two are equal unless the robust variance is larger.
    - "score", for :func:`~sklearn_calib.metrics.observed_expected_ratio`: the ratios that a score
      test does not reject.
    - "percentile", for callables and for other metrics that are smooth functions of means: the
      quantiles of the metric over resampled rows [1]_.

    Where **events are rare**, a handful of labels decides. "projection", "pairs" and "studentized"
    then also use the exact binomial limits of the number of less likely labels (if its variance is
    below 30, except for scores): an end is at least as far away as the noise of this number allows,
    at the upper end of kernel errors and for scores with odds that are off by the same factor in
    all rows. So without an event in n rows the error may still be about 3.7 / n.

    With "inversion", "exact", "projection" and "pairs", a calibrated model's interval starts at 0
    or below with the probability ``1 - (1 - confidence_level) / 2`` or more. To decide whether a
    model is calibrated :func:`check_calibration` has more power.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    X : array-like of shape (n_samples, n_features) or (n_samples,), default=None
        Features, for "klce" (or a callable that takes them).
    <<metric>>
        "log_loss" and "brier" are the proper scores; for more than two classes "brier" is the sum
        over the classes.
    metric_params : dict, default=None
        Options of the metric.
    confidence_level : float, default=0.95
        Nominal coverage, between 0 and 1; each end is missed with half the rest.
    method : {"auto", "percentile", "basic"}, default="auto"
        "auto" is the construction that is valid for the metric, as above. The others draw rows
        with replacement, and with the quantiles :math:`q` of these replicates (linear
        interpolation between order statistics) and the estimate t, the interval is
        :math:`[q_{\alpha/2}, q_{1-\alpha/2}]` ("percentile") or
        :math:`[2t - q_{1-\alpha/2}, 2t - q_{\alpha/2}]` ("basic"). They are refused where they do
        not cover, unless `indices` ask for given replicates.
    n_resamples : int, default=999
        Number B of draws.
    indices : array-like of shape (n_resamples, n_samples), default=None
        Row numbers of given resamples for "percentile" and "basic", one column per row of positive
        weight. They count these rows from zero: rows of weight zero are left out first.
        `n_resamples` and `random_state` are then not used.
    groups : array-like of shape (n_samples,), default=None
        A group for each row; the result then has one interval per group, each with the nominal
        coverage on its own. For all g of them at once pass
        ``confidence_level=1 - (1 - level) / g``.
    <<sample_weight>>
        Rows are drawn with equal probability and keep their weights; a bin counts as
        ``(sum w)**2 / sum w**2`` rows.
    <<pos_label>>
    <<labels>>
    <<draws_random_state>>
    <<verbose>>

    Returns
    -------
    interval : CalibrationInterval or GroupIntervals
        An interval unpacks as ``(low, high)`` and holds the estimate, without its bias where this
        is known as ``corrected``. With `groups`, a table of intervals.

    Raises
    ------
    ValueError
        If an argument is malformed, the metric cannot be computed, it is NaN on a resample, the
        log loss is infinite, or there is no valid interval.

    Warns
    -----
    UserWarning
        If `n_resamples` is too small for the level.

    See Also
    --------
    check_calibration : An exact test of calibration.
    check_relevant_miscalibration : A test whether the error exceeds a tolerance.

    Notes
    -----
    The rows must be independent. Binned errors are evaluated on the counts of the bins, so time
    hardly depends on n; "pairs" and "projection" take B times that of the metric on prepared data,
    the bootstrap B times that of the metric. The coverage is measured in
    :doc:`/benchmarks/interval_coverage`.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman and Hall 1993.
    .. [2] P. Hall, "On the Removal of Skewness by Transformation", Journal of the Royal
       Statistical Society B 54 (1992), doi:10.1111/j.2517-6161.1992.tb01876.x.

    Examples
    --------
    >>> from sklearn_calib.datasets import make_calibration_data
    >>> from sklearn_calib.inference import calibration_ci
    >>> X, y_true, y_proba = make_calibration_data(n=500)
    >>> interval = calibration_ci(y_true, y_proba, metric="ece", random_state=0)
    >>> print(f"{interval.estimate:.3f} in [{interval.low:.3f}, {interval.high:.3f}]")
    0.092 in [0.037, 0.123]
    """
    confidence_level = check_real(confidence_level, "confidence_level", below=1.0)
    check_option(method, "method", METHODS)
    n_resamples = check_integer(n_resamples, "n_resamples", 1)
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    measured = measure(y_true, y_proba, X, metric=metric, metric_params=metric_params, **data)
    resamples = None
    if indices is not None:
        resamples = _check_indices(indices, measured.predictions.n_samples)
    rng = check_generator(random_state)
    tail = (1.0 - confidence_level) / 2.0

    def interval(part, say):
        made = construct(part, rng, n_resamples, say, method=method, resamples=resamples)
        if made.is_drawn and indices is None and n_resamples < fewest_resamples(tail):
            warn(
                f"With n_resamples={n_resamples} there is no end that is missed with a probability "
                f"of only {tail:.3g}: use n_resamples of at least {fewest_resamples(tail):.0f}."
            )
        return CalibrationInterval(
            estimate=made.estimate,
            corrected=made.corrected,
            low=made.lower(tail),
            high=made.upper(tail),
            replicates=made.replicates,
            confidence_level=confidence_level,
            method=made.method,
            metric_name=part.name,
            n_samples=part.predictions.n_samples,
        )

    with reporter("calibration_ci", verbose) as say:
        if groups is None:
            return interval(measured, say)
        names, numbers = _check_groups(groups, sample_weight, y_true, resamples)
        intervals = []
        for k, name in enumerate(names):
            say(f"group {name!r}")
            try:
                intervals.append(interval(measured.part(np.flatnonzero(numbers == k)), say))
            except ValueError as error:
                raise ValueError(f"The group {name!r}: {error}") from error
    return GroupIntervals(tuple(names), tuple(intervals), confidence_level)


def _check_groups(groups, sample_weight, y_true, resamples):
    """Return the sorted groups, and the number of that of each row of positive weight."""
    refuse_hidden(groups, "groups")
    values = np.asarray(groups)
    if values.dtype.kind == "c":
        raise ValueError(f"groups must hold text or numbers, got an array of {values.dtype}.")
    if values.ndim != 1:
        raise ValueError(f"groups must have one dimension, a group per row, got {values.shape}.")
    check_same_length(y_true=np.asarray(y_true), groups=values)
    if resamples is not None:
        raise ValueError("indices are rows of all data; pass groups or indices, not both.")
    if sample_weight is not None:
        values = values[np.asarray(sample_weight) > 0]
    missing = values != values if values.dtype.kind == "f" else [v is None for v in values]
    if np.any(missing):
        raise ValueError("groups has missing values; give these rows a group of their own.")
    with naming("groups"):
        names, numbers = np.unique(values, return_inverse=True)
    return names.tolist(), numbers


def _check_indices(indices, n_samples):
    """Return given resamples as rows of integers."""
    rows = check_numeric(indices, "indices")
    if rows.ndim != 2 or rows.shape[1] != n_samples:
        raise ValueError(
            f"indices must have one column per row of positive weight, shape (n_resamples, "
            f"{n_samples}), got {rows.shape}."
        )
    valid = (rows == np.floor(rows)) & (rows >= 0) & (rows < n_samples)
    if not valid.all():
        raise ValueError(
            f"indices must hold row numbers from 0 to {n_samples - 1}, got {rows[~valid][0]:.10g}."
        )
    return rows.astype(np.intp)
