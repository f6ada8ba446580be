"""KS and Kuiper: values by hand, ties, weights and limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from sklearn_calib import check_calibration
from tests.inference._data import binary_data, multiclass_data


def run(name, y, p, **options):
    options = {"null": "asymptotic", "random_state": 0, **options}
    return check_calibration(y, p, statistic=name, **options)


def test_values_by_hand():
    """Residuals .8, -.5, -.9 in the order of p; partial sums .8, .3, -.6."""
    y, p = [0, 1, 0], [0.5, 0.2, 0.9]
    spread = np.sqrt(0.16 + 0.25 + 0.09)
    assert_allclose(run("ks", y, p).statistic, 0.8 / spread, rtol=1e-12)
    assert_allclose(run("kuiper", y, p).statistic, 1.4 / spread, rtol=1e-12)


def test_zero_belongs_to_the_range():
    """All sums are positive, from 0 to 1.3."""
    y, p = [1, 1], [0.5, 0.2]
    assert_allclose(run("kuiper", y, p).statistic, 1.3 / np.sqrt(0.41), rtol=1e-12)


@pytest.mark.parametrize("name", ["ks", "kuiper"])
def test_equal_predictions_have_no_order(name):
    """Four residuals of one block add up to zero, whatever their order."""
    p = np.full(4, 0.5)
    for y in ([1, 1, 0, 0], [0, 0, 1, 1]):
        assert run(name, y, p).statistic == 0.0


@pytest.mark.parametrize("name", ["ks", "kuiper"])
def test_weights(name):
    y, p = np.array([0, 1, 0]), np.array([0.5, 0.2, 0.9])
    w = np.array([1.0, 3.0, 2.0])
    sums = np.array([2.4, 1.9, 0.1])  # 3 * 0.8, then - 0.5, then - 2 * 0.9
    value = sums.max() / np.sqrt(9 * 0.16 + 0.25 + 4 * 0.09)
    for scale in (1.0, 1e300):
        assert_allclose(run(name, y, p, sample_weight=w * scale).statistic, value, rtol=1e-12)


@pytest.mark.parametrize("name", ["ks", "kuiper"])
def test_certain_and_wrong(name):
    result = run(name, [0, 1], [1.0, 1.0])
    assert (result.statistic, result.pvalue) == (np.inf, 0.0)


def test_asymptotic_pvalues():
    y, p, _ = binary_data(5000)
    for name, factor in (("ks", 4), ("kuiper", 8)):
        shifted = run(name, y, p + 0.04)
        assert shifted.statistic > 4
        assert_allclose(shifted.pvalue, factor * norm.sf(shifted.statistic), rtol=1e-4)
        simulated = run(name, y, p, null="simulation", n_resamples=500)
        assert_allclose(simulated.pvalue, run(name, y, p).pvalue, atol=0.08)


def test_the_order_of_the_top_labels():
    y, proba, _ = multiclass_data()
    top, hit = proba.max(axis=1), (proba.argmax(axis=1) == y).astype(int)
    result = run("ks", y, proba)
    assert result.target == "confidence"
    assert_allclose(result.statistic, run("ks", hit, top).statistic, rtol=1e-12)
