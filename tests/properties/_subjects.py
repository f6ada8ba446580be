"""The rows of the table: the public callables, found in the package and not listed."""

import inspect
from functools import partial
from importlib import import_module
from unittest.mock import patch

import numpy as np
from scipy.special import logit
from sklearn.base import clone
from sklearn.utils._param_validation import StrOptions

import sklearn_calib
from sklearn_calib import calibrators, display, inference, kernels, metrics, report
from sklearn_calib.base import BaseBinaryCalibrator, BaseCalibrator
from sklearn_calib.calibrators import OneVsRestCalibrator
from sklearn_calib.inference import check_calibration
from sklearn_calib.inference._sample_size.closed_forms import CLOSED_FORMS
from sklearn_calib.inference._statistics.statistic import find_statistic, statistic_names
from sklearn_calib.metrics._metric import METRICS
from tests.calibrators._registry import CALIBRATORS
from tests.properties._options import documented_choices, forms_of, parameters, small
from tests.properties._outcomes import plain
from tests.properties._table import DRAWN, Subject

# Data that are passed although they need not be.
OPTIONAL = {"sample_weight", "labels", "X_query", "proba_query"}


def call(function, rows, options):
    """Call a function of labels and predictions; its parameters tell which data it takes."""
    taken = inspect.signature(function).parameters
    offered = {
        "y_true": rows.labels,
        "y": rows.labels,
        "y_proba": rows.proba,
        "y_probas": {
            "one": rows.proba,
            "two": 0.5 * rows.proba.astype(float) + 0.5 / rows.n_classes,
        },
        "X": rows.X,
        "values": rows.X,
        "groups": {"group": rows.group},
        "X_query": rows.query_features,
        "proba_query": rows.query,
        "sample_weight": rows.weight,
        "labels": rows.names.tolist(),
    }
    if options.get("leave_one_out"):
        del offered["X_query"], offered["proba_query"]
    passed = {
        name: value
        for name, value in offered.items()
        if name in taken and (taken[name].default is inspect.Parameter.empty or name in OPTIONAL)
    }
    return function(**{**passed, **options})


def metric_subjects():
    """Return the metrics, with all their documented options."""
    return [
        Subject(
            name=f"metrics.{name}",
            evaluate=partial(call, one.function),
            forms=tuple(forms_of(one.function, **small(one.function))),
            takes=parameters(one.function),
            kind="metric",
        )
        for name, one in METRICS.items()
    ]


def table_subjects():
    """Return the functions of `metrics` that answer with more than one number."""
    return [
        Subject(
            name=f"metrics.{name}",
            evaluate=partial(_tabulate, function),
            forms=tuple(forms_of(function, **small(function))),
            takes=parameters(function),
            kind="function",
            columns=tuple(
                f"{part}.by_class"
                for part in ("edges", "count", "prob_pred", "prob_true", "recalibrated")
            ),
            by_row=("recalibrated", "recalibrated.by_class"),
        )
        for name in metrics.__all__
        for function in [getattr(metrics, name)]
        if name not in METRICS and {"y_true", "y_proba"} <= parameters(function)
    ]


def _tabulate(function, rows, options):
    """Return the parts of an answer, with classes in the last axis and all rows in the first."""
    parts = {}
    for name, value in plain(call(function, rows, options)).items():
        if name == "recalibrated":  # holds the rows of positive weight
            all_rows = np.full((rows.n, *value.shape[1:]), np.nan)
            all_rows[rows.weights > 0] = value
            value = all_rows
            if value.shape[1] == 1 and parts["target"] != "confidence":
                value = np.column_stack([1.0 - value, value])
            by_class = value.shape[1] == rows.n_classes
        else:
            by_class = value.ndim == 2
            value = value.T if by_class else value
        parts[f"{name}.by_class" if by_class else name] = value
    return parts


_NO_CATEGORIES = {
    name: {"categorical_features": ()}
    for name in statistic_names()
    if "categorical_features" in find_statistic(name).options
}


# Statistics that take long for each draw.
_SLOW = {"smooth_ece": {"n_resamples": 2}}


def statistic_subjects():
    """Return the test with each of its statistics, with draws and without."""
    return [_statistic(name) for name in statistic_names()]


# Options that are refused without features.
_OF_FEATURES = {
    *("prob_bandwidth", "feature_bandwidth", "min_effective_size"),
    *("categorical_features", "category_similarity", "feature_names"),
}


