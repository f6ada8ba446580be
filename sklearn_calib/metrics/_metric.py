"""What a metric is: how it is prepared, and what everybody else needs to know about it.

Scorers, tests, intervals, the report, the comparison table and the lists in docstrings loop over
`METRICS`. A new metric is one file with a function below ``@metric(...)``, and one export.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._data.predictions import Predictions, check_predictions
from .._data.sums import Mergeable
from .._utils.dask_collections import is_partitioned
from .._utils.docs import fill_doc
from ._partitioned import evaluate_partitions

_DATA = ("y_true", "y_proba", "X", "sample_weight", "pos_label", "labels")


class Conclusion(NamedTuple):
    """The statistic of a test, of the data and of the draws.

    Attributes
    ----------
    statistic : float
        That of the data.
    values : ndarray of shape (n_draws,)
        Those of the draws.
    parts : tuple or None
        What each part says, for a statistic of several parts.
    """

    statistic: float
    values: np.ndarray
    parts: tuple | None = None


@fill_doc()
class Prepared(ABC):
    """An error with everything that depends on the predictions alone computed once.

    Attributes
    ----------
    target : str or None
        Which calibration it measures.
    n_columns : int
        Residual columns per set of labels, for the size of batches.
    residual_form : object or None
        Has `reductions`, whose residuals can be permuted or multiplied by signs, and
        ``of_residuals``, which evaluates the error of such residuals. None if the error does not
        depend on the labels through residuals.
    tail_bound : callable or None
        ``tail_bound(value)`` -> bound, valid for every number of rows, on the probability that a
        calibrated model has this value or a larger one. None if none is known.
    sums_of_rows : object or None
        Has ``terms()``, a matrix with one row per sample, and ``of_sums``, which gives the error
        from sums of these terms, so that rows can be left out, repeated or exchanged between models
        quickly. None if the error is no function of such sums.
    part_names : tuple of str
        Names of the parts of a statistic that gives several rows of values; empty if it is one.
    make_test : callable or None
        ``make_test(values, level)`` -> the test at a level with these null draws, for a statistic
        of several parts: it has `critical`, None if there are too few draws, and ``power(drawn)``.
    """

    target: str | None = None
    n_columns: int = 1
    residual_form: Any = None
    tail_bound: Callable[[float], float] | None = None
    sums_of_rows: Any = None
    part_names: tuple[str, ...] = ()
    make_test: Callable[[np.ndarray, float], Any] | None = None

    @abstractmethod
    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Evaluate the error.

        <<parameters_codes>>

        Returns
        -------
        values : ndarray of shape (n_draws,)
        """

    def details(self) -> dict[str, Any]:
        """Return what was used, as fields of the result of a test."""
        return {}

    def conclude(self, observed: Any, values: np.ndarray) -> Conclusion:
        """Return what a test says from the values of the data and of the draws."""
        return Conclusion(float(observed), values)


