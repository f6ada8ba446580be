"""The statistic of a test: a metric by name or a callable, prepared for many sets of labels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature

from ..._data.predictions import Predictions, check_predictions
from ..._data.targets import resolve_target
from ...metrics import average_calibration_error, ece, kce, klce, mce, mmce, skce
from ...metrics._binned.binned_error import BinnedError
from ...metrics._kernel.kce import kce_form
from ...metrics._kernel.klce import KLCE_FORM
from ...metrics._kernel.mmce import MMCE_FORM
from ...metrics._kernel.pair_error import KernelError
from .callables import CallableStatistic

METRICS = {
    metric.__name__: metric
    for metric in (skce, kce, mmce, klce, ece, mce, average_calibration_error)
}
_DATA = ("y_true", "y_proba", "X", "sample_weight", "pos_label", "labels")

_KERNEL_FORMS: dict[str, Callable[..., dict]] = {
    "skce": lambda **options: options,
    "kce": lambda squared, **options: {**kce_form(squared), **options},
    "mmce": lambda **options: {**MMCE_FORM, **options},
    "klce": lambda prob_bandwidth, **options: {
        **KLCE_FORM,
        "bandwidth": prob_bandwidth,
        **options,
    },
}
# Pairs of rows times residual columns, above which "auto" takes the low-rank way.
EXACT_WORK = 1e12

_UNSET = {"target": "auto", "prob_bandwidth": "median", "feature_bandwidth": "median"}
_BINNED_FORMS = {"ece": {}, "mce": {"norm": "max"}, "average_calibration_error": {"norm": "mean"}}


@dataclass(frozen=True)
class Statistic:
    """A statistic with everything that does not depend on the labels prepared.

    Attributes
    ----------
    name : str
        Name of the metric or callable.
    evaluate : callable
        Label codes of shape (n_samples, n_draws) -> values of shape (n_draws,).
    predictions : Predictions
        The validated data.
    target : str or None
        Which calibration is measured; None if the statistic is a callable.
    error : KernelError or None
        The prepared kernel error, for nulls that change residuals.
    squared : bool
        Whether the root of the value is on the scale of probabilities.
    n_columns : int
        Residual columns per draw, for the size of batches.
    """

    name: str
    evaluate: Callable
    predictions: Predictions
    target: str | None = None
    error: KernelError | None = None
    squared: bool = False
    n_columns: int = 1


def resolve_metric(metric, X, argument):
    """Return (name, function); the name is None for a callable that is not of this package.

    Parameters
    ----------
    metric : str or callable
        "auto" is "klce" with features and "skce" without.
    X : array-like or None
        The features.
    argument : str
        How the caller calls `metric`, for error messages.
    """
    if isinstance(metric, str):
        name = ("skce" if X is None else "klce") if metric == "auto" else metric
        if name not in METRICS:
            options = ", ".join(map(repr, ("auto", *METRICS)))
            raise ValueError(f"{argument} must be one of {options} or a callable, got {metric!r}.")
        return name, METRICS[name]
    if not callable(metric):
        raise ValueError(f"{argument} must be the name of a metric or a callable, got {metric!r}.")
    name = getattr(metric, "__name__", "")
    return (name if METRICS.get(name) is metric else None), metric


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
    """Validate data and statistic together and return a `Statistic`.

    Parameters
    ----------
    statistic : str or callable
        As documented in `check_calibration`.
    statistic_params : dict or None
        Options of the metric or callable.
    settings : dict
        The arguments of `check_calibration` that are options of some metrics only.
    n_draws : int
        How many sets of labels will be evaluated.
    algorithm : str
        How a pair sum is evaluated.
    """
    name, function = resolve_metric(statistic, X, "statistic")
    params = check_params(statistic_params, "statistic_params")
    given = {k: v for k, v in settings.items() if not (isinstance(v, str) and v == _UNSET[k])}
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    if name is None or name in _BINNED_FORMS:
        _refuse_algorithm(algorithm, name or "a callable")
    if name is None:
        if given:
            raise ValueError(
                f"The call sets {sorted(given)}, which a callable statistic does not see. Pass "
                "what it needs in statistic_params."
            )
        called = CallableStatistic(function, y_true, y_proba, X, params, **data)
        return Statistic(called.name, called.of_labels, called.predictions)
    if X is None and name == "klce":
        raise ValueError("statistic='klce' measures local calibration and needs X, the features.")
    if X is not None and name != "klce":
        raise ValueError(
            f"statistic={name!r} does not use X. Leave X out for a test of global calibration, or "
            "use statistic='klce' for a local one."
        )
    options = _merge_options(name, given, params)
    predictions = check_predictions(y_true, y_proba, X, **data)
    if name in _BINNED_FORMS:
        evaluate = BinnedError(predictions, **_BINNED_FORMS[name], **options)
        target = resolve_target(options["target"], predictions.n_classes, multiclass="confidence")
        return Statistic(name, evaluate, predictions, target)
    form = _KERNEL_FORMS[name](**options)
    algorithm = _resolve_algorithm(algorithm, name, form, predictions, n_draws)
    error = KernelError(predictions, **form, algorithm=algorithm, n_columns=n_draws)
    n_columns = sum(reduction.proba.shape[1] for reduction in error.reductions)
    return Statistic(name, error, predictions, error.target, error, not error.root, n_columns)


def _merge_options(name, given, params):
    """Return the options of a metric: its own defaults, then what the caller gave."""
    options = {
        option: parameter.default
        for option, parameter in signature(METRICS[name]).parameters.items()
        if option not in _DATA
    }
    options.setdefault("target", "auto")
    for source, values in (("statistic_params", params), ("the call", given)):
        unknown = sorted(set(values) - set(options))
        if unknown:
            raise ValueError(
                f"{source} sets {unknown}, which statistic={name!r} does not have. Its options "
                f"(for statistic_params) are {[*options]}."
            )
    twice = sorted(set(given) & set(params))
    if twice:
        raise ValueError(f"{twice} is set in the call and in statistic_params; set it once.")
    return {**options, **params, **given}


def _resolve_algorithm(algorithm, name, form, predictions, n_draws):
    """Return the way to add up pairs: "low_rank", or "auto" for the cheapest exact one."""
    all_pairs = form["estimator"] in ("uq", "biased")
    if algorithm == "low_rank" and not (all_pairs and form["kernel"] == "rbf"):
        raise ValueError(
            f"algorithm='low_rank' approximates sums over all pairs with an RBF kernel; "
            f"statistic={name!r} has kernel={form['kernel']!r} and estimator={form['estimator']!r} "
            "here, which are exact and need no approximation. Use 'auto'."
        )
    if algorithm != "auto" or not all_pairs or form["kernel"] != "rbf":
        return "auto" if algorithm == "exact" else algorithm
    n_classes, features = predictions.n_classes, predictions.features
    target = resolve_target(form["target"], n_classes, multiclass="canonical")
    n_events = n_classes if target == "canonical" else 1
    in_one_dimension = n_events == 1 and features is None
    work = float(predictions.n_samples) ** 2 * n_draws * n_events
    return "low_rank" if work > EXACT_WORK and not in_one_dimension else "auto"


def _refuse_algorithm(algorithm, name):
    if algorithm != "auto":
        raise ValueError(
            f"algorithm={algorithm!r} is a way to add up pairs of rows, and the statistic {name} "
            "has none. Leave it at 'auto'."
        )
