"""The statistic of a test with its data: a metric, another statistic by name, or a callable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..._data.predictions import Predictions, check_predictions
from ..._utils.options import Default
from ...metrics._metric import METRICS, Prepared
from .callables import CallableStatistic
from .statistic import Statistic, find_statistic, statistic_names

# Options of parts that read features.
_OF_FEATURES = (
    *("prob_bandwidth", "feature_bandwidth"),
    *("categorical_features", "category_similarity"),
)


@dataclass(frozen=True, eq=False)
class PreparedStatistic:
    """A statistic with everything that does not depend on the labels prepared.

    Attributes
    ----------
    name : str
        Name of the statistic or callable.
    error : Prepared
        Gives the statistic for columns of label codes.
    predictions : Predictions
        The validated data.
    alternative : {"greater", "two-sided"}
        Which values are extreme.
    effect : {"itself", "root"} or None
        How its value becomes an error on the scale of probabilities.
    reference : callable or None
        Its limiting distribution, as in `Statistic`.
    """

    name: str
    error: Prepared
    predictions: Predictions
    alternative: str = "greater"
    effect: str | None = "itself"
    reference: Callable[..., Any] | None = None


def resolve_name(value, X, argument, allowed):
    """Return the name of a metric or statistic; None for a callable that is not of this package.

    "auto" is "klce" with features and "skce" without. `argument` is how the caller calls the value.
    """
    if isinstance(value, str):
        name = ("skce" if X is None else "klce") if value == "auto" else value
        if name not in allowed:
            options = ", ".join(map(repr, ("auto", *allowed)))
            raise ValueError(f"{argument} must be one of {options} or a callable, got {value!r}.")
        return name
    if not callable(value):
        raise ValueError(f"{argument} must be the name of a metric or a callable, got {value!r}.")
    name = getattr(value, "__name__", None)
    return name if name in METRICS and METRICS[name].function is value else None


def check_params(params, name):
    """Return the options of a metric or callable as a new dict."""
    if params is None:
        return {}
    if not isinstance(params, Mapping) or not all(isinstance(key, str) for key in params):
        raise ValueError(
            f"{name} must be None or a dict of option names and values, such as "
            f"{{'n_bins': 10}}, got {params!r}."
        )
    return dict(params)


def prepare_statistic(
    y_true,
    y_proba,
    X,
    *,
    statistic,
    statistic_params,
    settings,
    n_draws,
    algorithm,
    sample_weight,
    pos_label,
    labels,
):
    """Validate data and statistic together and return a `PreparedStatistic`.

    `statistic` and its options are as documented in `check_calibration`. `settings` are the
    arguments of that function that are options of some statistics only; a `Default` is one that the
    caller did not set. `n_draws` sets of labels will be evaluated.
    """
    name = resolve_name(statistic, X, "statistic", statistic_names())
    params = check_params(statistic_params, "statistic_params")
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    description = None if name is None else find_statistic(name)
    given = _given(settings)
    if algorithm != "auto" and not (description and description.sums_pairs):
        raise ValueError(
            f"algorithm={algorithm!r} is a way to add up pairs of rows, and the statistic "
            f"{name or 'a callable'} has none. Leave it at 'auto'."
        )
    if description is None:
        if given:
            raise ValueError(
                f"The call sets {sorted(given)}, which a callable statistic does not see. Pass "
                "what it needs in statistic_params."
            )
        called = CallableStatistic(statistic, y_true, y_proba, X, params, **data)
        return PreparedStatistic(called.name, called, called.predictions)
    _check_features(description, X, {**given, **params})
    options = _merge_options(description, given, params)
    predictions = check_predictions(y_true, y_proba, X, **data)
    work = {"algorithm": algorithm, "n_draws": n_draws} if description.sums_pairs else {}
    return PreparedStatistic(
        description.name,
        description.prepare(predictions, **options, **work),
        predictions,
        description.alternative,
        description.effect_of(options),
        description.reference,
    )


def choose_statistic(statistic, statistic_params, settings):
    """Return the description and the options of a statistic of rows in Dask partitions.

    Parameters
    ----------
    statistic, statistic_params, settings : object
        As `prepare_statistic` takes them.
    """
    name = resolve_name(statistic, None, "statistic", statistic_names())
    if name is None:
        raise ValueError(
            "statistic must be the name of a statistic for Dask collections, which no callable "
            f"sees as arrays, got {statistic!r}."
        )
    description = find_statistic(name)
    given = _given(settings)
    return description, _merge_options(
        description, given, check_params(statistic_params, "statistic_params")
    )


def _given(settings):
    """Return the arguments that the caller has set."""
    return {name: value for name, value in settings.items() if not isinstance(value, Default)}


def _check_features(description: Statistic, X, given) -> None:
    """Raise unless there are features exactly if the statistic, or what is given, reads them."""
    if description.needs_features and X is None:
        raise ValueError(
            f"statistic={description.name!r} measures local calibration and needs X, the features."
        )
    if X is None:
        without_effect = [name for name in _OF_FEATURES if name in given]
        if description.takes_features and without_effect:
            raise ValueError(
                f"{without_effect[0]} belongs to the parts about features of statistic="
                f"{description.name!r}, and there is no X. Pass X, or leave it out."
            )
    reads_features = description.needs_features or description.takes_features
    if X is not None and not reads_features:
        raise ValueError(
            f"statistic={description.name!r} does not use X. Leave X out for a test of global "
            "calibration, or use statistic='klce' or 'omnibus' for a local one."
        )


def _merge_options(description: Statistic, given, params) -> dict[str, Any]:
    """Return the options of a statistic: its own defaults, then what the caller gave."""
    for source, values in (("statistic_params", params), ("the call", given)):
        unknown = sorted(set(values) - set(description.options))
        if unknown:
            raise ValueError(
                f"{source} sets {unknown}, which statistic={description.name!r} does not have. Its "
                f"options (for statistic_params) are {[*description.options]}."
            )
    twice = sorted(set(given) & set(params))
    if twice:
        raise ValueError(f"{twice} is set in the call and in statistic_params; set it once.")
    return {**description.options, **params, **given}
