"""Objects whose methods are looked at, where a constructor alone does not make a useful one."""

from functools import cache

from sklearn_calib.display import CalibrationComparisonDisplay
from sklearn_calib.inference import (
    GivenDraws,
    calibration_by_group,
    check_calibration,
    compare_calibration,
    local_bias_band,
)
from sklearn_calib.report import calibration_report
from sklearn_calib.streaming import (
    CalibrationMonitor,
    CalibrationState,
    CalibrationSummary,
    SortedSkceState,
)

from .arguments import GROUPS, P, X, Y

_QUICK = {"n_resamples": 19, "random_state": 0}


@cache
def comparison():
    return compare_calibration(Y, {"a": P, "b": P[::-1]}, **_QUICK)


@cache
def tested():
    return check_calibration(Y, P, **_QUICK)


@cache
def band():
    return local_bias_band(Y, P, X, **_QUICK)


@cache
def by_group():
    return calibration_by_group(Y, P, GROUPS, **_QUICK)


@cache
def report():
    return calibration_report(Y, P, n_resamples=19)


@cache
def models_report():
    return calibration_report(Y, {"a": P, "b": P[::-1]}, n_resamples=19)


@cache
def compared():
    return CalibrationComparisonDisplay.from_predictions(Y, {"a": P, "b": P}, n_resamples=9)


INSTANCES = {
    "display.CalibrationComparisonDisplay": compared,
    "inference.CalibrationComparison": comparison,
    "inference.CalibrationTestResult": tested,
    "inference.GivenDraws": lambda: GivenDraws("permutation", [[1, 0, 2], [2, 1, 0]]),
    "inference.GroupCalibration": by_group,
    "inference.LocalBiasBand": band,
    "report.CalibrationReport": report,
    "report.ModelsReport": models_report,
    "streaming.CalibrationMonitor": lambda: CalibrationMonitor().update(
        Y, P, period=0, segment=GROUPS
    ),
    "streaming.CalibrationState": lambda: CalibrationState(["ece"]).update(Y, P),
    "streaming.CalibrationState.update": lambda: CalibrationState(["ece"]),
    "streaming.CalibrationSummary": lambda: CalibrationSummary().update(Y, P),
    "streaming.SortedSkceState": lambda: SortedSkceState.from_range(Y, P),
}
