"""Further arguments that a call needs, always or where one of its arguments is looked at."""

import numpy as np

from .arguments import GROUPS, LEVELS, P, X

_QUERIES = {"X_query": lambda: X.copy(), "proba_query": lambda: P.copy()}
_QUICK = {"n_resamples": lambda: 19}
_BESIDE_SCORES = {"S": lambda: np.column_stack([1 - P, P, X])}
_WITH_X = {"X": lambda: X.copy()}
EXTRA = {
    "streaming.CalibrationMonitor.update": {"segment": lambda: GROUPS.copy()},
    "inference.check_relevant_miscalibration.X": {"metric": lambda: "klce"},
    "inference.required_sample_size.statistic_params": {"statistic": lambda: "skce"},
    "report.calibration_report.categorical_features": _WITH_X,
    "report.calibration_report.prob_bandwidth": _WITH_X,
    "report.calibration_report.feature_bandwidth": _WITH_X,
    "report.calibration_report.min_effective_size": _WITH_X,
    "report.calibration_report.max_local_samples": _WITH_X,
    "report.calibration_report.max_interaction": {"groups": lambda: GROUPS.copy()},
    "metrics.skce.block_size": {"estimator": lambda: "block"},
    "*.X_query": {"proba_query": _QUERIES["proba_query"]},
    "*.proba_query": {"X_query": _QUERIES["X_query"]},
    **{
        f"inference.{name}": _QUICK
        for name in (
            "calibration_by_group",
            "calibration_ci",
            "calibration_test_score",
            "check_calibration",
            "check_relevant_miscalibration",
            "compare_calibration",
            "local_bias_band",
        )
    },
    "inference.check_calibration.feature_bandwidth": {"X": _QUERIES["X_query"]},
    "inference.check_calibration.prob_bandwidth": {"X": _QUERIES["X_query"]},
    "inference.calibration_ci.indices": {"metric": lambda: "skce", "method": lambda: "percentile"},
    "inference.calibration_ci.metric_params": {"metric": lambda: "ece"},
    "inference.calibration_ci.groups": {"metric": lambda: "brier"},
    "inference.required_sample_size": {"shift": lambda: 0.2, "statistic": lambda: "spiegelhalter"},
    "inference.required_sample_size.metric_params": {
        "metric": lambda: "ece",
        "width": lambda: 0.4,
        "statistic": lambda: "omnibus",
    },
    "inference.required_sample_size.slope": {"shift": lambda: None},
    "inference.required_sample_size.truth": {"shift": lambda: None},
    "inference.required_sample_size.metric": {
        "width": lambda: 0.4,
        "statistic": lambda: "omnibus",
    },
    "inference.required_sample_size.width": {
        "metric": lambda: "calibration_slope",
        "statistic": lambda: "omnibus",
    },
    "inference.required_sample_size.confidence_level": {
        "metric": lambda: "calibration_slope",
        "width": lambda: 0.4,
        "statistic": lambda: "omnibus",
    },
    "report.calibration_report": {"n_resamples": lambda: 19},
    "report.calibration_report.feature_names": {"X": _QUERIES["X_query"]},
    "calibrators.KernelRecalibrator": {
        "n_networks": lambda: 1,
        "max_iter": lambda: 5,
        "random_state": lambda: 0,
    },
    **{
        f"calibrators.KernelRecalibrator.{name}": _BESIDE_SCORES
        for name in ("feature_bandwidth", "categorical_features", "groups")
    },
    **{
        f"display.{name}.from_predictions": _QUICK
        for name in (
            "ReliabilityDisplay",
            "LocalBiasDisplay",
            "GroupCalibrationDisplay",
            "CalibrationComparisonDisplay",
        )
    },
    "display.ReliabilityDisplay.lower": {
        "upper": lambda: LEVELS + 0.1,
        "interval": lambda: "consistency",
    },
    "display.ReliabilityDisplay.upper": {
        "lower": lambda: LEVELS - 0.1,
        "interval": lambda: "consistency",
    },
    "display.ReliabilityDisplay.interval": {
        "lower": lambda: LEVELS - 0.1,
        "upper": lambda: LEVELS + 0.1,
    },
    **{
        f"display.GroupCalibrationDisplay.{name}": {
            "prob_true": lambda: np.tile(LEVELS, (3, 1)),
            "prob_pred": lambda: np.tile(LEVELS, (3, 1)),
            "count": lambda: np.full((3, 3), 20),
        }
        for name in ("prob_true", "prob_pred", "count")
    },
}
