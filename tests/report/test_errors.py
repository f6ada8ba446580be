"""The numbers of the report are those of the metrics."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.metrics import brier_score_loss, log_loss

from sklearn_calib import calibration_report, check_calibration, metrics
from tests.report._rows import value


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("weighted", [False, True])
def test_metrics_are_the_functions(binary, strategy, weighted):
    y, p, X = binary
    weight = np.random.default_rng(3).integers(0, 3, y.size) if weighted else None
    result = calibration_report(
        y, p, X, n_bins=7, strategy=strategy, n_resamples=19, sample_weight=weight
    )
    for name in ("ece", "mce", "average_calibration_error"):
        function = getattr(metrics, name)
        expected = function(y, p, n_bins=7, strategy=strategy, sample_weight=weight)
        assert value(result, name) == expected
    for name in ("skce", "kce", "mmce"):
        expected = getattr(metrics, name)(y, p, sample_weight=weight)
        assert_allclose(value(result, name), expected, rtol=1e-9)
    klce = metrics.klce(y, p, X, feature_bandwidth="scaled", sample_weight=weight)
    assert_allclose(value(result, "klce"), klce, rtol=1e-9)
    scores = log_loss(y, p, sample_weight=weight), brier_score_loss(y, p, sample_weight=weight)
    ours = [value(result, "log loss"), value(result, "Brier score")]
    assert_allclose(ours, scores, rtol=1e-13)
    assert result.displays["reliability"].ece == value(result, "ece")


def test_multiclass_metrics_are_the_functions(multiclass):
    y, proba, X = multiclass
    result = calibration_report(y, proba, X, n_resamples=19)
    for name in ("ece", "mce", "average_calibration_error", "skce", "kce", "mmce"):
        assert_allclose(value(result, name), getattr(metrics, name)(y, proba), rtol=1e-9)
    assert_allclose(
        value(result, "klce"), metrics.klce(y, proba, X, feature_bandwidth="scaled"), rtol=1e-9
    )
    assert result.to_frame().loc["ece", "target"] == "confidence"
    assert result.to_frame().loc["skce", "target"] == "canonical"
    squares = ((proba - (y[:, None] == ["ant", "bee", "cat"])) ** 2).sum(axis=1)
    assert_allclose(value(result, "Brier score"), squares.mean(), rtol=1e-12)


@pytest.mark.parametrize("name", ["ece", "mce", "average_calibration_error", "skce", "kce", "mmce"])
def test_one_set_of_labels_serves_all_metrics(binary, report, name):
    """Each row is the test of that metric with the same draws."""
    y, p, _ = binary
    test = check_calibration(y, p, statistic=name, n_resamples=99, random_state=0)
    row = report.to_frame().loc[name]
    assert row["pvalue"] == test.pvalue
    assert_allclose(row["expected"], test.expected, rtol=1e-9, atol=1e-12)
    limits = np.quantile(test.null_distribution, [0.025, 0.975])
    assert_allclose(row[["range_lower", "range_upper"]].tolist(), limits, rtol=1e-9, atol=1e-12)


def test_confidence_interval_of_the_proper_scores(binary, report):
    y, p, _ = binary
    losses = -np.log(np.where(y == 1, p, 1 - p))
    spread = norm.ppf(0.975) * losses.std() / np.sqrt(y.size)
    row = report.to_frame().loc["log loss"]
    assert_allclose(row["ci_lower"], losses.mean() - spread, rtol=1e-12)
    assert_allclose(row["ci_upper"], losses.mean() + spread, rtol=1e-12)
    assert np.isnan(row["pvalue"])


def test_weights_in_the_confidence_interval_are_those_of_a_ratio():
    y, p = np.array([0, 1, 1, 0]), np.array([0.2, 0.6, 0.9, 0.3])
    weight = np.array([1.0, 3.0, 0.5, 2.0])
    row = calibration_report(y, p, sample_weight=weight, n_resamples=19).to_frame()
    terms = (y - p) ** 2
    mean = np.average(terms, weights=weight)
    spread = norm.ppf(0.975) * np.sqrt((weight**2 * (terms - mean) ** 2).sum()) / weight.sum()
    assert_allclose(row.loc["Brier score", "ci_upper"], mean + spread, rtol=1e-12)
