"""Importance weights of `local_bias_band`: the formulas by loops, weight zero, the level."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

from sklearn_calib import LocalBiasDisplay, calibration_report
from sklearn_calib._utils.arguments.random_streams import check_generator
from sklearn_calib.inference import local_bias_band, local_calibration_bias
from sklearn_calib.inference._nulls.simulation import draw_labels
from tests._oracles import loop_local_means
from tests.inference._local._data import local_data as _data

WIDTHS = {"prob_bandwidth": 0.4, "feature_bandwidth": 1.5}


def _weights(n=40, zeros=0, seed=1):
    weight = np.random.default_rng(seed).gamma(0.7, size=n) + 0.05
    weight[:zeros] = 0.0
    return weight


def _loop(y, matrix, X, queries, weight, min_effective_size):
    """Return bias, null_std, effective size and the largest ratio, query by query."""
    columns = [1] if matrix.shape[1] == 2 else range(matrix.shape[1])
    points = [[*matrix[i, list(columns)], *X[i]] for i in range(len(X))]
    residuals = [[(y[i] == k) - matrix[i, k] for k in columns] for i in range(len(X))]
    variances = [[matrix[i, k] * (1 - matrix[i, k]) for k in columns] for i in range(len(X))]
    widths = [0.4] * len(columns) + [1.5] * X.shape[1]
    found = [
        loop_local_means(points, query, residuals, variances, weight, widths) for query in queries
    ]
    bias, spread = np.array([one[0] for one in found]), np.array([one[1] for one in found])
    sizes = np.array([one[2] for one in found])
    ratio = np.abs(bias) / np.sqrt(spread)
    return bias, np.sqrt(spread), sizes, ratio[sizes >= min_effective_size].max()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weighted_formulas_against_loops(n_classes):
    y, proba, X = _data(n_classes=n_classes)
    matrix = np.column_stack([1 - proba, proba]) if n_classes == 2 else proba
    columns = [1] if n_classes == 2 else range(n_classes)
    queries = np.hstack([matrix[:, list(columns)], X])
    weight = _weights()
    options = {"min_effective_size": 4, "n_resamples": 19, "alpha": 0.2, "random_state": 3}
    band = local_bias_band(y, proba, X, sample_weight=weight, **WIDTHS, **options)
    bias, std, sizes, _ = _loop(y, matrix, X, queries, weight, 4)
    assert_allclose(band.bias.reshape(40, -1), bias, rtol=1e-10, atol=1e-14)
    assert_allclose(band.null_std.reshape(40, -1), std, rtol=1e-10)
    assert_allclose(band.effective_size, sizes, rtol=1e-10)
    assert 0 < np.count_nonzero(~band.tested) < 40
    assert_array_equal(band.tested, sizes >= 4)
    draws = draw_labels(check_generator(3), matrix, 19).T
    maxima = sorted(_loop(codes, matrix, X, queries, weight, 4)[3] for codes in draws)
    assert band.critical_value == pytest.approx(maxima[math.ceil(0.8 * 20) - 1], rel=1e-10)
    exceeds = (np.abs(bias) > band.critical_value * std) & band.tested[:, np.newaxis]
    assert_array_equal(band.significant.reshape(40, -1), exceeds)


def test_bias_is_that_of_the_function_without_a_band():
    y, p, X = _data()
    weight = _weights(zeros=9)
    band = local_bias_band(y, p, X, sample_weight=weight, min_effective_size=1)
    bias = local_calibration_bias(y, p, X, sample_weight=weight)
    assert_allclose(band.bias, bias, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("queries", [False, True])
def test_rows_of_weight_zero_have_no_influence(n_classes, queries):
    """Whatever they hold: labels, predictions and features far away from all others."""
    y, proba, X = _data(n_classes=n_classes)
    weight = _weights(zeros=9)
    X[:9] += 1e3
    options = {"min_effective_size": 3, "random_state": 0}
    if queries:
        options |= {"X_query": X[5:20], "proba_query": proba[5:20]}
    band = local_bias_band(y, proba, X, sample_weight=weight, **options)
    alone = local_bias_band(y[9:], proba[9:], X[9:], sample_weight=weight[9:], **options)
    kept = slice(None) if queries else slice(9, None)
    for name in ("bias", "null_std", "effective_size", "significant", "tested"):
        assert_allclose(getattr(band, name)[kept], getattr(alone, name), rtol=1e-12, atol=1e-15)
    assert band.critical_value == pytest.approx(alone.critical_value, rel=1e-12)
    assert band.prob_bandwidth == alone.prob_bandwidth
    assert_array_equal(band.feature_bandwidth, alone.feature_bandwidth)


def test_rows_of_weight_zero_are_looked_at_but_not_tested():
    y, p, X = _data(200)
    weight = np.ones(200)
    weight[::4] = 0.0
    band = local_bias_band(y, p, X, sample_weight=weight, min_effective_size=1e-9)
    assert band.bias.shape == (200,)
    assert_array_equal(band.tested, weight > 0)
    band = local_bias_band(
        y, p, X, X_query=X, proba_query=p, sample_weight=weight, min_effective_size=1e-9
    )
    assert band.tested.all()


def test_only_ratios_of_weights_matter():
    y, p, X = _data()
    weight = _weights()
    few, many = (
        local_bias_band(y, p, X, sample_weight=factor * weight, random_state=0, **WIDTHS)
        for factor in (1.0, 1e6)
    )
    ones = local_bias_band(y, p, X, sample_weight=np.full(40, 7), random_state=0, **WIDTHS)
    none = local_bias_band(y, p, X, random_state=0, **WIDTHS)
    for one, other in ((few, many), (ones, none)):
        assert_allclose(one.bias, other.bias, rtol=1e-10)
        assert_allclose(one.null_std, other.null_std, rtol=1e-10)
        assert one.critical_value == pytest.approx(other.critical_value, rel=1e-10)


def test_one_heavy_row_is_too_few_data():
    """The effective size is that of kernel times weight: one row cannot carry a finding."""
    y, p, X = _data(100)
    weight = np.full(100, 1e-6)
    weight[0] = 1.0
    with pytest.warns(UserWarning, match="No query point has an effective size of at least 10"):
        band = local_bias_band(y, p, X, sample_weight=weight)
    assert band.effective_size[0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0] * 3, r"sample_weight must have shape \(40,\)"),
        ([-1.0] + [1.0] * 39, "sample_weight must not be negative; row 0"),
        ([0.0] * 40, "sample_weight is zero for every row"),
    ],
)
def test_bad_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        local_bias_band(*_data(), sample_weight=weight)


@pytest.mark.slow
def test_level_holds_with_unequal_weights():
    """A calibrated model: any point of a weighted band is flagged in at most alpha of the runs."""
    alpha, n_runs, flagged = 0.1, 400, 0
    for run in range(n_runs):
        rng = np.random.default_rng([7, run])
        X, p = rng.normal(size=(60, 1)), rng.beta(0.7, 1.5, size=60)
        weight = rng.pareto(1.5, size=60) * (1 + np.exp(X[:, 0]))
        y = (rng.random(60) < p).astype(int)
        flagged += local_bias_band(
            y,
            p,
            X,
            sample_weight=weight,
            alpha=alpha,
            n_resamples=19,
            min_effective_size=2,
            prob_bandwidth=0.3,
            feature_bandwidth=0.7,
            random_state=run,
        ).significant.any()
    # The level is exactly alpha up to ties, so both sides are bounded.
    assert binom.ppf(1e-4, n_runs, alpha) <= flagged <= binom.ppf(1 - 1e-4, n_runs, alpha)


def test_display_hands_the_weights_over():
    y, p, X = _data(300)
    X, weight = X[:, 0], _weights(300, zeros=50)
    options = {"n_resamples": 99, "random_state": 0}
    display = LocalBiasDisplay.from_predictions(y, p, X, sample_weight=weight, **options)
    order = np.argsort(X[50:])
    band = local_bias_band(
        y[50:],
        p[50:],
        X[50:],
        X_query=X[50:][order],
        proba_query=p[50:][order],
        sample_weight=weight[50:],
        **options,
    )
    assert_array_equal(display.feature, X[50:][order])
    assert_allclose(display.bias, band.bias, rtol=1e-12, atol=1e-15)
    assert_allclose(display.limit, band.critical_value * band.null_std, rtol=1e-12)
    shown = LocalBiasDisplay.from_predictions(
        y, p, X, sample_weight=weight, max_points=100, **options
    )
    assert shown.feature.size == 100
    assert set(shown.feature) <= set(X[50:])


def test_report_uses_the_weights_for_its_band():
    y, p, X = _data(300)
    weight = _weights(300, zeros=50)
    options = {"n_resamples": 19, "random_state": 0, "feature_bandwidth": 0.8}
    report = calibration_report(y, p, X, sample_weight=weight, **options)
    band = local_bias_band(y, p, X, sample_weight=weight, **options)
    assert_allclose(report.band.bias, band.bias[50:], rtol=1e-12, atol=1e-15)
    assert_allclose(report.band.effective_size, band.effective_size[50:], rtol=1e-12)
    assert report.band.critical_value == pytest.approx(band.critical_value, rel=1e-12)
    assert not [note for note in report.notes if "weights" in note]
