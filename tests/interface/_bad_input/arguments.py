"""For each argument by its name: a value that is right, and what kind of thing it is.

An argument that has another meaning in one function has an entry with the name of the function. The
matrix refuses to run while a public function has an argument that is not here.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression

from sklearn_calib import calibrators

N = 40
_RNG = np.random.default_rng(0)
P = _RNG.integers(4, 61, N) / 64
X = _RNG.normal(size=(N, 2)).astype(np.float32).astype(np.float64)
Y = (_RNG.random(N) < P).astype(int)
GROUPS = np.array(["a", "b"])[np.arange(N) % 2]
WEIGHTS = _RNG.integers(32, 128, N) / 64
LEVELS = np.array([0.2, 0.5, 0.8])


def classifier():
    return LogisticRegression().fit(X, Y)


def _search_results():
    models = [LogisticRegression().fit(X[::2], Y[::2]), LogisticRegression().fit(X[1::2], Y[1::2])]
    rows = np.arange(N)
    return {
        "estimator": models,
        "indices": {"train": [rows[::2], rows[1::2]], "test": [rows[1::2], rows[::2]]},
    }


def _filled(name):
    from .instances import INSTANCES

    return INSTANCES[name]()


# name: (kind, right value). A value is a function without arguments.
ARGUMENTS = {
    "y_true": ("labels", lambda: Y.copy()),
    "y": ("labels", lambda: Y.copy()),
    "y_proba": ("probabilities", lambda: P.copy()),
    "y_probas": ("models", lambda: {"a": P.copy(), "b": P[::-1].copy()}),
    "proba_query": ("probabilities", lambda: P.copy()),
    "S": ("scores", lambda: P.copy()),
    "X": ("features", lambda: X.copy()),
    "Y": ("features", lambda: X.copy()),
    "X_query": ("features", lambda: X.copy()),
    "sample_weight": ("weights", lambda: WEIGHTS.copy()),
    "groups": ("groups", lambda: GROUPS.copy()),
    "pos_label": ("label", lambda: 1),
    "labels": ("classes", lambda: [0, 1]),
    "n_bins": ("count or auto", lambda: 10),
    "bins": ("edges", lambda: [0.0, 0.3, 1.0]),
    "edges": ("edges", lambda: [0.0, 0.3, 1.0]),
    "table": (
        "table of bins",
        lambda: {
            "bin": [0, 7],
            "n": [10, 20],
            "events": [1, 12],
            "sum_proba": [0.5, 10.0],
            "sum_variance": [0.475, 5.0],
        },
    ),
    "n_resamples": ("count", lambda: 19),
    "max_interaction": ("count", lambda: 1),
    "n_quantiles": ("count", lambda: 4),
    "min_rows": ("count", lambda: 10),
    "max_samples": ("count", lambda: 100),
    "max_points": ("count", lambda: 100),
    "max_local_samples": ("count", lambda: 100),
    "max_panels": ("count", lambda: 4),
    "max_groups": ("count", lambda: 4),
    "max_iter": ("limit", lambda: 100),
    "n_knots": ("count", lambda: 5),
    "n_networks": ("count", lambda: 1),
    "n_iter_no_change": ("limit", lambda: 5),
    "batch_size": ("count or auto", lambda: 20),
    "block_size": ("count", lambda: 4),
    "resolution": ("count", lambda: 32),
    "sample_size": ("limit", lambda: 1000),
    "n_samples": ("count", lambda: 3),
    "n": ("count", lambda: 20),
    "by": ("choice", lambda: "period"),
    "k": ("index", lambda: 0),
    "alpha": ("level", lambda: 0.05),
    "power": ("level", lambda: 0.8),
    "confidence_level": ("level", lambda: 0.9),
    "validation_fraction": ("level", lambda: 0.25),
    "delta": ("positive", lambda: 0.1),
    "width": ("positive", lambda: 0.2),
    "span": ("share", lambda: 0.7),
    "bandwidth": ("positive", lambda: 0.2),
    "prob_bandwidth": ("positive", lambda: 0.2),
    "feature_bandwidth": ("bandwidths", lambda: 0.5),
    "min_effective_size": ("positive", lambda: 10.0),
    "category_similarity": ("similarity", lambda: 0.5),
    "shift": ("shift", lambda: 0.2),
    "slope": ("positive", lambda: 0.7),
    "beta": ("not negative", lambda: 1.0),
    "gamma": ("not negative", lambda: 0.1),
    "learning_rate": ("positive", lambda: 0.01),
    "tol": ("not negative", lambda: 0.001),
    "ridge": ("not negative", lambda: 1.0),
    "tolerance": ("not negative", lambda: 1e-9),
    "pseudo_count": ("not negative", lambda: 0.5),
    "reg_lambda": ("not negative", lambda: 0.1),
    "reg_mu": ("not negative", lambda: 0.1),
    "eps": ("level", lambda: 1e-6),
    "miscalibration": ("real", lambda: 0.2),
    "region_threshold": ("real", lambda: 0.1),
    "vmax": ("positive", lambda: 0.5),
    "statistic": ("statistic", lambda: "skce"),
    "metric": ("statistic", lambda: "ece"),
    "metrics": ("names of metrics", lambda: ["ece"]),
    "scores": ("names of metrics", lambda: ["brier"]),
    "scoring": ("statistic", lambda: "neg_ece"),
    "statistic_params": ("mapping", lambda: {"bandwidth": 0.3}),
    "metric_params": ("mapping", lambda: {"n_bins": 5}),
    "params": ("mapping", lambda: {}),
    "strategy": ("choice", lambda: "uniform"),
    "closed": ("choice", lambda: "left"),
    "target": ("choice", lambda: "auto"),
    "norm": ("choice", lambda: "l1"),
    "summary": ("choice", lambda: "mean"),
    "kernel": ("choice", lambda: "rbf"),
    "score": ("choice", lambda: "brier"),
    "distance": ("choice", lambda: "gap"),
    "scale": ("choice", lambda: "sigma"),
    "algorithm": ("choice", lambda: "auto"),
    "null": ("choice", lambda: "simulation"),
    "interval": ("choice", lambda: "pointwise"),
    "method": ("choice", lambda: "auto"),
    "correction": ("choice", lambda: "holm"),
    "input": ("choice", lambda: "probability"),
    "parameters": ("choice", lambda: "abm"),
    "link": ("choice", lambda: "logit"),
    "structure": ("choice", lambda: "auto"),
    "kind": ("choice", lambda: "gaps"),
    "debiased": ("flag", lambda: True),
    "squared": ("flag", lambda: True),
    "joint": ("flag", lambda: True),
    "by_confidence": ("flag", lambda: True),
    "add_one": ("flag", lambda: True),
    "leave_one_out": ("flag", lambda: True),
    "filter_propublica": ("flag", lambda: True),
    "monotone": ("flag", lambda: True),
    "smooth": ("flag", lambda: True),
    "standardize": ("flag", lambda: True),
    "early_stopping": ("flag", lambda: False),
    "ensemble": ("flag", lambda: False),
    "histogram": ("flag", lambda: True),
    "legend": ("flag", lambda: True),
    "sort": ("flag", lambda: True),
    "colorbar": ("flag", lambda: True),
    "local": ("flag or callable", lambda: False),
    "random_state": ("random state", lambda: 0),
    "seed": ("random state", lambda: 0),
    "n_jobs": ("jobs", lambda: 1),
    "verbose": ("progress", lambda: False),
    "estimator": ("classifier", classifier),
    "estimators": ("classifiers", lambda: {"a": classifier(), "b": classifier()}),
    "calibrator": ("calibrator", lambda: "isotonic"),
    "cv": ("folds", lambda: 2),
    "cv_results": ("folds of models", _search_results),
    "passthrough": ("passthrough", lambda: False),
    "categorical_features": ("columns or choice", lambda: "auto"),
    "features": ("columns", lambda: 0),
    "proba_columns": ("columns", lambda: [0]),
    "classes": ("classes", lambda: [1]),
    "event": ("label", lambda: 1),
    "indices": ("row numbers", lambda: np.arange(N)[np.newaxis].repeat(3, axis=0)),
    "locations": ("probabilities", lambda: np.array([0.2, 0.6])),
    "prevalence": ("prevalence", lambda: [0.3, 0.7]),
    "hidden_layer_sizes": ("sizes", lambda: (4,)),
    "truth": ("function", lambda: np.sqrt),
    "title": ("text", lambda: "title"),
    "name": ("text", lambda: "name"),
    "xlabel": ("text", lambda: "x"),
    "ylabel": ("text", lambda: "y"),
    "before": ("text", lambda: ""),
    "feature_names": ("names", lambda: ["f", "g"]),
    "input_features": ("names of columns", lambda: None),
    "segments": ("names", lambda: ["a", "b"]),
    "ax": ("axes", lambda: None),
    "path": ("path", lambda: None),
    "data_home": ("path", lambda: None),
    "text": ("document", lambda: ""),
    "period": ("periods", lambda: 1),
    "segment": ("segments of a batch", lambda: GROUPS.copy()),
    "values": ("numbers", lambda: X.copy()),
    "residuals": ("numbers", lambda: Y - P),
    "K": ("kernel matrix", lambda: np.eye(N)),
    "draws": ("row numbers", lambda: [[1, 0, 2], [2, 1, 0]]),
    "result": ("result", lambda: None),
    "monitor": ("result", lambda: _filled("streaming.CalibrationMonitor")),
    "band": ("result", lambda: None),
    "other": ("result", lambda: None),
    "states": ("results", lambda: None),
    "differences": (
        "results",
        lambda: list(_filled("inference.CalibrationComparison").differences),
    ),
    "displays": ("results by name", lambda: None),
    "first": ("name of a model", lambda: "a"),
    "second": ("name of a model", lambda: "b"),
    **{
        name: ("style", lambda: {"color": "red"})
        for name in (
            "line_kwargs",
            "band_kwargs",
            "trend_kwargs",
            "marks_kwargs",
            "interval_kwargs",
            "histogram_kwargs",
            "reference_kwargs",
            "gap_kwargs",
            "bar_kwargs",
            "point_kwargs",
        )
    },
    # What displays draw.
    **{
        name: ("points", lambda: LEVELS.copy())
        for name in ("prob_true", "prob_pred", "lower", "upper", "gap_low", "gap_high", "gap")
    },
    "count": ("points", lambda: np.array([20, 30, 40])),
    "bin_edges": ("points", lambda: np.array([[0.0, 0.3], [0.3, 0.6], [0.6, 1.0]])),
    "few": ("points", lambda: np.array([True, False, False])),
    "isotonic": ("points", lambda: np.array([[0.0, 0.1], [0.5, 0.5], [1.0, 0.8]])),
    "ece": ("real", lambda: 0.1),
    "panels": ("panels", lambda: None),
    "null_distribution": ("draws", lambda: np.linspace(0.0, 1.0, 19)),
    "pvalue": ("probability", lambda: 0.5),
    "feature": ("points", lambda: LEVELS.copy()),
    "bias": ("points", lambda: LEVELS - 0.5),
    "limit": ("points", lambda: LEVELS.copy()),
    "significant": ("points", lambda: np.array([True, False, False])),
    "tested": ("points", lambda: np.array([True, True, False])),
    "categories": ("categories", lambda: [None]),
    "label": ("names", lambda: ["a", "b", "c"]),
    "log_e_value": ("points", lambda: LEVELS.reshape(1, -1)),
    "names": ("names", lambda: ["a"]),
    "since": ("since", lambda: [None]),
}


def _ece(y_true, y_proba, *, labels=None):
    return float(np.abs(np.mean(y_true) - np.mean(y_proba)))


_MONITORED = ("points", lambda: LEVELS.reshape(1, -1))
_ROWS = ("rows of a classifier", lambda: X.copy())
_RANGE = ("choice", lambda: "uq")
OWN = {
    "metrics.ucme.locations": ("locations", lambda: np.array([0.2, 0.6])),
    "display.GroupCalibrationDisplay.from_predictions.event": ("shown", lambda: None),
    "display.GroupCalibrationDisplay.from_result.event": ("shown", lambda: None),
    **{
        f"streaming.{name}.{argument}": (f"{kind} before rows", ARGUMENTS[argument][1])
        for name in (
            "CalibrationState",
            "CalibrationMonitor",
            "CalibrationSummary",
            "SortedSkceState",
        )
        for argument, kind in (("pos_label", "label"), ("labels", "classes"))
    },
    **{
        f"streaming.{name}.sample_weight": ("weights of a batch", lambda: WEIGHTS.copy())
        for name in (
            "CalibrationState.update",
            "CalibrationSummary.update",
            "SortedSkceState.from_range",
        )
    },
    "streaming.CalibrationMonitor.segments": ("all names", lambda: ["a", "b"]),
    "streaming.CalibrationSummary.edges": ("any edges", lambda: [0.0, 0.3, 1.0]),
    "inference.compare_calibration.statistic": ("choice or None", lambda: "skce"),
    "inference.calibration_by_group.metric": ("choice or None", lambda: "ece"),
    "datasets.make_calibration_data.region_threshold": ("number", lambda: 0.1),
    "streaming.CalibrationState.from_bins.n_bins": ("count or auto", lambda: 15),
    "streaming.CalibrationState.from_bins.bins": ("edges", lambda: np.arange(16) / 15),
    "inference.required_sample_size.statistic_params": ("mapping", lambda: {"target": "binary"}),
    **{
        f"kernels.{name}": ("numbers", lambda: X.copy())
        for name in ("rbf_kernel.X", "rbf_kernel.Y", "laplacian_kernel.X", "laplacian_kernel.Y")
    },
    "metrics.skce.estimator": _RANGE,
    "streaming.SortedSkceState.skce.estimator": _RANGE,
    "metrics.make_calibration_scorer.metric": ("function of rows", lambda: _ece),
    "metrics.weighted_mmce.target": ("choice", lambda: "confidence"),
    "metrics.mmce.target": ("choice", lambda: "confidence"),
    "metrics.observed_expected_ratio.target": ("choice", lambda: "binary"),
    "datasets.make_calibration_data.slope": ("real", lambda: 1.5),
    "display.CalibrationMonitorDisplay.gap": _MONITORED,
    "display.CalibrationMonitorDisplay.gap_low": _MONITORED,
    "display.CalibrationMonitorDisplay.gap_high": _MONITORED,
    "display.CalibrationMonitorDisplay.period": ("periods of a picture", lambda: [1, 2, 3]),
    "display.CalibrationMonitorDisplay.target": ("choice", lambda: "binary"),
    "display.GroupCalibrationDisplay.target": ("choice", lambda: "binary"),
    "display.ReliabilityDisplay.target": ("choice", lambda: "binary"),
    "display.ReliabilityDisplay.interval": ("choice", lambda: "consistency"),
    "display.ReliabilityDisplay.from_predictions.interval": ("choice", lambda: "consistency"),
    "display.ReliabilityDisplay.from_cv_results.interval": ("choice", lambda: "consistency"),
    "display.ReliabilityDisplay.plot.scale": ("choice", lambda: "linear"),
    "display.CalibrationComparisonDisplay.from_predictions.interval": (
        "choice",
        lambda: "consistency",
    ),
    "display.CalibrationComparisonDisplay.from_cv_results.cv_results": (
        "searches",
        lambda: {"a": _search_results(), "b": _search_results()},
    ),
    "display.CalibrationComparisonDisplay.plot.table": ("table to draw", lambda: True),
    "display.CalibrationComparisonDisplay.displays": (
        "displays",
        lambda: _filled("display.CalibrationComparisonDisplay").displays,
    ),
    "display.CalibrationComparisonDisplay.table": (
        "frame",
        lambda: _filled("display.CalibrationComparisonDisplay").table,
    ),
    "display.GroupCalibrationDisplay.n": ("points", lambda: np.array([20, 30, 40])),
    "display.GroupCalibrationDisplay.prob_true": ("points", lambda: np.tile(LEVELS, (3, 1))),
    "display.GroupCalibrationDisplay.prob_pred": ("points", lambda: np.tile(LEVELS, (3, 1))),
    "display.GroupCalibrationDisplay.count": ("points", lambda: np.full((3, 3), 20)),
    "display.GroupCalibrationDisplay.from_result.result": (
        "result",
        lambda: _filled("inference.GroupCalibration"),
    ),
    "display.ModelDifferenceDisplay.from_result.result": (
        "result",
        lambda: _filled("inference.CalibrationComparison"),
    ),
    "display.NullDistributionDisplay.from_result.result": (
        "result",
        lambda: _filled("inference.CalibrationTestResult"),
    ),
    "display.NullDistributionDisplay.statistic": ("real", lambda: 0.5),
    "display.NullDistributionDisplay.plot.bins": ("count or auto", lambda: 10),
    "display.LocalBiasDisplay.from_band.band": (
        "result",
        lambda: _filled("inference.LocalBiasBand"),
    ),
    "display.LocalBiasDisplay.from_band.classes": ("classes", lambda: [0, 1]),
    "display.LocalBiasDisplay.feature_names": ("names", lambda: ["f"]),
    "display.ReliabilityDisplay.from_predictions.classes": ("classes", lambda: None),
    "display.ReliabilityDisplay.from_cv_results.classes": ("classes", lambda: None),
    "inference.GivenDraws.kind": ("choice", lambda: "permutation"),
    "inference.calibration_line.method": ("choice", lambda: "wald"),
    "inference.calibration_ci.groups": ("groups in one column", lambda: GROUPS.copy()),
    "inference.calibration_test_score.groups": ("groups of rows", lambda: np.arange(N) // 4),
    "inference.compare_calibration.metric_params": ("mapping", lambda: {"ece": {"n_bins": 5}}),
    "inference.required_sample_size.statistic": ("choice", lambda: "skce"),
    "inference.required_sample_size.metric": ("choice", lambda: "calibration_slope"),
    "inference.required_sample_size.y_proba": ("predictions", lambda: P.copy()),
    "kernels.rbf_kernel.bandwidth": ("bandwidths", lambda: 0.5),
    "kernels.laplacian_kernel.bandwidth": ("bandwidths", lambda: 0.5),
    "streaming.CalibrationState.merge.other": (
        "result",
        lambda: _filled("streaming.CalibrationState"),
    ),
    "streaming.CalibrationState.metrics": ("any names of metrics", lambda: ["ece"]),
    "streaming.CalibrationState.from_bins.metrics": ("any names of metrics", lambda: ["ece"]),
    "streaming.CalibrationSummary.merge.other": (
        "result",
        lambda: _filled("streaming.CalibrationSummary"),
    ),
    "streaming.CalibrationMonitor.merge.other": (
        "result",
        lambda: _filled("streaming.CalibrationMonitor"),
    ),
    "streaming.SortedSkceState.merge.other": ("result", lambda: _later()),
    "streaming.SortedSkceState.merge_all.states": (
        "results",
        lambda: [_filled("streaming.SortedSkceState"), _later()],
    ),
    "streaming.CalibrationSummary.loss_bound.calibrator": (
        "classifier",
        lambda: _filled("streaming.CalibrationSummary").fit("platt"),
    ),
    **{
        f"streaming.{cls}.from_json.text": (
            "document",
            lambda cls=cls: _filled(f"streaming.{cls}").to_json(),
        )
        for cls in (
            "CalibrationMonitor",
            "CalibrationState",
            "CalibrationSummary",
            "SortedSkceState",
        )
    },
    "streaming.CalibrationState.update.groups": ("groups of a batch", lambda: GROUPS.copy()),
    "report.calibration_report.feature_names": ("names", lambda: ["f", "g"]),
    "calibrators.OneVsRestCalibrator.method": ("calibrator", lambda: "isotonic"),
    "calibrators.CalibratedClassifier.estimator": ("unfitted classifier", LogisticRegression),
    "calibrators.CrossFitTransformer.estimator": ("unfitted classifier", LogisticRegression),
    "inference.calibration_test_score.estimator": ("unfitted classifier", LogisticRegression),
    "calibrators.KernelRecalibrator.alpha": ("not negative", lambda: 0.02),
    "calibrators.KernelRecalibrator.groups": ("columns", lambda: None),
    "calibrators.AdaptiveCalibrator.tol": ("positive", lambda: 0.01),
    "calibrators.AdaptiveCalibrator.n_knots": ("count", lambda: 5),
    **{
        f"{name}.y": ("labels of rows", lambda: Y.copy())
        for name in (
            "calibrators.CalibratedClassifier.fit",
            "calibrators.CrossFitTransformer.fit",
            "calibrators.CrossFitTransformer.fit_transform",
            "inference.calibration_test_score",
        )
    },
    "calibrators.DirichletCalibrator.cv": ("folds", lambda: 3),
    "calibrators.ScalingBinningCalibrator.n_bins": ("count", lambda: 5),
    **{
        f"{name}.X": _ROWS
        for name in (
            "calibrators.CalibratedClassifier.fit",
            "calibrators.CalibratedClassifier.predict",
            "calibrators.CalibratedClassifier.predict_proba",
            "calibrators.CalibratedClassifier.score",
            "calibrators.CrossFitTransformer.fit",
            "calibrators.CrossFitTransformer.fit_transform",
            "calibrators.CrossFitTransformer.transform",
            "inference.calibration_test_score",
            "display.CalibrationComparisonDisplay.from_cv_results",
            "display.CalibrationComparisonDisplay.from_estimators",
            "display.GroupCalibrationDisplay.from_estimator",
            "display.LocalBiasDisplay.from_estimator",
            "display.ReliabilityDisplay.from_cv_results",
            "display.ReliabilityDisplay.from_estimator",
        )
    },
}


def _later():
    """Return the state of a later range of probabilities than that of the instance."""
    from sklearn_calib.streaming import SortedSkceState

    return SortedSkceState.from_range([0, 1, 1], [0.96, 0.97, 0.98])


def describe_argument(subject, name):
    """Return the kind of an argument and the function that gives a right value."""
    if name == "X" and subject.endswith("_scorer"):
        return _ROWS
    own = OWN.get(f"{subject}.{name}")
    if own is None and subject.startswith("calibrators.") and name in ("S", "X"):
        calibrator = getattr(calibrators, subject.split(".")[1])()
        in_range = calibrator.input_scale == "probability" and not hasattr(calibrator, "method")
        return ("probabilities" if in_range else "scores"), ARGUMENTS["S"][1]
    return own or ARGUMENTS[name]


def good_value(subject, name):
    return describe_argument(subject, name)[1]()
