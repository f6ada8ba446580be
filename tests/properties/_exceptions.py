"""Where a property does not hold, and why."""

import numpy as np
from scipy.optimize import linprog

from tests.properties._table import Exempt


def option(**given):
    """Return whether options have these values."""
    return lambda options, rows: all(options.get(key) == value for key, value in given.items())


def of_calibrator(**given):
    """Return whether the calibrator has these parameters."""

    def when(options, rows):
        parameters = options["calibrator"].get_params()
        return all(parameters.get(key) == value for key, value in given.items())

    return when


def separated(options, rows):
    """Return whether a line separates the classes, so that no map is the best one.

    Rows of almost no weight do not count: what they add to a sum is lost in its rounding.
    """
    x = rows.proba.astype(float)
    x = np.column_stack([1.0 - x, x]) if x.ndim == 1 else x
    x = np.column_stack([np.ones(rows.n), np.log(np.maximum(x, 1e-300))])
    margins = [
        np.kron(np.eye(rows.n_classes)[y] - np.eye(rows.n_classes)[other], one)
        for one, y, w in zip(x, rows.y, rows.weights)
        for other in range(rows.n_classes)
        if other != y and w > 1e-9 * rows.weights.max()
    ]
    margins = np.array(margins)
    found = linprog(
        -margins.sum(axis=0), A_ub=-margins, b_ub=np.zeros(len(margins)), bounds=(-1, 1)
    )
    return -found.fun > 1e-9


def hardly_any_weight(options, rows):
    """Return whether the weight of a row is lost in the tolerance of an optimiser."""
    weights = rows.weights[rows.weights > 0]
    return weights.min() < 1e-9 * weights.max()


def one_heavy_row(options, rows):
    """Return whether one row has nearly all the weight."""
    heavy = rows.weights.max()
    return heavy > 1e5 * (rows.weights.sum() - heavy)


