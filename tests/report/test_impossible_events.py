"""A report of predictions that gave probability zero to what happened."""

import json

import dask.array as da
import numpy as np
import pytest

from sklearn_calib import calibration_report


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    p = np.round(rng.beta(0.7, 1.5, 200), 1)
    y = (rng.random(200) < p).astype(int)
    y[np.flatnonzero(p == 0.0)[0]] = 1
    return y, p


@pytest.fixture(scope="module")
def report(data):
    return calibration_report(*data, n_resamples=39)


def test_the_verdict_says_that_they_are_wrong(report):
    assert report.verdict.startswith(
        "The predictions are not calibrated (p = 0.025, 200 rows): in 1 row probability zero was "
        "given to what happened. "
    )


def test_the_advice_is_to_use_no_certain_probabilities(report):
    assert report.advice.startswith("Use no probabilities of exactly 0 and 1: in 1 row ")


def test_there_is_one_log_loss_and_it_is_infinite(report):
    row = report.to_frame().loc["log loss"]
    assert row["value"] == np.inf
    assert np.isnan([row["ci_lower"], row["ci_upper"]]).all()
    assert report.decomposition["log loss"].score == np.inf
    assert "log loss                   inf                       -\n" in str(report)
    json.dumps(report.to_dict(), allow_nan=False)


def test_an_error_of_all_rows_decides_on_the_advice(data):
    y, p = data
    too_high = np.where(p == 0.0, 0.0, np.clip(p + 0.25, 0.0, 0.95))
    report = calibration_report(y, too_high, n_resamples=39)
    assert report.advice.startswith("Recalibrate all probabilities with one map")
    assert "probability zero was given" in report.verdict


@pytest.mark.filterwarnings("ignore::DeprecationWarning:dask")
def test_partitions_give_the_same_scores_and_verdict(data, report):
    whole = calibration_report(*(da.from_array(one, chunks=60) for one in data), n_resamples=39)
    brier = report.to_frame().loc["Brier score", "value"]
    assert whole.verdict.startswith(
        "The predictions are not calibrated (p = 0.025, 200 rows): in 1 row probability zero was "
        "given to what happened. "
    )
    scores = {row.name: row for row in whole.scores}
    assert scores["log loss"].value == np.inf
    assert np.isnan(scores["log loss"].lower)
    assert scores["Brier score"].value == pytest.approx(brier, rel=1e-12)
    assert whole.tests["errors together"]["pvalue"] == 1 / 40


def test_errors_are_named_beside_it(data):
    y, p = data
    too_high = np.where(p == 0.0, 0.0, np.clip(p + 0.25, 0.0, 0.95))
    parts = [da.from_array(one, chunks=60) for one in (y, too_high)]
    verdict = calibration_report(*parts, n_resamples=39).verdict
    assert "given to what happened; errors found: " in verdict
