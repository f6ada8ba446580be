"""The report says what the functions of the package say, whatever the input."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib import ReliabilityDisplay, calibration_report, check_calibration


def test_the_tests_are_those_of_the_package(binary, report):
    y, p, X = binary
    options = {"n_resamples": 99, "random_state": 0}
    overall = check_calibration(y, p, **options)
    local = check_calibration(y, p, X, feature_bandwidth="scaled", **options)
    for ours, theirs in ((report.tests["global"], overall), (report.tests["local"], local)):
        assert ours.pvalue == theirs.pvalue
        assert_allclose(ours.null_distribution, theirs.null_distribution, rtol=1e-7, atol=1e-12)
        assert_allclose(ours.statistic, theirs.statistic, rtol=1e-9)
        assert_allclose(ours.prob_bandwidth, theirs.prob_bandwidth)
        assert (ours.statistic_name, ours.target) == (theirs.statistic_name, theirs.target)
    assert_allclose(report.tests["local"].feature_bandwidth, local.feature_bandwidth)


def test_the_verdict_comes_from_the_omnibus_test(binary, report):
    y, p, X = binary
    table = pd.DataFrame(X, columns=["age", "dose"])
    options = {"statistic": "omnibus", "n_resamples": 99, "random_state": 0}
    plain = check_calibration(y, p, **options)
    whole = check_calibration(y, p, table, **options)
    for ours, theirs in (
        (report.tests["omnibus"], whole),
        (report.tests["omnibus, without features"], plain),
    ):
        assert ours.pvalue == theirs.pvalue
        assert ours.part_pvalues == theirs.part_pvalues
        assert ours.finding == theirs.finding
        assert ours.detectable_error == theirs.detectable_error
    assert f"(p = {whole.pvalue:.3g}, 300 rows)" in report.verdict
    for finding in (plain.finding_at(0.05), whole.finding_at(0.05)):
        assert all(sentence in report.verdict for sentence in finding.split("; "))


def test_the_verdict_names_the_group_although_the_average_is_wrong_as_well():
    rng = np.random.default_rng(0)
    p, sex = rng.uniform(0.05, 0.95, size=2000), rng.choice(["f", "m"], size=2000)
    y = (rng.random(2000) < np.clip(p - 0.12 * (sex == "f"), 0, 1)).astype(int)
    report = calibration_report(y, p, pd.DataFrame({"sex": sex}), n_resamples=39)
    assert report.tests["omnibus, without features"].pvalue <= 0.05
    assert "the predictions are too high where sex = f (0." in report.verdict


@pytest.mark.usefixtures("without_drawing")
def test_rare_events_with_a_wrong_slope_are_named():
    """Where the kernel test at its default saw nothing and the table showed small p-values."""
    rng = np.random.default_rng(0)
    z = rng.normal(-5.0, 1.0, size=20_000)
    y = (rng.random(z.size) < 1 / (1 + np.exp(5.0 - 0.6 * (z + 5.0)))).astype(int)
    result = calibration_report(y, 1 / (1 + np.exp(-z)), n_resamples=39)
    assert result.verdict.startswith("The predictions are not calibrated (p = 0.025")
    assert "too extreme (the calibration slope is 0." in result.verdict
    assert "Parts of the omnibus test" in str(result)
    assert "p corrected" in result.to_html()


@pytest.mark.usefixtures("without_drawing")
def test_the_report_says_which_shift_would_have_been_found():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    result = calibration_report((rng.random(300) < p).astype(int), p, n_resamples=59)
    size = f"{result.tests['omnibus'].detectable_error:.2g}"
    assert f"A shift of all probabilities by {size} would have been found" in result.verdict
    assert f"  a shift of {size} is found in 80 % of samples" in str(result)
    assert f"a shift of {size} is found in 80 % of samples" in result.to_html()


def test_single_errors_that_the_test_does_not_confirm_are_explained(binary):
    y, p, _ = binary
    found = calibration_report(y, p, n_resamples=39)
    calm = replace(found.tests["omnibus"], pvalue=0.4)
    tests = {**found.tests, "omnibus": calm, "omnibus, without features": calm}
    verdict = replace(found, tests=tests).verdict
    assert verdict.startswith("No clear sign of miscalibration in 300 rows (p = 0.4). Of the")
    assert "ECE p = 0.025" in verdict


def test_any_generator_will_do(binary):
    """Also one that cannot be spawned; the draws are those of the test."""
    y, p, X = binary

    def legacy():
        return np.random.Generator(np.random.RandomState(0)._bit_generator)

    found = calibration_report(y, p, X, n_resamples=99, random_state=legacy())
    expected = check_calibration(y, p, n_resamples=99, random_state=legacy())
    assert found.tests["global"].pvalue == expected.pvalue
    assert_allclose(found.tests["global"].null_distribution, expected.null_distribution, rtol=1e-7)


def test_draws_do_not_depend_on_their_batches(binary, report, monkeypatch):
    monkeypatch.setattr("sklearn_calib.inference._nulls.batches._BATCH_CELLS", 7 * 300)
    again = calibration_report(*binary, n_resamples=99)
    pd.testing.assert_frame_equal(again.to_frame(), report.to_frame(), rtol=1e-9)
    assert_array_equal(again.displays["reliability"].upper, report.displays["reliability"].upper)


def test_the_diagram_is_that_of_the_display(binary, report):
    y, p, _ = binary
    display = ReliabilityDisplay.from_predictions(y, p, n_resamples=99)
    ours = report.displays["reliability"]
    for name in ("prob_true", "prob_pred", "count", "bin_edges", "lower", "upper"):
        assert_array_equal(getattr(ours, name), getattr(display, name))
    assert ours.pos_label == display.pos_label


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": [[0.0], [np.inf], [1.0]]}, "X must be finite; row 1, column 0 is inf"),
        ({"y_proba": [0.2, np.nan, 0.3]}, "y_proba must be finite; row 1"),
        ({"y_proba": [0.2, 1.5, 0.3]}, "row 1, column 0 is 1.5"),
        ({"feature_names": ["a", "b"], "X": [0, 1, 2]}, "one name for each of the 1 features"),
        ({"alpha": 1.5}, "alpha must be"),
        ({"n_resamples": 0}, "n_resamples must be"),
        ({"n_resamples": 18}, "n_resamples=18 is too small for alpha=0.05.* at least 19"),
        ({"alpha": 0.001}, "n_resamples=199 is too small for alpha=0.001.* at least 999"),
        ({"max_local_samples": 1}, "max_local_samples must be"),
        ({"strategy": "isotonic"}, "strategy must be one of 'auto', 'uniform', 'quantile'"),
        ({"y_true": [1], "y_proba": [0.5]}, "n too small"),
        ({"feature_names": ["age"]}, "feature_names is about the features, but X is not given"),
        ({"prob_bandwidth": 0.1}, "prob_bandwidth is about the features"),
        ({"feature_bandwidth": "median"}, "feature_bandwidth is about the features"),
        ({"categorical_features": [0]}, "categorical_features is about the features"),
        ({"min_effective_size": 20}, "min_effective_size is about the features"),
        ({"max_interaction": 2}, "max_interaction combines the columns of groups"),
    ],
)
def test_bad_input(change, message):
    arguments = {"y_true": [0, 1, 1], "y_proba": [0.2, 0.5, 0.9], **change}
    with pytest.raises(ValueError, match=message):
        calibration_report(**arguments)


def test_bad_cells_of_a_frame_are_named():
    y, p = [0, 1, 1], [0.2, 0.5, 0.9]
    frame = pd.DataFrame({"age": [1.0, 2.0, np.inf], "city": ["a", "b", 3]})
    with pytest.raises(ValueError, match="Column 'age' of X must be finite; row 2 is inf"):
        calibration_report(y, p, frame[["age"]])
    with pytest.raises(ValueError, match="Column 'city' of X holds numbers and text"):
        calibration_report(y, p, frame[["city"]])
    with pytest.raises(ValueError, match="must have the same number of rows, got 3 and 2"):
        calibration_report(y, p, frame[["age"]].iloc[:2])
    with pytest.raises(ValueError, match="X has no column"):
        calibration_report(y, p, frame[[]])


def test_progress(binary, capsys):
    y, p, X = binary
    said = []
    calibration_report(y, p, X, n_resamples=19, verbose=said.append)
    assert said[:2] == ["preparing", "19 of 19 draws"]
    assert said[-3:] == ["looking for regions", "local bias at 300 points", "19 of 19 draws"]
    assert capsys.readouterr() == ("", "")
    calibration_report(y, p, n_resamples=19, verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "s: 19 of 19 draws" in err
