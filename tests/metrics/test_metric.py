"""The descriptions of the metrics, and that everybody who needs a list reads them."""

import numpy as np
import pytest

from sklearn_calib import calibration_report, check_calibration, metrics
from sklearn_calib.display import CalibrationComparisonDisplay
from sklearn_calib.inference import calibration_ci
from sklearn_calib.metrics._metric import METRICS, metrics_shown_in
from tests.metrics._registry import binary_data, multiclass_data

X_OF = {name: {"X": np.cos(np.arange(40))} for name in METRICS if METRICS[name].needs_features}


def test_described_are_exactly_the_public_metrics():
    functions = {
        name
        for name in metrics.__all__
        if not name.endswith("_scorer") and name not in ("calibration_bins", "get_scorer_names")
    } - {"get_scorer", "make_calibration_scorer"}
    functions -= {"score_decomposition", "ScoreDecomposition"}
    assert set(METRICS) == functions - {"make_calibration_scorer"}
    for name, one in METRICS.items():
        assert one.function is getattr(metrics, name)


@pytest.mark.parametrize("name", METRICS)
def test_has_a_scorer_with_the_described_options(name):
    scorer = getattr(metrics, f"neg_{name}_scorer")
    assert metrics.get_scorer(f"neg_{name}")._kwargs == scorer._kwargs
    options = {k: v for k, v in scorer._kwargs.items() if k != "features"}
    assert options == METRICS[name].scorer
    assert scorer is getattr(metrics, f"neg_{name}_scorer")
    assert f"neg_{name}" in metrics.get_scorer_names()


def test_scorer_names_end_where_the_metrics_end():
    with pytest.raises(AttributeError, match="neg_brier_scorer"):
        metrics.neg_brier_scorer  # noqa: B018
    with pytest.raises(AttributeError, match="'neg_ece'"):
        metrics.neg_ece  # noqa: B018
    assert set(dir(metrics)) == set(metrics.__all__)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("make", [binary_data, multiclass_data])
def test_is_a_statistic_with_the_described_effect(name, make):
    y, proba = make()
    result = check_calibration(
        y, proba, **X_OF.get(name, {}), statistic=name, n_resamples=9, random_state=0
    )
    value = METRICS[name].function(y, proba, **X_OF.get(name, {}))
    np.testing.assert_allclose(result.statistic, value, rtol=1e-10, atol=1e-14)
    if METRICS[name].effect_of(METRICS[name].options) is None:
        assert result.effect_size is None
        return
    root = name in ("skce", "kce", "klce", "miscalibration")
    if METRICS[name].effect is None:
        assert result.effect_size is None
    else:
        effect = max(value, 0) ** 0.5 if root else value
        assert result.effect_size == pytest.approx(effect, rel=1e-9)
    assert result.statistic_name == name


def test_the_effect_of_the_root_is_itself():
    y, p = binary_data()
    result = check_calibration(
        y, p, statistic="kce", statistic_params={"squared": False}, n_resamples=9, random_state=0
    )
    assert result.effect_size == result.statistic > 0


@pytest.mark.parametrize("name", METRICS)
def test_has_an_interval_or_is_refused_with_the_reason(name):
    """Errors that cannot be negative and are no smooth statistics have none that is valid."""
    y, p = binary_data()
    options = {"metric": name, "n_resamples": 39, "random_state": 0}
    if METRICS[name].interval is None:
        with pytest.raises(ValueError, match=f"No valid interval of {name} is known"):
            calibration_ci(y, p, **X_OF.get(name, {}), **options)
        return
    interval = calibration_ci(y, p, **X_OF.get(name, {}), **options)
    assert interval.metric_name == name
    assert interval.low <= interval.high


@pytest.mark.parametrize("name", ["miscalibration", "weighted_mmce"])
def test_an_interval_that_is_not_valid_is_refused(name):
    y, p = binary_data()
    with pytest.raises(ValueError, match=f"No valid interval of {name} is known"):
        calibration_ci(y, p, metric=name, n_resamples=99, random_state=0)


@pytest.mark.usefixtures("without_drawing")
def test_the_report_shows_the_described_rows_in_order():
    y, p = binary_data()
    report = calibration_report(y, p, X_OF["klce"]["X"], n_resamples=19)
    assert [row.name for row in report.metrics] == [one.name for one in metrics_shown_in("report")]
    text, page = str(report), report.to_html()
    for one in metrics_shown_in("report"):
        assert one.label in text
        assert one.meaning in page


def test_the_comparison_shows_the_described_columns():
    y, p = binary_data()
    display = CalibrationComparisonDisplay.from_predictions(y, {"model": p})
    assert list(display.table.columns) == [
        "log loss",
        "Brier score",
        *[one.label for one in metrics_shown_in("comparison")],
    ]


def test_lists_in_docstrings_name_every_metric():
    for function in (check_calibration, calibration_ci):
        for name in METRICS:
            assert f'"{name}"' in function.__doc__


@pytest.mark.parametrize("name", METRICS)
def test_ranks_differ_and_tables_exist(name):
    assert [one.rank for one in METRICS.values()].count(METRICS[name].rank) == 1
    assert set(METRICS[name].shown_in) <= {"report", "comparison"}
