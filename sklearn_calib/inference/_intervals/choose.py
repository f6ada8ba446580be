"""Which construction is valid for a metric."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..._data.predictions import Predictions, check_predictions
from ...metrics._metric import METRICS, Metric, ranked_metrics
from .._row_scores import SCORES
from .._statistics.callables import CallableStatistic
from .._statistics.prepare import check_params, resolve_name
from .._statistics.statistic import STATISTICS
from .construction import Construction
from .filled_bins import FilledBins
from .gaps import LargestGap, SumOfGaps
from .lines import ProfileLikelihood, RatioOfEvents
from .means import MeanOfRows, MeanScore, terms_of
from .norms import NormOfResiduals
from .pairs import PairsOfRows
from .resampling import Resampling

_NAMES = [*(one.name for one in ranked_metrics()), *SCORES]
METHODS = ("auto", "percentile", "basic")
# Replicates whose mean is further from the estimate, in their standard deviations, are biased.
_LARGEST_BIAS = 0.5


@dataclass(frozen=True, eq=False)
class MeasuredError:
    """A metric with its options and the data that it is computed from.

    Attributes
    ----------
    name : str
        Name of the metric, score or callable.
    predictions : Predictions
        The validated data.
    metric : Metric or None
        Its description, if it is a metric of this package.
    options : dict
        All options of the metric.
    called : CallableStatistic or None
        The callable with its data.
    """

    name: str
    predictions: Predictions
    metric: Metric | None
    options: dict[str, Any]
    called: CallableStatistic | None = None

    @property
    def effect(self) -> str | None:
        """How the value becomes an error on the scale of probabilities."""
        return None if self.metric is None else self.metric.effect_of(self.options)

    @property
    def is_error(self) -> bool:
        """Whether it is zero for a calibrated model and grows with the error."""
        if self.metric is None:
            return self.called is not None
        return self.metric.alternative == "greater" and self.metric.ideal == 0.0

    def of_rows(self, rows: np.ndarray) -> float:
        """Return the value of some rows."""
        if self.called is not None:
            return self.called.of_rows(rows)
        part = self.predictions.take(rows)
        if self.metric is None:
            return MeanOfRows(terms_of(self.name, part), part.weight).estimate
        return float(self.metric.prepare(part, **self.options)(part.codes)[0])

    def part(self, rows: np.ndarray) -> MeasuredError:
        """Return the same metric of some rows."""
        called = None if self.called is None else self.called.part(rows)
        return replace(self, predictions=self.predictions.take(rows), called=called)


def measure(y_true, y_proba, X, *, metric, metric_params, **data) -> MeasuredError:
    """Validate data, metric and options together."""
    if isinstance(metric, str) and metric in STATISTICS:
        raise ValueError(
            f"metric={metric!r} is a statistic of check_calibration and no error that could be "
            f"estimated; there are intervals for the metrics {[*METRICS]} and the scores "
            f"{[*SCORES]}."
        )
    params = check_params(metric_params, "metric_params")
    name = resolve_name(metric, X, "metric", _NAMES)
    if name is None:
        called = CallableStatistic(metric, y_true, y_proba, X, params, **data)
        return MeasuredError(called.name, called.predictions, None, {}, called)
    description = METRICS.get(name)
    options = {} if description is None else description.options
    unknown = sorted(set(params) - set(options))
    if unknown:
        raise ValueError(
            f"metric_params sets {unknown}, which metric={name!r} does not have. Its options are "
            f"{[*options]}."
        )
    needed = description is not None and description.needs_features
    if needed and X is None:
        raise ValueError(f"metric={name!r} measures a local error and needs X, the features.")
    if X is not None and not needed:
        raise ValueError(
            f"metric={name!r} does not use X. Leave X out, or use metric='klce' for a local error."
        )
    predictions = check_predictions(y_true, y_proba, X, **data)
    return MeasuredError(name, predictions, description, {**options, **params})


def construct(measured, rng, n_draws, say, *, method="auto", resamples=None) -> Construction:
    """Return the construction of an interval; "auto" is the one that is valid for the metric.

    `resamples` are row numbers of given resamples, of shape (n_resamples, n_samples).
    """
    predictions, metric = measured.predictions, measured.metric
    kind: Any = None if metric is None else metric.interval
    if metric is None and measured.called is None:
        if method == "auto":
            return MeanScore(measured.name, predictions)
        kind = "smooth"
    error = None
    prepare: Any = None
    if kind is None and metric is not None and resamples is None:
        named = [one.name for one in ranked_metrics() if one.interval is not None]
        raise ValueError(
            f"No valid interval of {measured.name} is known, by any method: noise alone makes it "
            "positive for a calibrated model, resampled rows add to that, and no construction is "
            "known that takes it off. check_calibration tests it without one. There are intervals "
            f"of {named} and of the scores {[*SCORES]}."
        )
    if metric is not None and kind in _VALID:
        work = {"algorithm": "auto", "n_draws": n_draws} if metric.sums_pairs else {}
        prepare = partial(metric.prepare, **measured.options, **work)
        error = prepare(predictions)
        kind = _VALID[kind](error)
    resampled = measured.called is not None or kind in ("smooth", "unbiased", "likelihood", "ratio")
    if method != "auto" and resamples is None and not resampled:
        raise ValueError(
            f"method={method!r} gives no valid interval of {measured.name}: a resample repeats "
            "rows and looks worse calibrated than the data, so that the interval of a calibrated "
            "model excludes its true error. Use method='auto', or pass indices= to get the "
            "replicates of given resamples."
        )
    constructions: dict[str, Any] = {
        **_CONSTRUCTIONS,
        "norm": partial(NormOfResiduals, prepare=prepare),
    }
    if method == "auto" and (kind in constructions or (kind is None and metric is not None)):
        if resamples is not None:
            raise ValueError(
                f"indices are rows of resamples, which method='auto' does not use for "
                f"{measured.name}. Pass method='percentile' or 'basic' with them."
            )
        return constructions[kind](error, predictions, rng, n_draws, say)
    n_samples = predictions.n_samples
    drawn = resamples
    if resamples is None:
        drawn = (rng.integers(n_samples, size=n_samples) for _ in range(n_draws))
    chosen = "percentile" if method == "auto" else method
    n_drawn = n_draws if resamples is None else len(resamples)
    made = Resampling(measured.of_rows, measured.name, n_samples, drawn, n_drawn, chosen, say)
    if method == "auto" and abs(made.bias) > _LARGEST_BIAS and kind is None:
        raise ValueError(
            f"There is no valid interval of {measured.name}: its mean over resamples differs from "
            f"its value by {made.bias:.2g} standard deviations, so that it is no smooth statistic "
            "(errors that cannot be negative are not). Use a metric of this package by name, or "
            "method='percentile' if you know that its interval is right."
        )
    return made


def _gaps_or_largest(error):
    """Return which construction a binned error has."""
    return "largest" if error.norm == "max" else "gaps"


def _pairs_or_smooth(error):
    """Return which construction a pair sum has; sums of few pairs are means of rows."""
    if error.estimator in ("ul", "block"):
        return "smooth"
    return "unbiased" if error.estimator == "uq" else "pairs"


def _likelihood_or_smooth(error):
    """Return which construction a logistic line has; the joint intercept has no profile here."""
    return "smooth" if getattr(error, "joint", False) else "likelihood"


def _of_gaps(error, predictions, rng, n_draws, say):
    estimate = float(error(predictions.codes)[0])
    return SumOfGaps(
        FilledBins(error, predictions),
        error.norm,
        rng,
        n_draws,
        estimate=estimate,
        pooled=error.debiased or error.squared,
        squared=error.squared,
    )


def _of_largest(error, predictions, rng, n_draws, say):
    return LargestGap(FilledBins(error, predictions))


def _of_pairs(error, predictions, rng, n_draws, say):
    if predictions.n_samples < 2:
        raise ValueError("n too small: an interval of a kernel error needs at least 2 rows, got 1.")
    unbiased = copy(error)
    unbiased.estimator, unbiased.root = "uq", False
    return PairsOfRows(error, unbiased, predictions, rng, n_draws, say)


# What the field `interval` of a metric may be, and what it means for given options.
_VALID = {
    "gaps": _gaps_or_largest,
    "pairs": _pairs_or_smooth,
    "norm": lambda error: "norm",
    "likelihood": _likelihood_or_smooth,
    "ratio": lambda error: "ratio",
    "smooth": lambda error: "smooth",
}
_CONSTRUCTIONS = {
    "gaps": _of_gaps,
    "largest": _of_largest,
    "pairs": _of_pairs,
    "unbiased": _of_pairs,
    "likelihood": ProfileLikelihood,
    "ratio": RatioOfEvents,
}
