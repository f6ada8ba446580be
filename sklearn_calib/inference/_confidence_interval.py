"""Bootstrap interval of a calibration error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._data.arrays import check_numeric
from .._utils.docs import fill_doc, list_names
from .._utils.options import check_integer, check_option, check_real
from .._utils.random_streams import check_generator
from .._utils.results import Result
from .._utils.types import Label, MetricLike, Options, RandomState
from ..metrics._metric import METRICS, ranked_metrics
from ._statistics.callables import CallableStatistic
from ._statistics.prepare import check_params, resolve_name
from ._statistics.statistic import STATISTICS


@dataclass(frozen=True, repr=False, eq=False)
class CalibrationInterval(Result):
    """Outcome of :func:`calibration_ci`; unpacks as ``(low, high)``.

    Attributes
    ----------
    estimate : float
        The metric of the data.
    low, high : float
        Ends of the interval.
    replicates : ndarray of shape (n_resamples,)
        The metric of each resample.
    confidence_level : float
        The nominal coverage.
    method : {"percentile", "basic"}
        How the ends were computed.
    metric_name : str
        The metric.

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
        "low",
        "high",
        "metric_name",
        "method",
        "confidence_level",
        "n_resamples",
    )

    estimate: float
    low: float
    high: float
    replicates: np.ndarray
    confidence_level: float
    method: str
    metric_name: str

    def __iter__(self):
        """Yield the ends of the interval."""
        return iter((self.low, self.high))

    @property
    def n_resamples(self) -> int:
        """Number of resamples."""
        return self.replicates.size


@fill_doc(metrics=list_names(one.name for one in ranked_metrics()))
def calibration_ci(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: ArrayLike | None = None,
    *,
    metric: MetricLike = "auto",
    metric_params: Options | None = None,
    confidence_level: float = 0.95,
    method: str = "percentile",
    n_resamples: int = 999,
    indices: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
    random_state: RandomState = None,
) -> CalibrationInterval:
    r"""Compute a bootstrap interval of a calibration error.

    Rows are drawn with replacement, B times, and the metric is computed on each resample. With the
    quantiles :math:`q` of these replicates (linear interpolation between order statistics) and the
    estimate t, the interval is :math:`[q_{\alpha/2}, q_{1-\alpha/2}]` ("percentile") or
    :math:`[2t - q_{1-\alpha/2}, 2t - q_{\alpha/2}]` ("basic").

    **Percentile intervals of errors that cannot be negative do not cover near calibration**: a
    resample repeats rows and so looks worse calibrated than the data, and the interval excludes the
    zero of a calibrated model almost surely. To decide whether a model is calibrated use
    :func:`check_calibration`.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    X : array-like of shape (n_samples, n_features) or (n_samples,), default=None
        Numeric features, for "klce" (or a callable that takes them).
    <<metric>>
    metric_params : dict, default=None
        Options of the metric. A "median" bandwidth is computed on each resample.
    confidence_level : float, default=0.95
        Nominal coverage, between 0 and 1.
    method : {"percentile", "basic"}, default="percentile"
        How the ends follow from the replicates, as above.
    n_resamples : int, default=999
        Number B of resamples.
    indices : array-like of shape (n_resamples, n_samples), default=None
        Row numbers of given resamples, one column per row of positive weight. They count these
        rows from zero: rows of weight zero are left out first. `n_resamples` and `random_state`
        are then not used.
    <<sample_weight>>
        Rows are drawn with equal probability and keep their weights.
    <<pos_label>>
    <<labels>>
    random_state : int, RandomState, Generator or None, default=None
        Resample b depends on this and on b only. The global random state is neither read nor
        changed.

    Returns
    -------
    interval : CalibrationInterval
        Unpacks as ``(low, high)`` and holds the estimate and the replicates.

    Raises
    ------
    ValueError
        If an argument is malformed, the metric cannot be computed, or it is NaN on a resample.

    See Also
    --------
    check_calibration : An exact test.

    Notes
    -----
    The rows must be independent. Time is B times that of the metric.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman and Hall 1993.

    Examples
    --------
    >>> from sklearn_calib.datasets import make_calibration_data
    >>> from sklearn_calib.inference import calibration_ci
    >>> X, y_true, y_proba = make_calibration_data(n=500)
    >>> interval = calibration_ci(y_true, y_proba, metric="ece", random_state=0)
    >>> print(f"{interval.estimate:.3f} in [{interval.low:.3f}, {interval.high:.3f}]")
    0.092 in [0.077, 0.132]
    """
    confidence_level = check_real(confidence_level, "confidence_level", below=1.0)
    check_option(method, "method", ("percentile", "basic"))
    n_resamples = check_integer(n_resamples, "n_resamples", 1)
    called = CallableStatistic(
        _resolve_metric(metric, X),
        y_true,
        y_proba,
        X,
        check_params(metric_params, "metric_params"),
        sample_weight=sample_weight,
        pos_label=pos_label,
        labels=labels,
    )
    n_samples = called.predictions.n_samples
    if indices is None:
        rng = check_generator(random_state)
        resamples = (rng.integers(n_samples, size=n_samples) for _ in range(n_resamples))
    else:
        resamples = _check_indices(indices, n_samples)
    estimate = called.of_rows(np.arange(n_samples))
    replicates = np.array([called.of_rows(rows) for rows in resamples])
    n_nan = np.count_nonzero(np.isnan(replicates)) + np.isnan(estimate)
    if n_nan:
        raise ValueError(
            f"The metric {called.name} is NaN on the data or on {n_nan} resamples, so there is no "
            "interval. Is it defined when a class is missing?"
        )
    tail = (1.0 - confidence_level) / 2.0
    low, high = np.quantile(replicates, [tail, 1.0 - tail])
    if method == "basic":
        low, high = 2.0 * estimate - high, 2.0 * estimate - low
    return CalibrationInterval(
        estimate, float(low), float(high), replicates, confidence_level, method, called.name
    )


def _resolve_metric(metric, X):
    """Return the function of a metric by name, or the callable."""
    if isinstance(metric, str) and metric in STATISTICS:
        raise ValueError(
            f"metric={metric!r} is a statistic of check_calibration and no error that could be "
            f"estimated; there are intervals for the metrics {[*METRICS]}."
        )
    name = resolve_name(metric, X, "metric", [one.name for one in ranked_metrics()])
    return metric if name is None else METRICS[name].function


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
