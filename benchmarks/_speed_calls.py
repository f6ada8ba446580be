"""Calls of the public interface, found by introspection, timed one by one on request.

``python benchmarks/_speed_calls.py`` times the `sklearn_calib` that Python finds. It reads the
names of the calls that are wanted, as one line of JSON that may be null, and writes those that
work. Then, for each name that it reads, it writes the shortest of several processor times; so two
such processes with two versions of the package can take turns.
"""

import inspect
import json
import re
import sys
import time
import warnings

import numpy as np

import sklearn_calib

SMALL, MODERATE = 300, 4000
ENOUGH = 0.03  # seconds of repetitions in one turn
FEW_DRAWS = {"n_resamples": 99, "random_state": 0}
QUICK_NETWORK = {"hidden_layer_sizes": (4,), "n_networks": 2, "n_iter_no_change": 40}
OPTIONS = {"KernelRecalibrator": QUICK_NETWORK | {"random_state": 0}}


class Data:
    """Labels, predictions, features and groups for the calls."""

    def __init__(self, n, n_classes):
        rng = np.random.default_rng(n)
        P = rng.dirichlet(np.full(n_classes, 0.7), size=n)
        self.P = P
        self.p = P[:, 1] if n_classes == 2 else P
        self.other = 0.9 * self.p + 0.1 / n_classes
        self.y = (P.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
        self.X = rng.normal(size=(n, 3))
        self.groups = {"region": rng.choice(["north", "east", "south"], size=n)}
        self.label = f"n = {n}" if n_classes == 2 else f"n = {n}, {n_classes} classes"


def functions(module):
    """Return the public functions of a module of the package, by name."""
    loaded = getattr(sklearn_calib, module)
    found = {name: getattr(loaded, name) for name in loaded.__all__}
    return {name: one for name, one in found.items() if inspect.isfunction(one)}


def names_in(function, parameter):
    """Return the names that a docstring allows for a parameter."""
    text = re.search(rf"{parameter} : \{{(.*?)\}}", function.__doc__, re.DOTALL)[1]
    return [name for name in re.findall(r'"(\w+)"', text) if name != "auto"]


def metric_calls():
    for data in (Data(SMALL, 2), Data(MODERATE, 2), Data(SMALL, 4)):
        for name, function in functions("metrics").items():
            if list(inspect.signature(function).parameters)[:1] == ["y_true"]:
                yield f"{name}, {data.label}", _with_features_if_needed(function, data)


def calibrator_calls():
    for data in (Data(SMALL, 2), Data(MODERATE, 2), Data(SMALL, 4)):
        for name in sklearn_calib.calibrators.__all__:
            kind = getattr(sklearn_calib, name)
            if not issubclass(kind, sklearn_calib.base.BaseCalibrator):
                continue
            one = kind(**OPTIONS.get(name, {}))
            rows = np.column_stack([data.P, data.X]) if name in OPTIONS else data.p
            yield f"{name}.fit, {data.label}", _call(one.fit, rows, data.y)
            yield f"{name}.predict_proba, {data.label}", _call(one.predict_proba, rows)


def wrapper_calls():
    from sklearn.linear_model import LogisticRegression

    data = Data(SMALL, 2)
    for method in (None, "platt", "isotonic"):
        model = sklearn_calib.CalibratedClassifier(LogisticRegression(), method)
        label = f"CalibratedClassifier {method or 'default'}"
        yield f"{label}.fit", _call(model.fit, data.X, data.y)
        yield f"{label}.predict_proba", _call(model.predict_proba, data.X)
    transformer = sklearn_calib.CrossFitTransformer(LogisticRegression())
    yield "CrossFitTransformer.fit_transform", _call(transformer.fit_transform, data.X, data.y)
    model = LogisticRegression().fit(data.X, data.y)
    scorers = sklearn_calib.get_scorer_names()
    yield (
        "all scorers",
        lambda: [sklearn_calib.get_scorer(name)(model, data.X, data.y) for name in scorers],
    )
    yield (
        "calibration_test_score",
        _call(sklearn_calib.calibration_test_score, model, data.X, data.y, **FEW_DRAWS),
    )


def inference_calls():
    check, interval = sklearn_calib.check_calibration, sklearn_calib.calibration_ci
    for data in (Data(SMALL, 2), Data(MODERATE, 2)):
        for name in names_in(check, "statistic"):
            call = _with_features_if_needed(check, data, statistic=name, **FEW_DRAWS)
            yield f"check_calibration {name}, {data.label}", call
        for name in names_in(interval, "metric"):
            call = _with_features_if_needed(interval, data, metric=name, **FEW_DRAWS)
            yield f"calibration_ci {name}, {data.label}", call
    for data in (Data(SMALL, 2), Data(1000, 2)):
        rows = (data.y, data.p)
        models = {"a": data.p, "b": data.other}
        for name, call in {
            "calibration_line": _call(sklearn_calib.calibration_line, *rows),
            "check_relevant_miscalibration": _call(
                sklearn_calib.check_relevant_miscalibration, *rows, **FEW_DRAWS
            ),
            "compare_calibration": _call(
                sklearn_calib.compare_calibration, data.y, models, **FEW_DRAWS
            ),
            "calibration_by_group": _call(
                sklearn_calib.calibration_by_group, *rows, data.groups, **FEW_DRAWS
            ),
            "local_calibration_bias": _call(sklearn_calib.local_calibration_bias, *rows, data.X),
            "local_bias_band": _call(sklearn_calib.local_bias_band, *rows, data.X, **FEW_DRAWS),
            "required_sample_size": _call(
                sklearn_calib.required_sample_size, data.p, metric="ece", width=0.1, random_state=0
            ),
            "required_sample_size of a slope": _call(
                sklearn_calib.required_sample_size,
                data.p,
                slope=0.8,
                statistic="slope_score",
                random_state=0,
            ),
        }.items():
            yield f"{name}, {data.label}", call


def display_calls():
    data = Data(SMALL, 2)
    rows = (data.y, data.p)
    models = {"a": data.p, "b": data.other}
    check = sklearn_calib.check_calibration(*rows, **FEW_DRAWS)
    compared = sklearn_calib.compare_calibration(data.y, models, **FEW_DRAWS)
    for name, call in {
        "ReliabilityDisplay": (sklearn_calib.ReliabilityDisplay.from_predictions, *rows),
        "CalibrationComparisonDisplay": (
            sklearn_calib.CalibrationComparisonDisplay.from_predictions, data.y, models,
        ),
        "GroupCalibrationDisplay": (
            sklearn_calib.GroupCalibrationDisplay.from_predictions, *rows, data.groups,
        ),
        "LocalBiasDisplay": (sklearn_calib.LocalBiasDisplay.from_predictions, *rows, data.X),
        "NullDistributionDisplay": (sklearn_calib.NullDistributionDisplay.from_result, check),
        "ModelDifferenceDisplay": (sklearn_calib.ModelDifferenceDisplay.from_result, compared),
        "CalibrationMonitorDisplay": (
            sklearn_calib.CalibrationMonitorDisplay.from_monitor, _monitor(data),
        ),
    }.items():  # fmt: skip
        yield name, _drawn(*call)


def report_calls():
    for data in (Data(SMALL, 2), Data(MODERATE, 2), Data(SMALL, 4)):
        call = _call(sklearn_calib.calibration_report, data.y, data.p, random_state=0)
        yield f"calibration_report, {data.label}", call
    data = Data(SMALL, 2)
    options = {"groups": data.groups, "random_state": 0}
    report = sklearn_calib.calibration_report(data.y, data.p, data.X, **options)
    yield (
        "calibration_report with features and groups",
        _call(sklearn_calib.calibration_report, data.y, data.p, data.X, **options),
    )
    yield "CalibrationReport.to_frame", report.to_frame
    yield "str of CalibrationReport", lambda: str(report)


def streaming_calls():
    for data in (Data(SMALL, 2), Data(MODERATE, 2)):
        for kind in ("CalibrationState", "CalibrationSummary"):
            one = getattr(sklearn_calib, kind)
            yield (
                f"{kind}.update, {data.label}",
                lambda one=one, data=data: one().update(data.y, data.p),
            )
            filled = one().update(data.y, data.p)
            yield f"{kind}.merge, {data.label}", lambda a=filled: a + a
            yield f"{kind}.to_json, {data.label}", filled.to_json
        state = sklearn_calib.CalibrationState().update(data.y, data.p)
        yield f"CalibrationState.result, {data.label}", state.result
        summary = sklearn_calib.CalibrationSummary().update(data.y, data.p)
        yield f"CalibrationSummary.fit, {data.label}", _call(summary.fit, "platt")
        yield f"CalibrationMonitor.update, {data.label}", _call(_monitor, data)
        monitor = _monitor(data)
        yield f"CalibrationMonitor.to_frame, {data.label}", monitor.to_frame
        yield f"CalibrationMonitor.describe, {data.label}", monitor.describe
        order = np.argsort(data.p)
        yield (
            f"SortedSkceState.from_range, {data.label}",
            lambda data=data, order=order: sklearn_calib.SortedSkceState.from_range(
                data.y[order], data.p[order]
            ).skce(),
        )


def other_calls():
    data = Data(SMALL, 2)
    for name, function in functions("kernels").items():
        if "X" in inspect.signature(function).parameters:
            yield name, _call(function, data.X)
    yield "make_calibration_data", _call(sklearn_calib.datasets.make_calibration_data)


def all_calls(wanted=None):
    """Return the calls that work, by name: all of them, or those that are wanted."""
    sources = (metric_calls, calibrator_calls, wrapper_calls, inference_calls)
    sources += (display_calls, report_calls, streaming_calls, other_calls)
    found = ((name, call) for source in sources for name, call in source())
    return {
        name: call for name, call in found if (wanted is None or name in wanted) and _works(call)
    }


def _call(function, *args, **options):
    known = inspect.signature(function).parameters
    options = {name: value for name, value in options.items() if name in known}
    return lambda: function(*args, **options)


def _with_features_if_needed(function, data, **options):
    calls = [_call(function, data.y, data.p, *more, **options) for more in ((), (data.X,))]

    def call():
        if len(calls) > 1:
            calls[:] = [one for one in calls if _works(one)][:1]
        return calls[0]()

    return call


def _drawn(function, *args):
    def draw():
        from matplotlib import pyplot

        pyplot.close("all")
        return function(*args)

    return draw


def _monitor(data):
    monitor = sklearn_calib.CalibrationMonitor()
    period = np.arange(data.y.size) * 12 // data.y.size
    return monitor.update(data.y, data.p, period=period)


def _works(call):
    """Return whether a call works, which also compiles and imports what it needs."""
    try:
        call()
    except (TypeError, ValueError, ImportError, AttributeError, IndexError):
        return False
    return True


def shortest(call):
    """Return the shortest processor time of the repetitions of one turn."""
    times = []
    while sum(times) < ENOUGH and len(times) < 50:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def main():
    import matplotlib

    matplotlib.use("agg")
    warnings.simplefilter("ignore")
    calls = all_calls(json.loads(sys.stdin.readline()))
    print(json.dumps(list(calls)), flush=True)
    for line in sys.stdin:
        print(shortest(calls[line.strip()]), flush=True)


if __name__ == "__main__":
    main()