EXEMPT = [
    # Metrics.
    Exempt(
        "metrics.*",
        "weight_as_copies",
        "The cube root of the number of rows counts copies; weights have an effective number.",
        option(n_bins="auto"),
    ),
    Exempt(
        "metrics.ece",
        "weight_as_copies",
        "The noise that is subtracted is that of the effective number of rows.",
        option(debiased=True),
    ),
    Exempt(
        "calibrators.HistogramCalibrator",
        "unit_of_weights",
        "Weights are numbers of rows, of which the number of bins is the cube root.",
        of_calibrator(n_bins="auto"),
    ),
    Exempt(
        "calibrators.HistogramCalibrator",
        "unit_of_weights",
        "Weights are numbers of rows, which decide between which rows a quantile lies.",
        of_calibrator(strategy="quantile"),
    ),
    Exempt(
        "inference.calibration_line",
        "weight_as_copies",
        "The number of certain predictions is one of rows.",
        lambda options, rows: not (rows.proba.min() > 0.0 and rows.proba.max() < 1.0),
    ),
    Exempt(
        "inference.calibration_line",
        "order_of_rows",
        "A p-value near one is the root of a difference that is made of rounding.",
        lambda options, rows: len(np.unique(rows.proba, axis=0)) == 1,
    ),
    Exempt(
        "inference.calibration_by_group",
        "numbers_of_classes",
        "Groups with the same evidence stand in the order of the classes.",
        option(target="classwise"),
    ),
    Exempt(
        "report.calibration_report",
        "weight_as_copies order_of_rows",
        "Labels are drawn for each row, in their order.",
    ),
    Exempt(
        "report.calibration_report",
        "equal_weights",
        "With weights the intervals of the calibration line allow for any weights.",
    ),
    Exempt(
        "report.calibration_report",
        "other_class",
        "The intercept changes its sign, and so do the words that go with it.",
    ),
    Exempt(
        "metrics.average_calibration_error metrics.ece metrics.mce metrics.*confidence",
        "other_class",
        "Quantile bins are filled from the smallest prediction on.",
        option(strategy="quantile"),
    ),
    Exempt(
        "*.ece_sweep *.hosmer_lemeshow *.pigeon_heyse",
        "other_class",
        "Bins are filled from the smallest prediction on.",
    ),
    Exempt(
        "*.ks*",
        "other_class",
        "Residuals are added up from the smallest prediction on.",
    ),
    Exempt(
        "statistics.ece statistics.mce statistics.average_calibration_error statistics.*confidence",
        "other_class",
        "Quantile bins are filled from the smallest prediction on.",
    ),
    Exempt(
        "metrics.skce statistics.skce",
        "order_of_rows",
        "Rows are put into pairs or blocks in the order in which they come.",
        lambda options, rows: (
            options.get("statistic_params", options).get("estimator") in ("ul", "block")
        ),
    ),
    Exempt(
        "metrics.skce",
        "weight_as_copies",
        "Unbiased estimates leave a row out of its own sum, and copies of it not.",
        lambda options, rows: options.get("estimator") != "biased",
    ),
    Exempt(
        "metrics.kce",
        "weight_as_copies",
        "Unbiased estimates leave a row out of its own sum, and copies of it not.",
        lambda options, rows: options.get("squared", True),
    ),
    Exempt(
        "metrics.klce metrics.kde_ece",
        "weight_as_copies",
        "Unbiased estimates leave a row out of its own sum, and copies of it not.",
    ),
    Exempt(
        "metrics.multicalibration_error",
        "range_of_numbers",
        "Gaps are divided by the standard deviation of their group, which may be any small number.",
        option(scale="absolute"),
    ),
    Exempt(
        "metrics.multicalibration_error",
        "weight_as_copies",
        "A weight weighs a row in the standard deviation as well, where copies are other rows, and "
        "`min_rows` counts rows.",
    ),
    Exempt(
        "*.calibration_intercept *.observed_expected_ratio",
        "other_class",
        "They have a direction: the intercept changes its sign, and the ratio its class.",
    ),
    Exempt(
        "metrics.calibration_bins",
        "other_class",
        "The table of the other class is in the other order, and its bins are closed on the other "
        "side.",
    ),
    # Calibrators.
    Exempt(
        "calibrators.AdaptiveCalibrator",
        "*",
        "A monotone map exists for two classes only.",
        lambda options, rows: options["calibrator"].monotone and rows.n_classes > 2,
    ),
    Exempt(
        "calibrators.AdaptiveCalibrator calibrators.PlattCalibrator calibrators.KernelRecalibrator "
        "calibrators.ScalingBinningCalibrator calibrators.OneVsRestCalibrator "
        "calibrators.VectorScalingCalibrator calibrators.MatrixScalingCalibrator "
        "calibrators.VennAbersCalibrator",
        "unit_of_weights",
        "Weights are numbers of rows, beside which a prior counts as some rows.",
    ),
    Exempt(
        "calibrators.CalibratedClassifier",
        "unit_of_weights",
        "Weights are numbers of rows, beside which a prior counts as some rows.",
        lambda options, rows: options.get("calibrator") != "temperature",
    ),
    Exempt(
        "calibrators.CalibratedClassifier calibrators.CrossFitTransformer "
        "inference.calibration_test_score",
        "single_precision",
        "A classifier has two columns, of which the second one is rounded in single precision.",
    ),
    Exempt(
        "calibrators.BetaCalibrator",
        "unit_of_weights",
        "Weights are numbers of rows, beside which a prior counts as some rows.",
        of_calibrator(smooth=True),
    ),
    Exempt(
        "calibrators.HistogramCalibrator calibrators.IsotonicCalibrator "
        "calibrators.CenteredIsotonicCalibrator",
        "unit_of_weights",
        "Weights are numbers of rows, beside which a prior counts as some rows.",
        lambda options, rows: options["calibrator"].pseudo_count != "auto",
    ),
    Exempt(
        "calibrators.BetaCalibrator",
        "other_class",
        "Exact 0 and 1 are moved to 1e-15 and 1 - 1e-15, of which the second one is rounded.",
        lambda options, rows: not (rows.proba.min() > 0.0 and rows.proba.max() < 1.0),
    ),
    Exempt(
        "calibrators.DirichletCalibrator",
        "order_of_rows weight_as_copies unit_of_weights numbers_of_classes other_class",
        "If a line separates the classes, but for rows of almost no weight, or rows are equal, no "
        "map is the best one, and where the steps end is decided by rounding.",
        lambda options, rows: (
            len(np.unique(rows.proba, axis=0)) <= rows.n_classes or separated(options, rows)
        ),
    ),
    Exempt(
        "calibrators.DirichletCalibrator",
        "order_of_rows weight_as_copies unit_of_weights numbers_of_classes other_class",
        "The penalty is chosen by folds, in whose few rows a line separates the classes.",
        of_calibrator(reg_lambda="cv"),
    ),
    Exempt(
        "calibrators.CalibratedClassifier",
        "order_of_rows weight_as_copies unit_of_weights numbers_of_classes other_class",
        "The penalty is chosen by folds, in whose few rows a line separates the classes.",
        option(calibrator="dirichlet"),
    ),
    Exempt(
        "calibrators.OneVsRestCalibrator",
        "order_of_rows weight_as_copies unit_of_weights numbers_of_classes other_class",
        "Equal rows, or rows that a line separates, do not tell which Dirichlet map is the best.",
        of_calibrator(method="dirichlet"),
    ),
    Exempt(
        "calibrators.PlattCalibrator calibrators.MatrixScalingCalibrator",
        "order_of_rows numbers_of_classes other_class",
        "Rows of almost no weight that alone decide on a direction are below the tolerance at "
        "which the steps end.",
        hardly_any_weight,
    ),
    Exempt(
        "calibrators.OneVsRestCalibrator",
        "two_columns",
        "Each column has a calibrator of its own.",
    ),
    Exempt(
        "calibrators.HistogramCalibrator calibrators.ScalingBinningCalibrator "
        "calibrators.OneVsRestCalibrator",
        "other_class",
        "Bins are closed on the left or filled from the smallest prediction on.",
    ),
    Exempt(
        "calibrators.CalibratedClassifier",
        "other_class",
        "Bins are closed on the left or filled from the smallest prediction on.",
        lambda options, rows: options.get("calibrator") in ("histogram", "scaling_binning"),
    ),
    # Tests and other functions.
    Exempt(
        "inference.calibration_line",
        "equal_weights",
        "With weights, standard errors are the robust ones by default, and others count a weight "
        "as that many rows.",
    ),
    Exempt(
        "inference.calibration_line",
        "weight_as_copies",
        "With weights, standard errors are the robust ones by default.",
        lambda options, rows: options.get("method") not in ("wald", "profile"),
    ),
    Exempt(
        "inference.calibration_line",
        "unit_of_weights",
        "Other standard errors than the robust ones count a weight as that many rows.",
        lambda options, rows: options.get("method") in ("wald", "profile"),
    ),
    Exempt(
        "inference.calibration_ci",
        "equal_weights",
        "With weights, the standard errors of a line are the robust ones.",
        lambda options, rows: str(options.get("metric")).startswith("calibration_"),
    ),
    Exempt(
        "statistics.standardized_skce",
        "order_of_rows unit_of_weights numbers_of_classes other_class rows_without_weight",
        "What a row has to do with itself is taken from sums, which loses digits where one row has "
        "nearly all the weight.",
        one_heavy_row,
    ),
    Exempt(
        "statistics.omnibus",
        "order_of_rows numbers_of_classes other_class fewer_draws",
        "Its value is the smallest p-value of its parts among the draws.",
    ),
    Exempt(
        "display.ReliabilityDisplay display.CalibrationComparisonDisplay",
        "equal_weights",
        "Without weights the intervals come from exact distributions, with weights from draws.",
    ),
    Exempt(
        "display.LocalBiasDisplay",
        "order_of_rows",
        "It has a point for each row, in their order.",
    ),
    Exempt(
        "inference.local_calibration_bias",
        "order_of_rows weight_as_copies rows_without_weight",
        "Where a row is left out of its own mean, there is an answer for each row.",
        option(leave_one_out=True),
    ),
    Exempt(
        "streaming.CalibrationState streaming.SortedSkceState",
        "weight_as_copies",
        "Unbiased estimates are among the results, which leave a row out of its own sum.",
    ),
    Exempt(
        "streaming.CalibrationSummary",
        "unit_of_weights",
        "Weights are numbers of rows, beside which the priors of the fits count as some rows.",
    ),
    Exempt(
        "streaming.CalibrationSummary",
        "other_class",
        "The bins of histograms are closed on the left.",
    ),
    Exempt(
        "streaming.CalibrationState streaming.CalibrationMonitor",
        "other_class",
        "The intercept and the ratio are among the results, which have a direction.",
    ),
    Exempt(
        "inference.local_bias_band inference.calibration_by_group inference.calibration_ci "
        "inference.calibration_test_score inference.check_relevant_miscalibration "
        "inference.compare_calibration statistics.* display.*",
        "weight_as_copies",
        "What a test draws for a row has its weight, and copies of the row have labels of their "
        "own.",
    ),
    Exempt(
        "kernels.klce_statistic",
        "numbers_of_classes",
        "It knows one event only.",
    ),
    Exempt(
        "inference.calibration_line inference.calibration_by_group inference.local_* display.*",
        "other_class",
        "The answer has a direction: rates and gaps of the other class have the other sign.",
    ),
]
