"""Metrics that may deviate from calibration both ways: scorers, tests and the report."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression

from sklearn_calib import calibration_report, check_calibration
from sklearn_calib.inference._pvalues import mean_of_draws, range_of_draws
from sklearn_calib.metrics import make_calibration_scorer
from sklearn_calib.metrics._metric import METRICS, Prepared, evaluate, metric

N_ROWS = 40
Y, P = np.arange(N_ROWS) < 10, np.full(N_ROWS, 0.5)


class _Ratio(Prepared):
    target = "binary"

    def __init__(self, predictions):
        self.expected = predictions.proba[:, 1].sum()

    def __call__(self, codes):
        return codes.reshape(codes.shape[0], -1).sum(axis=0) / self.expected


@pytest.fixture
def event_ratio():
    """Describe the ratio of events to expected events for the time of a test."""

    @metric(
        prepare=_Ratio,
        label="ratio of events",
        meaning="events over expected events",
        ideal=1.0,
        alternative="two-sided",
        ratio=True,
        effect=None,
        shown_in=("report",),
        rank=-1,
    )
    def event_ratio(y_true, y_proba, *, sample_weight=None, pos_label=None, labels=None):
        return evaluate(event_ratio, {"y_true": y_true, "y_proba": y_proba, "labels": labels})

    yield event_ratio
    del METRICS["event_ratio"]


def test_scores_are_minus_the_distance_from_the_ideal(event_ratio):
    class Constant(LogisticRegression):
        def predict_proba(self, X):
            return np.column_stack([1 - X[:, 0], X[:, 0]])

    scorer = make_calibration_scorer(event_ratio)
    model = Constant().fit(np.arange(4)[:, np.newaxis], [0, 1, 0, 1])
    for share in (0.25, 1.0):  # half as many and twice as many events as expected
        y = np.arange(8) < 8 * share
        score = scorer(model, np.full((8, 1), 0.5), y)
        assert score == pytest.approx(-np.log(2), rel=1e-12)
    assert scorer(model, np.full((8, 1), 0.5), np.zeros(8, dtype=int)) == -np.inf


@pytest.mark.parametrize("n_events", [10, 30])
def test_few_and_many_events_are_both_extreme(event_ratio, n_events):
    y = np.arange(N_ROWS) < n_events
    result = check_calibration(y, P, statistic="event_ratio", n_resamples=9999, random_state=0)
    assert result.statistic == pytest.approx(n_events / 20)
    exact = 2 * binom.cdf(10, N_ROWS, 0.5)
    assert abs(result.pvalue - exact) < 4 * np.sqrt(exact / 9999)


def test_the_report_has_two_sided_pvalues(event_ratio):
    report = calibration_report(Y, P, n_resamples=999)
    row = report.metrics[0]
    assert row.name == "event_ratio"
    assert row.value == 0.5
    assert row.expected == pytest.approx(1.0, abs=0.03)
    assert row.lower < 1 < row.upper
    assert row.pvalue <= 0.01
    lines = str(report).splitlines()
    (line,) = [line for line in lines if line.startswith("ratio of events")]
    assert line.split()[3:6] == ["binary", "0.5000", f"{row.expected:.4f}"]


def test_the_range_of_infinite_draws_is_one_of_them():
    values = np.array([0.5, 1.0, 2.0, np.inf, -np.inf])
    assert mean_of_draws(values) == 1.0
    assert range_of_draws(values, 0.5) == (0.5, 2.0)
    assert range_of_draws(values, 0.05) == (-np.inf, np.inf)
    assert range_of_draws(np.array([np.nan, 1.0, 3.0]), 0.0) == (1.0, 3.0)
    assert np.isnan(range_of_draws(np.array([np.nan]), 0.1)).all()
    assert mean_of_draws(np.array([1.0, 2.0, 6.0])) == 3.0
