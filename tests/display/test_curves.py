"""The curves and bands of the reliability diagram are what the definitions say."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom, binomtest
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression

from sklearn_calib.display import ReliabilityDisplay
from sklearn_calib.metrics import calibration_bins, ece

STRATEGIES = ["uniform", "quantile", "isotonic"]


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_arrays_are_the_table_of_the_metrics_without_empty_bins(binary, strategy):
    y, p = binary
    display = ReliabilityDisplay.from_predictions(y, p, strategy=strategy, n_bins=40, n_resamples=9)
    bins = calibration_bins(y, p, strategy=strategy, n_bins=40)
    filled = bins.count > 0
    if strategy == "uniform":
        assert not filled.all()
    assert_array_equal(display.count, bins.count[filled])
    assert_array_equal(display.prob_true, bins.prob_true[filled])
    assert_array_equal(display.prob_pred, bins.prob_pred[filled])
    assert display.count.sum() == y.size


def test_same_points_as_scikit_learn(binary):
    y, p = binary
    display = ReliabilityDisplay.from_predictions(y, p, n_bins=10, n_resamples=9)
    prob_true, prob_pred = calibration_curve(y, p, n_bins=10)
    assert_allclose(display.prob_true, prob_true, rtol=1e-12)
    assert_allclose(display.prob_pred, prob_pred, rtol=1e-12)


def test_isotonic_curve_is_the_isotonic_regression(binary):
    y, p = binary
    weight = np.random.default_rng(3).random(y.size)
    display = ReliabilityDisplay.from_predictions(
        y, p, strategy="isotonic", sample_weight=weight, n_resamples=9
    )
    fit = IsotonicRegression(y_min=0, y_max=1).fit(p, y, weight)
    x, level = display.step_.get_data()
    assert_allclose(level, fit.predict(x), atol=1e-12)
    assert_allclose(display.prob_true, fit.predict(display.prob_pred), atol=1e-12)
    grid = np.linspace(p.min(), p.max(), 1001)
    assert_allclose(np.interp(grid, x, level), fit.predict(grid), atol=1e-9)
    assert_allclose(display.count.sum(), weight.sum(), rtol=1e-12)
    for (low, high), mean, count, rate in zip(
        display.bin_edges, display.prob_pred, display.count, display.prob_true
    ):
        rows = (p >= low) & (p <= high)
        assert_allclose(mean, np.average(p[rows], weights=weight[rows]), rtol=1e-12)
        assert_allclose(rate, np.average(y[rows], weights=weight[rows]), atol=1e-12)
        assert_allclose(count, weight[rows].sum(), rtol=1e-12)


def test_isotonic_with_ties():
    y, p = [0, 1, 1, 0, 1], [0.2, 0.2, 0.6, 0.6, 0.9]
    display = ReliabilityDisplay.from_predictions(y, p, strategy="isotonic", n_resamples=9)
    assert_allclose(display.prob_true, [0.5, 1.0])
    assert_allclose(display.bin_edges, [[0.2, 0.6], [0.9, 0.9]])
    assert_array_equal(display.count, [4, 1])


def test_consistency_limits_are_quantiles_of_the_binomial():
    """With equal predictions in a bin the number of events is binomial."""
    p = np.repeat([0.1, 0.4, 0.9], [30, 200, 50])
    display = ReliabilityDisplay.from_predictions(
        np.zeros(p.size), p, n_bins=3, alpha=0.1, labels=[0, 1]
    )
    for k, (q, n) in enumerate([(0.1, 30), (0.4, 200), (0.9, 50)]):
        expected = binom.ppf([0.05, 0.95], n, q) / n
        assert_allclose([display.lower[k], display.upper[k]], expected, rtol=1e-14)


def test_exact_limits_agree_with_simulated_ones(binary):
    """Weights that are all one make the same band by simulation."""
    y, p = binary
    exact = ReliabilityDisplay.from_predictions(y, p, n_bins=5)
    simulated = ReliabilityDisplay.from_predictions(
        y, p, n_bins=5, sample_weight=np.ones(y.size), n_resamples=20000
    )
    for end in ("lower", "upper"):
        difference = getattr(exact, end) - getattr(simulated, end)
        assert (np.abs(difference) <= 1.01 / exact.count).all()


def test_rare_events_get_quantile_bins():
    """One bin that holds nearly all rows would show nothing."""
    rng = np.random.default_rng(0)
    p = rng.beta(1, 99, 2000)
    y = rng.random(p.size) < p
    display = ReliabilityDisplay.from_predictions(y, p, n_bins=8)
    assert display.strategy == "quantile"
    assert display.count.size == 8
    assert display.ece == ece(y, p, n_bins=8, strategy="quantile")
    even = ReliabilityDisplay.from_predictions(rng.random(p.size) < 0.5, rng.random(p.size))
    assert even.strategy == "uniform"


@pytest.mark.slow
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_calibrated_model_stays_inside_the_band(strategy):
    """Pointwise: each bin misses with probability about alpha; a planted error must not."""
    rng = np.random.default_rng(0)
    outside, wrong, total = 0, 0, 0
    for _ in range(60):
        p = rng.random(300)
        for y, planted in ((rng.random(300) < p, False), (rng.random(300) < p**2, True)):
            d = ReliabilityDisplay.from_predictions(
                y, p, n_bins=6, strategy=strategy, n_resamples=199, histogram=False
            )
            misses = np.mean((d.prob_true < d.lower) | (d.prob_true > d.upper))
            wrong += misses if planted else 0
            outside += 0 if planted else misses
            plt.close("all")
        total += 1
    assert outside / total < 0.09
    assert wrong / total > 0.3


def test_seeded(binary):
    draws = [
        ReliabilityDisplay.from_predictions(
            *binary, strategy="isotonic", n_resamples=19, random_state=seed
        ).upper
        for seed in (0, 0, 1)
    ]
    assert_array_equal(draws[0], draws[1])
    assert (draws[0] != draws[2]).any()


@pytest.mark.parametrize(("hits", "size"), [(0, 3), (3, 3), (1, 4), (17, 40)])
def test_clopper_pearson(hits, size):
    """All-one bins keep an interval of positive width (R06)."""
    y = np.repeat([1, 0], [hits, size - hits])
    display = ReliabilityDisplay.from_predictions(
        y, np.full(size, 0.5), interval="clopper-pearson", alpha=0.1
    )
    exact = binomtest(hits, size).proportion_ci(0.9, method="exact")
    assert_allclose([display.lower[0], display.upper[0]], exact, rtol=1e-9)
    assert display.upper[0] > display.lower[0]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["perfectly calibrated", display_label(display), "90 % interval"]


def display_label(display):
    return f"ECE = {display.ece:.3f}"


def test_weighted_clopper_pearson_uses_the_effective_number():
    y, p = np.tile([0, 1], 10), np.full(20, 0.4)
    plain = ReliabilityDisplay.from_predictions(y, p, interval="clopper-pearson")
    scaled = ReliabilityDisplay.from_predictions(
        y, p, interval="clopper-pearson", sample_weight=np.full(20, 7.0)
    )
    assert_allclose(scaled.lower, plain.lower, rtol=1e-12)
    weight = np.repeat([1.0, 1e-9], 10)
    half = ReliabilityDisplay.from_predictions(
        y, p, interval="clopper-pearson", sample_weight=weight
    )
    exact = binomtest(5, 10).proportion_ci(0.95, method="exact")
    assert_allclose([half.lower[0], half.upper[0]], exact, rtol=1e-6)


def test_isotonic_blocks_have_no_clopper_pearson_interval(binary):
    with pytest.raises(ValueError, match="depend on the labels"):
        ReliabilityDisplay.from_predictions(
            *binary, strategy="isotonic", interval="clopper-pearson"
        )