@dataclass(frozen=True, eq=False)
class Metric:
    """The description of a metric.

    Attributes
    ----------
    function : callable
        The public function. Its keyword arguments hold the options and their defaults.
    prepare : callable
        ``prepare(predictions, **options)`` -> `Prepared`.
    label : str
        How tables call it.
    meaning : str
        What it is, in one line.
    effect : {"itself", "root"}, None or callable
        How its value becomes an error on the scale of probabilities; None if it does not. A
        callable is given the options as keyword arguments and returns one of these.
    multiclass_target : str
        What ``target="auto"`` means for more than two classes.
    sums_pairs : bool
        Whether it adds up pairs of rows, so that `prepare` also takes `algorithm` and `n_draws`.
    ideal : float
        Its value for a perfectly calibrated model.
    alternative : {"greater", "two-sided"}
        Which values speak against calibration: those above the ideal, or those on both sides.
    ratio : bool
        Whether the distance from the ideal is that of the logarithms.
    interval : {"gaps", "pairs", "norm", "likelihood", "ratio", "smooth"} or None
        Which construction of an interval is valid for it: it is a norm of the gaps of bins, an
        average over pairs of rows, another norm of the residuals that is at most their mean size, a
        coefficient of a logistic line, a ratio of events, or another smooth function of means, for
        which percentiles of resamples suffice. None if none is known to be.
    reference : callable or None
        ``reference(prepared, codes)`` -> frozen distribution of :mod:`scipy.stats` that the metric
        approaches for a calibrated model and many rows; None if there is none.
    mergeable : callable or None
        ``mergeable(n_classes, **options)`` -> `Mergeable`: the sums over rows from which the value
        follows, so that parts of the data can be summed anywhere and added up. It takes the options
        as `prepare` does, and raises `NotMergeableError` if with these there are no such sums. None
        if there never are any.
    scorer : mapping or None
        Options of the scorer ``"neg_<name>"``; None if there is none.
    shown_in : tuple of {"report", "comparison"}
        The tables that have a row or column for it.
    rank : int
        Its place in these tables and in lists; small numbers come first.
    """

    function: Callable[..., float]
    prepare: Callable[..., Prepared]
    label: str
    meaning: str
    effect: str | Callable[..., str | None] | None = "itself"
    multiclass_target: str = "confidence"
    sums_pairs: bool = False
    ideal: float = 0.0
    alternative: str = "greater"
    ratio: bool = False
    interval: str | None = None
    reference: Callable[..., Any] | None = None
    mergeable: Callable[..., Mergeable] | None = None
    scorer: Mapping[str, Any] | None = field(default_factory=dict)
    shown_in: tuple[str, ...] = ()
    rank: int = 100

    @property
    def name(self) -> str:
        """Name of the public function."""
        return self.function.__name__

    @cached_property
    def needs_features(self) -> bool:
        """Whether the metric reads features."""
        return "X" in signature(self.function).parameters

    @cached_property
    def options(self) -> dict[str, Any]:
        """Options and their defaults; `target` is one even where the public function has none."""
        options = {
            name: parameter.default
            for name, parameter in signature(self.function).parameters.items()
            if name not in _DATA
        }
        if "target" in signature(self.prepare).parameters:
            options.setdefault("target", "auto")
        return options

    def effect_of(self, options: Mapping[str, Any]) -> str | None:
        """Return how the value becomes an error on the scale of probabilities."""
        return self.effect(**options) if callable(self.effect) else self.effect

    def badness(self, value: float | np.ndarray) -> float | np.ndarray:
        """Return a value so that lower is better: itself, or else its distance from the ideal."""
        if self.alternative == "greater":
            return value
        if not self.ratio:
            return np.abs(np.subtract(value, self.ideal))
        with np.errstate(divide="ignore"):
            return np.abs(np.subtract(np.log(value), np.log(self.ideal)))

    def in_one_dimension(self, n_classes: int) -> bool:
        """Return whether it takes near-linear time for any number of rows."""
        one_event = n_classes == 2 or self.multiclass_target != "canonical"
        return not self.sums_pairs or (one_event and not self.needs_features)


METRICS: dict[str, Metric] = {}

_Function = TypeVar("_Function", bound=Callable[..., float])


def metric(**description: Any) -> Callable[[_Function], _Function]:
    """Return a decorator that enters a public function into `METRICS`.

    Parameters
    ----------
    **description : dict
        The fields of `Metric` apart from `function`.
    """

    def enter(function: _Function) -> _Function:
        METRICS[function.__name__] = Metric(function, **description)
        return function

    return enter


def evaluate(function: Callable[..., float], arguments: Mapping[str, Any]) -> float:
    """Evaluate a metric: validate its data, prepare it with its options, apply it to the labels.

    `arguments` are all of its public function, as ``locals()`` gives them on its first line.
    """
    data = {name: arguments[name] for name in _DATA if name in arguments}
    options = {name: value for name, value in arguments.items() if name not in _DATA}
    description = METRICS[function.__name__]
    if is_partitioned(*data.values()):
        return evaluate_partitions(description, data, options)
    predictions: Predictions = check_predictions(**data)
    prepared = description.prepare(predictions, **options)
    return float(prepared(predictions.codes)[0])


def metrics_shown_in(table: str) -> list[Metric]:
    """Return the metrics that a table shows, in the order of its rows."""
    return [one for one in ranked_metrics() if table in one.shown_in]


def ranked_metrics() -> list[Metric]:
    """Return all metrics in the order of lists."""
    return sorted(METRICS.values(), key=lambda one: one.rank)
