"""Columns of a table that are called like the labels follow their names, not their position."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib import (
    CalibrationComparisonDisplay,
    LocalBiasDisplay,
    ReliabilityDisplay,
    calibration_report,
    check_calibration,
    local_bias_band,
    local_calibration_bias,
)
from sklearn_calib.calibrators import (
    BetaCalibrator,
    KernelRecalibrator,
    OneVsRestCalibrator,
    TemperatureCalibrator,
)
from sklearn_calib.inference import calibration_ci
from sklearn_calib.metrics import calibration_bins, ece, kce, klce, mce, mmce, skce

N = 300
RNG = np.random.default_rng(0)
Q = RNG.random(N)
X = RNG.normal(size=N)
Y = np.where(RNG.random(N) < Q, "yes", "no")
SORTED = np.column_stack([1 - Q, Q])
REVERSED = pd.DataFrame({"yes": Q, "no": 1 - Q})

P3 = RNG.dirichlet([1, 2, 3], size=N)
Y3 = np.array([RNG.choice(["a", "b", "c"], p=row) for row in P3])
SHUFFLED3 = pd.DataFrame(P3, columns=["a", "b", "c"])[["c", "a", "b"]]


def _polars(frame):
    polars = pytest.importorskip("polars")
    return polars.DataFrame({name: frame[name].to_numpy() for name in frame.columns})


tables = pytest.mark.parametrize("table", [pd.DataFrame, _polars], ids=["pandas", "polars"])


@tables
@pytest.mark.parametrize("metric", [ece, mce, kce, skce, mmce])
def test_metrics_follow_the_names(metric, table):
    assert metric(Y, table(REVERSED)) == metric(Y, SORTED)
    assert metric(Y3, table(SHUFFLED3)) == metric(Y3, P3)


@tables
@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([0, 1], ["0", "1"]),
        ([0, 1], ["0.0", "1.0"]),
        ([-1.0, 1.0], ["-1", "1"]),
        ([2, 10], ["2", "10"]),
        ([False, True], ["False", "True"]),
        ([False, True], ["0", "1"]),
        ([0, 1], ["False", "True"]),
    ],
)
def test_names_may_be_the_text_of_numbers(labels, names, table):
    y = np.array(labels)[(Y == "yes").astype(int)]
    reverse = table(pd.DataFrame(SORTED, columns=names)[names[::-1]])
    assert ece(y, reverse) == ece(y, SORTED)


def test_names_may_be_numbers_and_booleans():
    y = (Y == "yes").astype(int)
    for names in ([1, 0], [1.0, 0.0], [True, False]):
        assert ece(y, pd.DataFrame(SORTED[:, ::-1], columns=names)) == ece(y, SORTED)


def test_other_names_are_no_labels():
    """Default names, prefixes and labels that are not among the names leave the position."""
    for names in (["p_no", "p_yes"], ["column_0", "column_1"], [0, 1], ["b", "a"]):
        assert ece(Y, pd.DataFrame(SORTED, columns=names)) == ece(Y, SORTED)
    y = np.where(Y == "yes", 2, 1)  # 1 is also the default name of the second column
    assert ece(y, pd.DataFrame(SORTED)) == ece(y, SORTED)


def test_the_positive_class_is_found_by_name():
    assert ece(Y, REVERSED, pos_label="no") == ece(Y, SORTED, pos_label="no")
    only = Y == "yes"
    expected = ece(Y[only], SORTED[only], labels=["no", "yes"])
    assert ece(Y[only], REVERSED[only]) == expected


def test_names_tell_a_class_that_does_not_occur():
    some = Y3 != "c"
    assert ece(Y3[some], SHUFFLED3[some]) == ece(Y3[some], P3[some], labels=["a", "b", "c"])


@pytest.mark.parametrize(
    ("y", "table", "options", "pattern"),
    [
        (
            Y,
            REVERSED,
            {"labels": ["no", "yes"]},
            r"labels=\['no', 'yes'\] contradicts.*'yes', 'no'",
        ),
        (Y3, SHUFFLED3, {"labels": ["a", "b", "c"]}, r"labels=.*contradicts"),
        (Y, REVERSED.set_axis(["yes", "other"], axis=1), {}, r"column 0 is called 'yes'.*Rename"),
        (Y, REVERSED["no"], {"pos_label": "yes"}, r"y_proba is the column 'no'.*positive"),
        (Y, REVERSED[["no"]], {"pos_label": "yes"}, r"y_proba is the column 'no'.*positive"),
    ],
)
def test_contradictions_are_refused(y, table, options, pattern):
    with pytest.raises(ValueError, match=pattern):
        ece(y, table, **options)


def test_labels_that_agree_with_the_names_are_fine():
    table = REVERSED[["no", "yes"]]
    assert ece(Y, table, labels=["no", "yes"]) == ece(Y, SORTED)
    assert ece(Y, REVERSED["yes"], pos_label="yes") == ece(Y, SORTED)


@tables
def test_tests_and_intervals_follow_the_names(table):
    options = {"n_resamples": 39, "random_state": 0}
    for X_given, statistic in [(None, "auto"), (X, "auto"), (None, "ece")]:
        named = check_calibration(Y, table(REVERSED), X_given, statistic=statistic, **options)
        plain = check_calibration(Y, SORTED, X_given, statistic=statistic, **options)
        assert named.statistic == plain.statistic
        assert_array_equal(named.null_distribution, plain.null_distribution)
    named = calibration_ci(Y, table(REVERSED), metric="ece", **options)
    assert named.estimate == ece(Y, SORTED)
    assert_array_equal(
        named.replicates, calibration_ci(Y, SORTED, metric="ece", **options).replicates
    )


def test_a_callable_statistic_gets_the_columns_in_the_order_of_the_labels():
    def mean_of_last(y_true, y_proba):
        return np.asarray(y_proba)[:, 1].mean()

    result = check_calibration(Y, REVERSED, statistic=mean_of_last, n_resamples=9)
    assert_allclose(result.statistic, Q.mean(), rtol=1e-14)


@tables
def test_local_biases_follow_the_names(table):
    named, plain = (
        local_calibration_bias(Y, P, X, X_query=X[:5], proba_query=query)
        for P, query in [(table(REVERSED), table(REVERSED[:5])), (SORTED, SORTED[:5])]
    )
    assert_array_equal(named, plain)
    options = {"n_resamples": 19, "random_state": 0}
    band, plain = (local_bias_band(Y, P, X, **options) for P in (table(REVERSED), SORTED))
    assert_array_equal(band.bias, plain.bias)
    assert klce(Y, table(REVERSED), X) == klce(Y, SORTED, X)


@tables
def test_displays_and_the_report_follow_the_names(table):
    named = table(REVERSED)
    display = ReliabilityDisplay.from_predictions(Y, named, n_resamples=9)
    filled = calibration_bins(Y, SORTED).count > 0
    assert_array_equal(display.prob_true, calibration_bins(Y, SORTED).prob_true[filled])
    comparison = CalibrationComparisonDisplay.from_predictions(Y, {"m": named}, n_resamples=9)
    assert comparison.table.loc["m", "ECE"] == ece(Y, SORTED)
    options = {"n_resamples": 19, "max_points": 20}
    local = LocalBiasDisplay.from_predictions(Y, named, X, **options)
    plain = LocalBiasDisplay.from_predictions(Y, SORTED, X, **options)
    assert_array_equal(local.bias, plain.bias)
    report = calibration_report(Y, named, n_resamples=19)
    assert report.to_frame().loc["ece", "value"] == ece(Y, SORTED)
    assert report.classes == ["no", "yes"]


@tables
def test_calibrators_follow_the_names(table):
    named = table(REVERSED)
    for calibrator in (
        BetaCalibrator(),
        TemperatureCalibrator(input="probability"),
        OneVsRestCalibrator("beta"),
    ):
        expected = calibrator.fit(SORTED, Y).predict_proba(SORTED)
        assert_array_equal(calibrator.fit(named, Y).predict_proba(named), expected)
        in_order = table(REVERSED[["no", "yes"]])
        assert_array_equal(calibrator.predict_proba(in_order), expected)


def test_the_kernel_recalibrator_finds_its_probabilities_by_name():
    calibrator = KernelRecalibrator(
        hidden_layer_sizes=(8,), max_iter=5, early_stopping=False, random_state=0
    )
    plain = pd.DataFrame({"no": 1 - Q, "yes": Q, "x": X})
    expected = calibrator.fit(plain, Y).predict_proba(plain)
    for names in (["yes", "no", "x"], ["x", "yes", "no"]):
        assert_array_equal(calibrator.fit(plain[names], Y).predict_proba(plain[names]), expected)
    calibrator.set_params(proba_columns=["yes", "no"])
    with pytest.raises(ValueError, match=r"proba_columns=.*order of the classes"):
        calibrator.fit(plain, Y)


@pytest.mark.parametrize(
    "calibrator",
    [BetaCalibrator(), TemperatureCalibrator(input="probability"), KernelRecalibrator()],
    ids=lambda one: type(one).__name__,
)
def test_one_column_of_a_calibrator_is_not_that_of_the_negative_class(calibrator):
    message = "S is the column 'no', but one column is that of the positive class, which is 'yes'"
    for negative in (pd.Series(1 - Q, name="no"), pd.DataFrame({"no": 1 - Q})):
        with pytest.raises(ValueError, match=message):
            calibrator.fit(negative, Y)
    fitted = BetaCalibrator().fit(pd.Series(Q, name="yes"), Y)
    with pytest.raises(ValueError, match=message):
        fitted.predict_proba(pd.Series(1 - Q, name="no"))
