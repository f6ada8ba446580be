"""Spiegelhalter's z: known values, its two sides, and its limiting distribution."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom, norm

from sklearn_calib import check_calibration
from tests.inference._data import binary_data, multiclass_data


def z_of_two_classes(y, p, w=1.0):
    """The formula of the paper."""
    variance = np.sum((w * (1 - 2 * p)) ** 2 * p * (1 - p))
    return np.sum(w * (y - p) * (1 - 2 * p)) / np.sqrt(variance)


def z_of_brier_scores(y, proba):
    """The difference of the Brier score and its mean over all labels of each row, by loops."""
    excess, variance = 0.0, 0.0
    for label, row in zip(y, proba):
        scores = [np.sum((row - np.eye(row.size)[k]) ** 2) for k in range(row.size)]
        mean = row @ scores
        excess += scores[label] - mean
        variance += row @ (scores - mean) ** 2
    return excess / np.sqrt(variance)


def run(y, proba, **options):
    options = {"n_resamples": 99, "random_state": 0, **options}
    return check_calibration(y, proba, statistic="spiegelhalter", **options)


def test_value_for_two_classes():
    y, p, _ = binary_data()
    assert_allclose(run(y, p).statistic, z_of_two_classes(y, p), rtol=1e-12)
    assert_allclose(
        run(y, np.column_stack([1 - p, p])).statistic, z_of_two_classes(y, p), rtol=1e-9
    )
    weight = np.random.default_rng(0).uniform(0, 3, y.size)
    weighted = run(y, p, sample_weight=weight).statistic
    assert_allclose(weighted, z_of_two_classes(y, p, weight), rtol=1e-12)
    assert_allclose(run(y, p, sample_weight=weight * 1e300).statistic, weighted, rtol=1e-12)


def test_value_for_more_classes():
    y, proba, _ = multiclass_data()
    result = run(y, proba)
    assert result.target == "canonical"
    assert_allclose(result.statistic, z_of_brier_scores(y, proba), rtol=1e-12)
    top, hit = proba.max(axis=1), proba.argmax(axis=1) == y
    confidence = run(y, proba, target="confidence").statistic
    assert_allclose(confidence, z_of_two_classes(hit, top), rtol=1e-12)


def test_both_sides_are_extreme():
    """All rows have p = 0.2, so z is a function of the number of positives and p is binomial."""
    p = np.full(25, 0.2)
    for positives in (0, 1, 12):
        y = (np.arange(25) < positives).astype(int)
        tail = min(binom(25, 0.2).cdf(positives), binom(25, 0.2).sf(positives - 1))
        result = run(y, p, n_resamples=20_000, labels=[0, 1])
        assert np.sign(result.statistic) == np.sign(positives - 5)
        assert_allclose(result.pvalue, 2 * tail, atol=4 * np.sqrt(2 * tail / 20_000) + 2e-4)
    assert run((np.arange(25) < 5).astype(int), p).pvalue == 1.0


def test_asymptotic_form():
    y, p, _ = binary_data(500)
    result = run(y, p, null="asymptotic")
    assert_allclose(result.pvalue, 2 * norm.sf(abs(z_of_two_classes(y, p))), rtol=1e-12)
    assert result.null == "asymptotic"
    assert result.null_distribution is None
    assert result.expected is None
    assert result.effect_size is None
    simulated = run(y, p, n_resamples=5000)
    assert_allclose(simulated.pvalue, result.pvalue, atol=0.03)
    assert simulated.effect_size is None


def test_certain_predictions():
    y = np.array([0, 1, 1])
    assert run(y, np.array([0.0, 1.0, 1.0])).statistic == 0.0
    assert run(y, np.array([0.5, 0.5, 0.5])).statistic == 0.0
    assert run(y, np.array([0.0, 1.0, 0.0])).statistic == np.inf
    assert run(y, np.array([0.0, 1.0, 0.0])).pvalue == 0.02
    assert run(y, np.array([0.0, 1.0, 0.0]), null="asymptotic").pvalue == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 200])
def test_level(n):
    rng = np.random.default_rng(0)
    rejected = 0
    for seed in range(400):
        p = rng.beta(0.5, 2.0, size=n)
        y = (rng.random(n) < p).astype(int)
        rejected += run(y, p, labels=[0, 1], random_state=seed).pvalue <= 0.05
    assert rejected <= binom(400, 0.05).ppf(0.999)


def test_the_wrong_side_of_a_slope_is_found():
    """Predictions that are too extreme have a positive z, too timid ones a negative one."""
    rng = np.random.default_rng(3)
    logit = rng.normal(size=2000)
    y = rng.random(2000) < 1 / (1 + np.exp(-logit))
    for slope, sign in ((2.0, 1), (0.5, -1)):
        result = run(y, 1 / (1 + np.exp(-slope * logit)))
        assert np.sign(result.statistic) == sign
        assert result.pvalue <= 0.02


@pytest.mark.parametrize("null", ["permutation", "wild"])
def test_has_no_residuals_to_change(null):
    y, p, _ = binary_data()
    with pytest.raises(ValueError, match="changes residuals, which the statistic spiegelhalter"):
        run(y, p, null=null)
