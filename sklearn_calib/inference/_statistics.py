"""The statistic of a test: a metric by name or a callable, prepared for many sets of labels."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature

import numpy as np

from .._utils._compat import safe_indexing
from .._utils._targets import resolve_target
from .._utils._validation import (
    Predictions,
    check_labels,
    check_predictions,
    check_same_length,
    check_weights,
)
from ..metrics import average_calibration_error, ece, kce, klce, mce, mmce, skce
from ..metrics._binned import BinnedError
from ..metrics._kernel import KLCE_FORM, MMCE_FORM, KernelError, kce_form

METRICS = {
    metric.__name__: metric
    for metric in (skce, kce, mmce, klce, ece, mce, average_calibration_error)
}
_DATA = ("y_true", "y_proba", "X", "sample_weight", "pos_label", "labels")

_KERNEL_FORMS = {
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


def resolve_metric(metric, name):
    """Return (name, function) of a metric given by name or as a function of this package."""
    if isinstance(metric, str):
        if metric not in METRICS:
            raise ValueError(
                f"{name} must be one of {', '.join(map(repr, METRICS))} or a callable, "
                f"got {metric!r}."
            )
        return metric, METRICS[metric]
    if not callable(metric):
        raise ValueError(f"{name} must be the name of a metric or a callable, got {metric!r}.")
    known = METRICS.get(getattr(metric, "__name__", None)) is metric
    return (metric.__name__ if known else None), metric


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
    if isinstance(statistic, str) and statistic == "auto":
        statistic = "skce" if X is None else "klce"
    name, function = resolve_metric(statistic, "statistic")
    params = {} if statistic_params is None else dict(statistic_params)
    given = {k: v for k, v in settings.items() if not (isinstance(v, str) and v == _UNSET[k])}
    data = {"sample_weight": sample_weight, "pos_label": pos_label, "labels": labels}
    if name is None or name in _BINNED_FORMS:
        _refuse_algorithm(algorithm, name or "a callable")
    if name is None:
        return _prepare_callable(y_true, y_proba, X, function, params, given, **data)
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
        return "low_rank" if algorithm == "low_rank" else "auto"
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


def _prepare_callable(y_true, y_proba, X, function, params, given, **data):
    """Prepare a callable, which is evaluated on the labels of one draw at a time."""
    if given:
        raise ValueError(
            f"The call sets {sorted(given)}, which a callable statistic does not see. Pass what it "
            "needs in statistic_params."
        )
    predictions = check_predictions(y_true, y_proba, **data)
    weight = check_weights(data["sample_weight"], len(check_labels(y_true)))
    if predictions.classes.dtype.kind == "O":
        raise ValueError(
            "A callable statistic is evaluated on drawn labels, and y_true holds only "
            f"{predictions.classes[1]!r}. Pass labels=, the sorted pair of classes."
        )
    arguments = (y_proba,)
    if X is not None:
        check_same_length(y_true=predictions.codes if weight is None else weight, X=np.asarray(X))
        arguments = (y_proba, X)
    if weight is not None and not weight.all():
        kept = np.flatnonzero(weight)
        arguments = tuple(safe_indexing(argument, kept) for argument in arguments)
    options = _callable_options(function, arguments, params, predictions, data)
    name = getattr(function, "__name__", type(function).__name__)

    def evaluate(codes):
        drawn = predictions.classes[codes.reshape(codes.shape[0], -1).astype(np.intp)]
        return np.array([_as_number(function(y, *arguments, **options), name) for y in drawn.T])

    return Statistic(name, evaluate, predictions)


def _callable_options(function, arguments, params, predictions, data):
    """Return the keyword arguments of a callable, having checked that it takes them."""
    available = {
        "labels": np.sort(predictions.classes),
        "pos_label": data["pos_label"],
        "sample_weight": predictions.weight,
    }
    available = {k: v for k, v in available.items() if v is not None and k not in params}
    try:
        parameters = signature(function)
        bound = parameters.bind(None, *arguments, **params)
    except TypeError as error:
        raise ValueError(
            f"The statistic {function!r} is called as statistic(y_true, y_proba"
            f"{', X' if len(arguments) == 2 else ''}, **statistic_params), which does not fit: "
            f"{error}. X is passed exactly if it is given."
        ) from error
    except ValueError:  # a compiled function without a signature
        return params
    third = [*bound.arguments][2] if len(arguments) == 2 else None
    if third in _DATA[3:]:
        raise ValueError(f"The statistic {function!r} does not use X: its third is {third!r}.")
    if "sample_weight" in available and "sample_weight" not in parameters.parameters:
        raise ValueError(
            f"The statistic {function!r} has no parameter sample_weight, so it would ignore the "
            "weights. Add the parameter or leave out sample_weight."
        )
    return {**{k: v for k, v in available.items() if k in parameters.parameters}, **params}


def _as_number(value, name):
    """Return the value of a callable as a float, NaN included."""
    if np.ndim(value) != 0 or np.asarray(value).dtype.kind not in "biuf":
        raise ValueError(f"The statistic {name} must return one number, got {value!r}.")
    return float(value)
