"""`calibration_ci`: reference values from given resamples, quantiles, seeds, forms of data."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import brier_score_loss

from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.inference import calibration_ci
from sklearn_calib.metrics import ece, klce, skce
from tests._reference import parametrize_cases

METRICS = {
    "ece": ("ece", {}),
    "mce": ("mce", {}),
    "ace": ("average_calibration_error", {}),
    "mmce": ("mmce", {}),
    "skce_uq": ("skce", {}),
    "ece_classwise": ("ece", {"target": "classwise"}),
    "ece_confidence": ("ece", {"target": "confidence"}),
    "skce_uq_canonical": ("skce", {"target": "canonical"}),
}


def _data(n=50, seed=0):
    rng = np.random.default_rng(seed)
    X, p = rng.normal(size=n), rng.random(n)
    return (rng.random(n) < p).astype(int), p, X


@parametrize_cases("cal_ci")
@pytest.mark.parametrize(("level", "key"), [(0.95, "95"), (0.8, "80")])
def test_percentile_interval_of_given_resamples(case, level, key):
    metric, params = METRICS[case["params"]["metric"]]
    binned = metric in ("ece", "mce", "average_calibration_error")
    option = ("n_bins", "bins") if binned else ("bandwidth", "bandwidth")
    p = np.array(case["inputs"]["p"])
    result = calibration_ci(
        case["inputs"]["y"],
        p,
        metric=metric,
        metric_params={**params, option[0]: case["params"][option[1]]},
        confidence_level=level,
        method="percentile",
        indices=case["inputs"]["indices"],
        labels=np.arange(1, p.shape[1] + 1) if p.ndim == 2 else None,
    )
    expected = case["expected"]
    tolerance = {"rtol": 1e-10, "atol": 1e-12 if binned else 1e-14}
    assert_allclose(result.estimate, expected["estimate"], **tolerance)
    assert_allclose(result.replicates, expected["replicates"], **tolerance)
    ends = (expected[f"lower_{key}"], expected[f"upper_{key}"])
    assert_allclose(tuple(result), ends, **tolerance)


def test_basic_interval_mirrors_the_percentile_one():
    y, p, _ = _data()
    options = {"metric": "skce", "n_resamples": 99, "random_state": 0}
    percentile = calibration_ci(y, p, method="percentile", **options)
    basic = calibration_ci(y, p, method="basic", **options)
    assert basic.low == pytest.approx(2 * basic.estimate - percentile.high, rel=1e-14)
    assert basic.high == pytest.approx(2 * basic.estimate - percentile.low, rel=1e-14)


def test_defaults_and_result():
    y, p, X = _data()
    result = calibration_ci(y, p, n_resamples=39)
    local = calibration_ci(y, p, X, n_resamples=39)
    assert (result.estimate, result.metric_name) == (skce(y, p), "skce")
    assert (local.estimate, local.metric_name) == (klce(y, p, X), "klce")
    assert result.replicates.shape == (39,)
    assert (result.confidence_level, result.method) == (0.95, "pairs")
    low, high = result
    # The exact limits of few surprising labels may reach further than the replicates.
    assert low <= result.replicates.min()
    assert high >= result.replicates.max()
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.low = 0.0


def test_replicates_are_the_metric_of_drawn_rows_and_repeatable():
    y, p, X = _data()
    rows = check_generator(4).integers(50, size=(49, 50))
    drawn = calibration_ci(y, p, X, n_resamples=49, random_state=4, method="percentile")
    given = calibration_ci(y, p, X, indices=rows, method="percentile")
    assert_array_equal(drawn.replicates, [klce(y[r], p[r], X[r]) for r in rows])
    assert_array_equal(drawn.replicates, given.replicates)
    fewer = calibration_ci(y, p, X, n_resamples=39, random_state=4, method="percentile")
    assert_array_equal(fewer.replicates, drawn.replicates[:39])


@pytest.mark.parametrize(
    ("metric", "options"),
    [("ece", {}), ("skce", {}), ("smooth_ece", {}), ("brier", {"method": "percentile"})],
)
def test_too_few_draws_for_the_level_are_told(metric, options):
    y, p, _ = _data()
    # With 38 draws the smallest p-value is 1 / 39, above 0.025.
    with pytest.warns(
        UserWarning, match="n_resamples=38 .* only 0.025: use n_resamples of at leas"
    ):
        calibration_ci(y, p, metric=metric, n_resamples=38, random_state=0, **options)
    calibration_ci(y, p, metric=metric, n_resamples=39, random_state=0, **options)


def test_a_construction_without_draws_needs_none():
    y, p, _ = _data()
    for metric in ("brier", "mce", "calibration_slope", "observed_expected_ratio"):
        calibration_ci(y, p, metric=metric, n_resamples=1)


def test_scores_stay_in_their_range_at_any_level():
    y, p, _ = _data()
    level = 1 - 1e-16
    for score, largest in (("brier", 1.0), ("log_loss", np.inf)):
        low, high = calibration_ci(y, p, metric=score, confidence_level=level)
        assert 0.0 <= low < high <= largest
    proba = np.column_stack([1 - p, p / 2, p / 2])
    low, high = calibration_ci(
        2 * y, proba, labels=[0, 1, 2], metric="brier", confidence_level=level
    )
    assert 0.0 <= low < high <= 2.0


def test_a_resample_may_lack_a_class():
    y, p = np.array(["no", "no", "yes"]), np.array([0.1, 0.4, 0.7])
    given = {"indices": [[0, 1, 1], [2, 2, 2]], "method": "percentile"}
    for proba, options in ((p, {"pos_label": "yes"}), (np.column_stack([1 - p, p]), {})):
        result = calibration_ci(y, proba, metric="ece", **given, **options)
        assert_allclose(result.replicates, [0.3, 0.3], rtol=1e-14)
    spam = calibration_ci(["spam"] * 2, [0.5, 0.5], metric=ece, pos_label="spam", n_resamples=39)
    assert spam.estimate == 0.5


def test_weights_go_with_their_rows():
    y, p, _ = _data()
    weight = np.arange(50) % 4.0
    kept = np.flatnonzero(weight)
    options = {"method": "percentile", "n_resamples": 39, "random_state": 0}
    result = calibration_ci(y, p, sample_weight=weight, **options)
    rows = kept[check_generator(0).integers(kept.size, size=(39, kept.size))]
    expected = [skce(y[r], p[r], sample_weight=weight[r]) for r in rows]
    assert_allclose(result.replicates, expected, rtol=1e-10, atol=1e-15)


def test_callable_and_pandas():
    y, p, X = _data()
    frame = pd.DataFrame({"p": p}, index=np.arange(50)[::-1])
    result = calibration_ci(y, frame["p"], metric=brier_score_loss, n_resamples=39, random_state=0)
    array = calibration_ci(y, p, metric=brier_score_loss, n_resamples=39, random_state=0)
    assert_array_equal(result.replicates, array.replicates)
    table = pd.DataFrame({"x": X})
    local = calibration_ci(
        y, p, table, metric=lambda y, p, X: float(X["x"].mean()), n_resamples=39, random_state=0
    )
    assert local.estimate == pytest.approx(X.mean())


def test_percentile_replicates_of_a_calibrated_model_are_all_worse():
    """The reason why this interval is refused: it excludes the true zero of a calibrated model."""
    y, p, _ = _data(2000)
    rows = np.random.default_rng(0).integers(2000, size=(99, 2000))
    low, _ = calibration_ci(y, p, metric="ece", indices=rows, method="percentile")
    assert low > 0.01


def test_repr_is_short():
    y, p, _ = _data()
    interval = calibration_ci(y, p, metric="ece", n_resamples=99, random_state=0)
    assert " ".join(repr(interval).split()) == (
        "CalibrationInterval( "
        f"estimate={interval.estimate:.4g}, corrected={interval.corrected:.4g}, "
        f"low={interval.low:.4g}, high={interval.high:.4g}, metric_name='ece', "
        "method='inversion', confidence_level=0.95, n_samples=50, )"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence_level": 1.0}, "confidence_level must be a finite number above 0 and below 1"),
        ({"method": "bca"}, "method must be one of 'auto', 'percentile', 'basic', got"),
        ({"n_resamples": 0}, "n_resamples must be a whole number"),
        ({"metric": "brier_score"}, "metric must be one of 'auto', 'ece'"),
        ({"metric": "klce"}, "'klce' measures a local error and needs X"),
        ({"metric_params": {"n_bins": 3}}, r"sets \['n_bins'\], which metric='skce' does not"),
        ({"metric": "ece", "method": "percentile"}, "'percentile' gives no valid interval of ece"),
        ({"metric": "mmce", "method": "basic"}, "'basic' gives no valid interval of mmce"),
        ({"metric": "ece", "indices": [[0] * 50]}, "which method='auto' does not use for ece"),
        ({"groups": [1, 2]}, "y_true has 50 .*groups has 2|groups"),
        ({"groups": [None] + ["a"] * 49}, "groups has missing values"),
        ({"groups": [1] * 50, "indices": [[0] * 50]}, "pass groups or indices, not both"),
        ({"indices": [[0, 1]]}, r"one column per row of positive weight, .*\(n_resamples, 50\)"),
        ({"indices": [[0] * 50], "sample_weight": [0] + [1] * 49}, r"\(n_resamples, 49\)"),
        ({"metric_params": [1]}, r"metric_params must be None or a dict.*got \[1\]"),
        ({"indices": [[50] * 50]}, "row numbers from 0 to 49, got 50"),
        ({"metric": lambda y, p: np.nan}, "is NaN on the data or on"),
        ({"random_state": "x"}, "random_state must be"),
    ],
)
def test_bad_options(options, message):
    y, p, _ = _data()
    with pytest.raises(ValueError, match=message):
        calibration_ci(y, p, **options)