def _statistic(name):
    described = find_statistic(name)
    options = METRICS[name].function if name in METRICS else described.prepare
    chosen = documented_choices(options)
    forms = [{}, *({"target": one} for one in chosen.pop("target", []))]
    for one in forms_of(options, **_NO_CATEGORIES.get(name, {})):
        if one and not {"target", "algorithm", "in_sample"} & set(one):
            features = {"X": True} if _OF_FEATURES & set(one) else {}
            forms.append({"statistic_params": one, **features})
    if described.takes_features:
        forms.append({"X": True})
    if described.reference is not None:
        beside = {"statistic_params": {"estimator": "ul"}} if name == "skce" else {}
        forms.append({"null": "asymptotic", **beside})
    return Subject(
        name=f"statistics.{name}",
        evaluate=partial(_check, name, described.needs_features),
        forms=tuple(forms),
        takes=parameters(check_calibration) - {"algorithm"},
        kind="statistic",
        drawn=DRAWN,
        cost=50 if name in _SLOW else 2,
    )


def _check(name, needs_features, rows, options):
    settings = {**small(check_calibration), **(_SLOW.get(name) or {}), **options}
    if settings.pop("X", needs_features):
        settings["X"] = rows.X
    return call(check_calibration, rows, {"statistic": name, **settings})


def _optional_features(function, option):
    """Return a function that is given features where a metric or statistic reads them."""

    def evaluate(rows, options):
        name = options.get(option)
        if name in METRICS and METRICS[name].needs_features:
            options = {**options, "X": rows.X}
        return call(function, rows, options)

    return evaluate


# How to ask what cannot be asked with rows alone.
_SPECIAL_FORMS = {
    "required_sample_size": [
        {"statistic": "cox_score", "shift": 0.5},
        {"statistic": "ece", "slope": 0.7},
        *({"metric": name, "width": 0.3} for name in CLOSED_FORMS),
    ],
    "compare_calibration": [
        {},
        {"scores": ["brier"], "metrics": ["skce", "calibration_slope"], "statistic": None},
        {"correction": "bonferroni"},
        {"correction": "none"},
    ],
}
# Metrics that calibration_ci refuses.
_WITHOUT_INTERVAL = {name for name, one in METRICS.items() if one.interval is None}


def function_subjects():
    """Return the functions of `inference` that take predictions, other than the test itself."""
    return [
        Subject(
            name=f"inference.{name}",
            evaluate=_optional_features(function, "metric"),
            forms=tuple(
                {**small(function), **one}
                for one in _SPECIAL_FORMS.get(name) or forms_of(function, **small(function))
                if one.get("metric") not in _WITHOUT_INTERVAL
            ),
            takes=parameters(function),
            kind="function",
            drawn=DRAWN,
            columns=("", "bias", "null_std"),
            cost=2,
        )
        for name in inference.__all__
        for function in [getattr(inference, name)]
        if inspect.isfunction(function)
        and function is not check_calibration
        and "estimator" not in parameters(function)
    ]


def kernel_subjects():
    """Return the functions of `kernels`."""
    subjects = []
    for name in kernels.__all__:
        function = getattr(kernels, name)
        forms = forms_of(function)
        needed = {
            key: 0.5
            for key, one in inspect.signature(function).parameters.items()
            if one.kind is one.KEYWORD_ONLY and one.default is one.empty
        }
        subjects.append(
            Subject(
                name=f"kernels.{name}",
                evaluate=partial(_kernel, function),
                forms=tuple({**needed, **one} for one in forms),
                takes=parameters(function) | {"y_true"},
                kind="kernel",
            )
        )
    return subjects


def _kernel(function, rows, options):
    if "K" in parameters(function):
        widths = {"prob_bandwidth": 0.5, "feature_bandwidth": 1.0}
        K = kernels.klce_kernel(rows.X, rows.proba, **widths)
        proba = rows.proba if rows.proba.ndim == 1 else rows.proba[:, -1]
        return function(K, (rows.y == rows.n_classes - 1) - proba.astype(float))
    return call(function, rows, options)


def calibrator_subjects():
    """Return the calibrators, with each word and flag that a parameter may be."""
    return [
        _calibrator(kind)
        for name in calibrators.__all__
        for kind in [getattr(calibrators, name)]
        if issubclass(kind, BaseCalibrator)
    ]


# Calibrators that take long to fit, and by how much their examples are fewer.
_COST = {"KernelRecalibrator": 40, "AdaptiveCalibrator": 4, "DirichletCalibrator": 2}


