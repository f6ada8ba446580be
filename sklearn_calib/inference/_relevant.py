"""Test whether an error exceeds a tolerance."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from .._utils.arguments.random_streams import check_generator
from .._utils.docs import fill_doc
from .._utils.options import check_integer, check_real
from .._utils.progress import reporter
from .._utils.results import Result
from .._utils.types import Label, MetricLike, Options, Progress, RandomState
from ..metrics._metric import METRICS
from ._intervals.choose import construct, measure
from ._intervals.construction import ErrorConstruction


@dataclass(frozen=True, repr=False, eq=False)
class RelevantMiscalibrationResult(Result):
    """Outcome of :func:`check_relevant_miscalibration`; unpacks as ``(estimate, pvalue)``.

    Errors are on the scale of probabilities: squared errors by their root.

    Attributes
    ----------
    estimate : float
        The error of the data.
    pvalue : float
        The p-value of the hypothesis that the true error is at most `delta`.
    delta : float
        The tolerance.
    smallest_delta : float
        The smallest tolerance that is not rejected at level `alpha`: the lower end of a one-sided
        interval with confidence ``1 - alpha``.
    alpha : float
        The level of `smallest_delta` and of the sentence.
    metric_name : str
        The metric.
    method : str
        How the test is constructed, see :func:`calibration_ci`.
    n_samples : int
        Rows of positive weight.
    root : bool
        Whether the errors are roots of the metric, which is a square.

    See Also
    --------
    check_relevant_miscalibration : Makes it.

    Examples
    --------
    >>> from sklearn_calib import check_relevant_miscalibration
    >>> y_true, y_proba = [0, 1, 1, 0], [0.2, 0.6, 0.9, 0.4]
    >>> check_relevant_miscalibration(y_true, y_proba, random_state=0).relevant
    False
    """

    _summary = (
        "estimate",
        "pvalue",
        "delta",
        "smallest_delta",
        "alpha",
        "relevant",
        "metric_name",
        "method",
        "n_samples",
    )

    estimate: float
    pvalue: float
    delta: float
    smallest_delta: float
    alpha: float
    metric_name: str
    method: str
    n_samples: int
    root: bool = False

    def __iter__(self):
        """Yield the estimate and the p-value."""
        return iter((self.estimate, self.pvalue))

    @property
    def relevant(self) -> bool:
        """Whether the hypothesis of an error of at most `delta` is rejected at level `alpha`."""
        return self.pvalue <= self.alpha * (1.0 + 1e-9)

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        name = f"root of the {self.metric_name}" if self.root else self.metric_name
        level = f"with {100.0 * (1.0 - self.alpha):.4g} % confidence"
        if self.relevant:
            return (
                f"The {name} is at least {self.smallest_delta:.3g} {level}, so it exceeds the "
                f"tolerance of {self.delta:.4g}."
            )
        known = f"The {name} is at least {self.smallest_delta:.3g} {level}, which leaves it open"
        if self.smallest_delta == 0.0:
            known = f"The {name} may be zero; these rows leave it open"
        return (
            f"{known} whether it exceeds the tolerance of {self.delta:.4g} (p = {self.pvalue:.3g})."
        )


@fill_doc()
def check_relevant_miscalibration(
    y_true: ArrayLike,
    y_proba: ArrayLike,
    X: ArrayLike | None = None,
    *,
    metric: MetricLike = "ece",
    metric_params: Options | None = None,
    delta: float = 0.02,
    alpha: float = 0.05,
    n_resamples: int = 999,
    sample_weight: ArrayLike | None = None,
    pos_label: Label | None = None,
    labels: ArrayLike | None = None,
    random_state: RandomState = None,
    verbose: Progress = False,
) -> RelevantMiscalibrationResult:
    r"""Test whether the calibration error exceeds a tolerance.

    No model is perfectly calibrated, and with enough rows :func:`check_calibration` rejects every
    one of them. The hypothesis of this test is that the true error is **at most delta**, an error
    that does not matter in the application [1]_; rejecting it means that the error is relevant.
    The test follows from the intervals of :func:`calibration_ci`: the hypothesis is rejected at
    level alpha exactly if the lower end of a one-sided interval with confidence ``1 - alpha``
    exceeds `delta`.

    Parameters
    ----------
    <<y_true>>
    <<y_proba>>
    X : array-like of shape (n_samples, n_features) or (n_samples,), default=None
        Features, for "klce": numbers, text, booleans and missing values.
    metric : str or callable, default="ece"
        A metric of this package, by name, that is zero for a calibrated model and grows with the
        error; or a callable with that property, as in :func:`calibration_ci`.
    metric_params : dict, default=None
        Options of the metric.
    delta : float, default=0.02
        The largest error that does not matter, on the scale of probabilities, above 0; for the
        squared errors "skce", "kce" and "klce" it is the root that is compared.
    alpha : float, default=0.05
        Level of the test, for `smallest_delta` and the sentence.
    n_resamples : int, default=999
        Number of draws; the p-value of a binned or kernel error is at least
        ``1 / (n_resamples + 1)``.
    <<sample_weight>>
    <<pos_label>>
    <<labels>>
    <<draws_random_state>>
    <<verbose>>

    Returns
    -------
    result : RelevantMiscalibrationResult
        Unpacks as ``(estimate, pvalue)``; ``result.sentence`` says it in words.

    Raises
    ------
    ValueError
        If an argument is malformed, or the metric has no scale of errors or no valid test.

    See Also
    --------
    check_calibration : The hypothesis that the error is zero.
    calibration_ci : The interval.

    Notes
    -----
    For binned errors the level holds whichever bins the error is in, so the test rejects less
    often than alpha for most errors of size delta. Where events are rare, exact binomial limits of
    their number keep the level, see :func:`calibration_ci`. Measured in
    :doc:`/benchmarks/interval_coverage`. Time is that of :func:`calibration_ci`: binned errors are
    evaluated on the counts of the bins.

    References
    ----------
    .. [1] J. L. Hodges, E. L. Lehmann, "Testing the Approximate Validity of Statistical
       Hypotheses", Journal of the Royal Statistical Society B 16 (1954),
       doi:10.1111/j.2517-6161.1954.tb00169.x.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_calib import check_calibration, check_relevant_miscalibration
    >>> rng = np.random.default_rng(0)
    >>> y_proba = rng.uniform(0.1, 0.9, size=200_000)
    >>> y_true = rng.random(200_000) < y_proba + 0.01
    >>> check_calibration(y_true, y_proba, n_resamples=99, random_state=0).pvalue
    0.01
    >>> result = check_relevant_miscalibration(y_true, y_proba, delta=0.02, random_state=0)
    >>> result.relevant, round(result.smallest_delta, 3)
    (False, 0.006)
    """
    delta = check_real(delta, "delta", below=1.0)
    alpha = check_real(alpha, "alpha", below=1.0)
    n_resamples = check_integer(n_resamples, "n_resamples", 1)
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    measured = measure(y_true, y_proba, X, metric=metric, metric_params=metric_params, **data)
    if not measured.is_error:
        sizes = [one.name for one in METRICS.values() if one.alternative == "greater"]
        raise ValueError(
            f"metric={measured.name!r} is no error that is zero for a calibrated model, so it has "
            f"no tolerance delta; {sizes} are. Use calibration_ci for an interval of it."
        )
    with reporter("check_relevant_miscalibration", verbose) as say:
        made = construct(measured, check_generator(random_state), n_resamples, say)
    assert isinstance(made, ErrorConstruction)  # as it is for whatever `is_error`
    root = measured.effect == "root"
    return RelevantMiscalibrationResult(
        estimate=_of_size(made.estimate, root),
        pvalue=made.pvalue_at_most(delta**2 if root else delta),
        delta=delta,
        smallest_delta=max(0.0, _of_size(made.lower(alpha), root)),
        alpha=alpha,
        metric_name=measured.name,
        method=made.method,
        n_samples=measured.predictions.n_samples,
        root=root,
    )


def _of_size(value: float, root: bool) -> float:
    """Return a value as an error on the scale of probabilities."""
    return max(value, 0.0) ** 0.5 if root else value
