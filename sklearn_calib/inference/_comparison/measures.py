"""What models are compared by: proper scores and calibration errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._data.predictions import Predictions
from ...metrics._metric import METRICS
from .._row_scores import LABELS, SCORES
from .._statistics.callables import CallableStatistic
from .._statistics.prepare import check_params


@dataclass(frozen=True)
class Measure:
    """A number that says how bad predictions are.

    Attributes
    ----------
    name : str
        A proper score, a metric of this package, or the name of a callable.
    label : str
        How it is called in words.
    rows : callable or None
        ``rows(predictions)`` -> the score of each row, for a mean of rows; None for the rest.
    value : callable
        ``value(predictions)`` -> the number; lower is better.
    sums : callable
        ``sums(predictions)`` -> the `sums_of_rows` of the prepared measure, or None.
    needs_features : bool
        Whether it reads features.
    ordered : bool
        Whether it depends on the order of the rows.
    """

    name: str
    label: str
    rows: Callable[[Predictions], np.ndarray] | None
    value: Callable[[Predictions], float]
    sums: Callable[[Predictions], Any] = lambda predictions: None
    needs_features: bool = False
    ordered: bool = False


def find_measures(scores, metrics, metric_params) -> list[Measure]:
    """Return the scores and then the metrics by their names, or raise."""
    scores = [*_named(scores, "scores", SCORES)]
    functions = _named(metrics, "metrics", METRICS)
    if not scores and not functions:
        raise ValueError(
            "scores and metrics are both empty, so there is nothing to compare the models by."
        )
    params = check_params(metric_params, "metric_params")
    unknown = sorted(set(params) - set(functions))
    if unknown:
        raise ValueError(
            f"metric_params has options of {unknown}, which metrics={[*functions]} does not name."
        )
    found = [_score(name) for name in scores]
    for name, function in functions.items():
        options = check_params(params.get(name), "metric_params")
        found.append(_callable(name, function, options) if function else _metric(name, options))
    return found


def check_features_are_used(measures, X, *, local_test):
    """Raise unless there are features exactly if a measure or the local test reads them."""
    local = [one.name for one in measures if one.needs_features]
    if local and X is None:
        raise ValueError(f"The metrics {local} measure local calibration and need X, the features.")
    if X is not None and not local and not local_test:
        raise ValueError(
            "Neither the metrics nor the test use X. Leave X out, or add 'klce' to metrics."
        )


def _score(name):
    rows = SCORES[name]

    def value(predictions):
        return float(np.average(rows(predictions), weights=predictions.weight))

    return Measure(name, LABELS[name], rows, value)


def _metric(name, params):
    description = METRICS[name]
    unknown = sorted(set(params) - set(description.options))
    if unknown:
        raise ValueError(
            f"metric_params sets {unknown}, which {name} does not have. Its options are "
            f"{[*description.options]}."
        )
    options: dict[str, Any] = {**description.options, **params}

    def prepare(predictions):
        if not description.needs_features:
            predictions = replace(predictions, features=None)
        return description.prepare(predictions, **options)

    def value(predictions):
        return float(description.badness(prepare(predictions)(predictions.codes)[0]))

    def sums(predictions):
        one_sided = description.alternative == "greater"  # the value is the badness itself
        return prepare(predictions).sums_of_rows if one_sided else None

    label = description.label
    if description.alternative == "two-sided":  # its distance from the ideal is compared
        label += " error"
    ordered = options.get("estimator") in ("ul", "block")
    return Measure(name, label, None, value, sums, description.needs_features, ordered)


def _callable(name, function, params):
    """Return the measure of a callable that is not of this package."""

    def value(predictions):
        classes, binary = predictions.classes, predictions.n_classes == 2
        called = CallableStatistic(
            function,
            classes[predictions.codes],
            predictions.proba[:, 1] if binary else predictions.proba,
            None,
            params,
            sample_weight=predictions.weight,
            pos_label=classes[1] if binary else None,
            labels=np.sort(classes),
        )
        return called.of_rows(slice(None))

    return Measure(name, name, None, value)


def _named(names, argument, allowed):
    """Return a dict of names; the value is a callable that is not of this package, or None."""
    names = [names] if isinstance(names, str) or callable(names) else names
    if not isinstance(names, list | tuple):
        raise ValueError(f"{argument} must be a list of names out of {[*allowed]}, got {names!r}.")
    found: dict[str, Any] = {}
    for one in names:
        name, function = one, None
        if callable(one):
            name = getattr(one, "__name__", type(one).__name__)
            of_package = name in METRICS and METRICS[name].function is one
            function = None if of_package or allowed is not METRICS else one
        if function is None and (name not in allowed or (callable(one) and not of_package)):
            hint = ", or be callables f(y_true, y_proba)" * (allowed is METRICS)
            raise ValueError(f"{argument} must hold names out of {[*allowed]}{hint}, got {one!r}.")
        if function is not None and (name in METRICS or name in SCORES):
            raise ValueError(
                f"{argument} holds a callable with the name {name!r} of a metric or score of this "
                "package. Give it another name."
            )
        if name in found:
            raise ValueError(f"{argument} holds {name!r} twice.")
        found[name] = function
    return found