def _calibrator(kind):
    forms = [{"calibrator": one} for one in CALIBRATORS if type(one) is kind]
    drawn = "random_state" in parameters(kind)
    if drawn:  # what is tested does not depend on how well the networks are trained
        forms = [{**one, "max_iter": 3, "n_networks": 1} for one in forms]
    else:
        forms.insert(0, {"calibrator": kind()})
        for name, allowed in kind._parameter_constraints.items():
            values = [v for one in allowed if isinstance(one, StrOptions) for v in one.options]
            values += [True, False] if "boolean" in allowed else []
            forms += [{"calibrator": kind(**{name: value})} for value in sorted(values, key=str)]
    if kind is OneVsRestCalibrator:
        forms += [{"calibrator": kind(name)} for name in kind.get_method_names()]
    return Subject(
        name=f"calibrators.{kind.__name__}",
        evaluate=_fit_and_predict,
        forms=tuple(forms),
        takes=parameters(kind) | {"y_true", "sample_weight"},
        kind="calibrator",
        classes=(2,) if issubclass(kind, BaseBinaryCalibrator) else (2, 3),
        every_class=True,
        columns=("proba",),
        cost=_COST.get(kind.__name__, 1),
        rtol=0.0,
        atol=1e-7,
    )


def scores(calibrator, proba, X):
    """Return predictions on the scale that a calibrator reads."""
    if calibrator.takes_features:
        one = proba.reshape(len(proba), -1)
        pair = np.hstack([1 - one, one]) if one.shape[1] == 1 else one
        return np.hstack([pair, X])
    if calibrator.input_scale == "probability":
        return proba
    with np.errstate(divide="ignore"):
        if proba.ndim > 1 and proba.shape[1] > 1:
            if calibrator.input_scale == "log_probability":
                log_proba = np.maximum(np.log(proba.astype(float)), -800.0)
                # Of two classes, a vector holds the log-odds, half of which belong to each.
                return log_proba - (proba.shape[1] == 2) * log_proba.mean(axis=1, keepdims=True)
            if calibrator.input_scale == "score" and proba.shape[1] > 2:
                return 3.0 * proba - 1.0
        odds = np.clip(logit(proba.astype(float)), -800.0, 800.0)
    if odds.ndim > 1 and odds.shape[1] == 2:
        return np.column_stack([np.zeros(len(odds)), odds[:, 1]])
    return odds


def fit(rows, options):
    """Return a fitted copy of a calibrator."""
    options = dict(options)
    calibrator = clone(options.pop("calibrator")).set_params(**options)
    S = scores(calibrator, rows.proba, rows.X)
    return calibrator.fit(S, rows.labels, sample_weight=rows.weight)


def _fit_and_predict(rows, options):
    calibrator = fit(rows, options)
    S = scores(calibrator, rows.query, rows.query_features)
    return {"proba": calibrator.predict_proba(S)}


def display_subjects():
    """Return the pictures that are made of rows."""
    subjects = []
    for name in display.__all__:
        make = getattr(getattr(display, name), "from_predictions", None)
        if make is None:
            continue
        subjects.append(
            Subject(
                name=f"display.{name}",
                evaluate=partial(_picture, make),
                forms=tuple({**small(make), **one} for one in forms_of(make)),
                takes=parameters(make),
                kind="display",
                classes=(2,),
                drawn=DRAWN,
                cost=3,
            )
        )
    return subjects


def _picture(make, rows, options):
    # What is stored is compared; drawing it would take most of the time.
    with patch.object(make.__self__, "plot", lambda self, *args, **kwargs: self):
        return {"display": call(make, rows, options)}


def report_subjects():
    """Return the report."""
    make = report.calibration_report
    forms = [{}, {"strategy": "quantile"}, {"groups": True}, {"X": True}]
    return [
        Subject(
            name="report.calibration_report",
            evaluate=_report,
            forms=tuple({**small(make), **one} for one in forms),
            takes=parameters(make) - {"min_rows"},
            kind="report",
            drawn=(*DRAWN, "verdict", "advice"),  # which have numbers and events in words
            cost=30,
        )
    ]


def _report(rows, options):
    options = dict(options)
    if options.pop("groups", False):
        options["groups"] = {"group": rows.group}
    if options.pop("X", False):
        options["X"] = rows.X
    else:
        options = {name: one for name, one in options.items() if name not in _OF_FEATURES}
    made = call(report.calibration_report, rows, options)
    return made.to_dict()


def public_names():
    """Return {module and name: what it is} of all that is public."""
    return {
        f"{module}.{name}": getattr(import_module(f"sklearn_calib.{module}"), name)
        for module in sklearn_calib._SUBMODULES
        for name in import_module(f"sklearn_calib.{module}").__all__
    }
