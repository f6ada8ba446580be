"""What a statistic of a test is, and the table of those that are not metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, TypeVar

from ..._data.sums import Mergeable
from ...metrics._metric import METRICS, Prepared


@dataclass(frozen=True, eq=False)
class Statistic:
    """The description of a statistic.

    Attributes
    ----------
    name : str
        What ``statistic=`` calls it.
    prepare : callable
        ``prepare(predictions, **options)`` -> `Prepared`, which gives the statistic for
        columns of label codes.
    label : str
        How tables call it.
    meaning : str
        What it measures, in one line.
    options : mapping
        Its options and their defaults.
    needs_features : bool
        Whether it reads `X`.
    takes_features : bool
        Whether it reads `X` if there is one, and does without if not.
    sums_pairs : bool
        Whether `prepare` also takes `algorithm` and `n_draws`.
    alternative : {"greater", "two-sided"}
        Which values are extreme.
    effect : {"itself", "root"}, None or callable
        How its value becomes an error on the scale of probabilities; None if it does not. A
        callable is given the options as keyword arguments and returns one of these.
    reference : callable or None
        ``reference(prepared, codes)`` -> frozen distribution of :mod:`scipy.stats` that the
        statistic approaches for a calibrated model and many rows; None if there is none.
    mergeable : callable or None
        As in `Metric`: ``mergeable(n_classes, **options)`` -> `Mergeable`.
    """

    name: str
    prepare: Callable[..., Prepared]
    label: str
    meaning: str
    options: Mapping[str, Any]
    needs_features: bool = False
    takes_features: bool = False
    sums_pairs: bool = False
    alternative: str = "greater"
    effect: str | Callable[..., str | None] | None = None
    reference: Callable[..., Any] | None = None
    mergeable: Callable[..., Mergeable] | None = None

    def effect_of(self, options: Mapping[str, Any]) -> str | None:
        """Return how the value becomes an error on the scale of probabilities."""
        return self.effect(**options) if callable(self.effect) else self.effect


# What `prepare` takes if it adds up pairs of rows, and users set elsewhere.
_WORK = ("algorithm", "n_draws")

STATISTICS: dict[str, Statistic] = {}

_Prepare = TypeVar("_Prepare", bound=Callable[..., Prepared])


def statistic(name: str, **description: Any) -> Callable[[_Prepare], _Prepare]:
    """Return a decorator that enters a function ``prepare`` into `STATISTICS`.

    `name` is what ``statistic=`` calls it, and `description` has the fields of `Statistic` apart
    from `name`, `prepare` and `options`: the options are the keyword arguments of ``prepare`` that
    have a default, without `algorithm` and `n_draws`.
    """

    def enter(prepare: _Prepare) -> _Prepare:
        options = {
            option: parameter.default
            for option, parameter in signature(prepare).parameters.items()
            if parameter.default is not Parameter.empty and option not in _WORK
        }
        STATISTICS[name] = Statistic(name, prepare, options=options, **description)
        return prepare

    return enter


def find_statistic(name: str) -> Statistic:
    """Return the description of a statistic by one of `statistic_names`."""
    if name not in METRICS:
        return STATISTICS[name]
    metric = METRICS[name]
    return Statistic(
        name,
        metric.prepare,
        metric.label,
        metric.meaning,
        metric.options,
        needs_features=metric.needs_features,
        sums_pairs=metric.sums_pairs,
        alternative=metric.alternative,
        effect=metric.effect,
        reference=metric.reference,
        mergeable=metric.mergeable,
    )


def statistic_names() -> list[str]:
    """Return the names of all statistics: the metrics first, in the order of lists."""
    return [*sorted(METRICS, key=lambda name: METRICS[name].rank), *STATISTICS]


def effect_size(value: float, effect: str | None) -> float | None:
    """Return the value of a statistic as an error on the scale of probabilities, or None."""
    if effect == "root":
        return max(value, 0.0) ** 0.5
    return value if effect == "itself" else None
