"""The parts of the omnibus test: which statistics it puts together."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...._data.bandwidths import resolve_feature_bandwidth, resolve_prob_bandwidth
from ...._data.targets import reduce_target
from ....metrics._metric import Prepared
from ..statistic import find_statistic, statistic_names
from .findings import TELL, Told
from .outcome import LOCAL

# How the bandwidths of the parts "klce" relate to those that are asked for.
_MULTIPLES = {0.25: "a quarter of the bandwidth", 0.5: "half the bandwidth", 1.0: "full bandwidth"}
_ASPECTS = {
    "cox_score": "slope and shift",
    "logistic_score": "slope, shift and trends along features",
    "rank_skce": "shape",
    "temperature_score": "temperature",
    "classwise_score": "one class",
    "klce": LOCAL,
    "kce": "vector",
}
NAME = "omnibus"


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the omnibus test.

    Attributes
    ----------
    name : str
        The statistic, with a number where one statistic occurs more than once.
    label : str
        How tables call it.
    aspect : str
        Which kind of error it is made to find.
    local : bool
        Whether it reads features.
    error : Prepared
        Gives its value for columns of label codes.
    alternative : {"greater", "two-sided"}
        Which of its values are extreme.
    tell : callable
        ``tell(names)`` -> what is wrong with the predictions, given the names of the features.
    """

    name: str
    label: str
    aspect: str
    local: bool
    error: Prepared
    alternative: str
    tell: Callable[[list[str]], str]


def default_parts(predictions, one_event):
    """Return (statistic, options) of the parts that suit the data, the most specific ones first.

    The option "multiple" of "klce" multiplies both bandwidths.

    Parameters
    ----------
    predictions : Predictions
        The data.
    one_event : bool
        Whether only one event of each row is tested.
    """
    local = predictions.features is not None
    parts = [] if one_event else [("temperature_score", {}), ("classwise_score", {})]
    if local:
        parts.append(("logistic_score", {}))
    elif one_event:
        parts.append(("cox_score", {}))
    parts.append(("rank_skce", {}))
    if local:
        parts += [("klce", {"multiple": multiple}) for multiple in _MULTIPLES]
    elif not one_event:
        parts.append(("kce", {}))
    return parts


def check_parts(parts):
    """Return the parts that a caller asks for as pairs of a name and a dict of options."""
    if isinstance(parts, str) or not hasattr(parts, "__iter__"):
        raise ValueError(
            "parts must be a list of statistics, such as ['cox_score', 'ece'] or "
            f"[('ece', {{'n_bins': 10}})], got {parts!r}."
        )
    pairs = [(part, {}) if isinstance(part, str) else tuple(part) for part in parts]
    if not pairs:
        raise ValueError("parts must name at least one statistic, got an empty list.")
    known = [name for name in statistic_names() if name != NAME]
    for pair in pairs:
        if len(pair) != 2 or pair[0] not in known:
            raise ValueError(
                f"parts must hold names of statistics, or pairs of a name and a dict of options, "
                f"got {pair[0]!r}. The statistics are {known}."
            )
        allowed = {*find_statistic(pair[0]).options, *(["multiple"] if pair[0] == "klce" else [])}
        unknown = sorted(set(pair[1]) - allowed)
        if unknown:
            raise ValueError(
                f"parts sets {unknown}, which statistic={pair[0]!r} does not have. Its options are "
                f"{sorted(allowed)}."
            )
    return pairs


def prepare_parts(predictions, pairs, *, target, prob_bandwidth, feature_bandwidth, **work):
    """Return the parts, each prepared.

    Parameters
    ----------
    predictions : Predictions
        The data.
    pairs : list of (str, dict)
        Statistics and their options.
    target : str
        Passed to the statistics that have this option, unless it is "auto".
    prob_bandwidth, feature_bandwidth : object
        As documented in `klce`; for the parts "klce" only.
    **work : dict
        `algorithm` and `n_draws`.
    """
    without = replace(predictions, features=None)
    names = [name for name, _ in pairs]
    parts = []
    for place, (name, options) in enumerate(pairs):
        description = find_statistic(name)
        if description.needs_features and predictions.features is None:
            raise ValueError(f"The part {name!r} measures local calibration and needs X.")
        data = predictions if description.needs_features else without
        options, unique, label = dict(options), name, description.label
        if target != "auto" and "target" in description.options:
            options.setdefault("target", target)
        if name == "klce":
            multiple = options.pop("multiple", 1.0)
            options.setdefault("prob_bandwidth", prob_bandwidth)
            options.setdefault("feature_bandwidth", feature_bandwidth)
            options = _scaled(predictions, options, multiple)
            if multiple in _MULTIPLES and names.count(name) > 1:
                unique, label = f"{name}_{multiple:g}", f"{label}, {_MULTIPLES[multiple]}"
        if unique == name and names.count(name) > 1:
            unique = f"{name}_{names[: place + 1].count(name)}"
        own: dict[str, Any] = {**description.options, **options}
        if description.sums_pairs:
            approximable = name in ("kce", "klce")
            own |= work if approximable else {"n_draws": work["n_draws"], "algorithm": "auto"}
        error = description.prepare(data, **own)
        told = Told(error, data, description.label, description.meaning)
        parts.append(
            Part(
                unique,
                label,
                _ASPECTS.get(name, description.label),
                description.needs_features,
                error,
                description.alternative,
                partial(TELL.get(name, TELL[None]), told),
            )
        )
    return parts


def _scaled(predictions, options, multiple):
    """Return options in which bandwidths are numbers, times a multiple."""
    target = options.get("target", "auto")
    if target == "auto":
        target = "binary" if predictions.n_classes == 2 else "canonical"
    weight = predictions.weight
    widths = [
        resolve_prob_bandwidth(one.proba, options["prob_bandwidth"], weight=weight)
        for one in reduce_target(predictions.proba, target)
    ]
    feature = resolve_feature_bandwidth(
        predictions.features, options["feature_bandwidth"], weight=weight
    )
    # One number for all events of "classwise", whose bandwidths would otherwise differ.
    return {
        **options,
        "prob_bandwidth": multiple * sum(widths) / len(widths),
        "feature_bandwidth": multiple * feature,
    }
