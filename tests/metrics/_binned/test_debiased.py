"""The debiased error against other software, by hand, in the mean, and with weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.metrics import ece
from tests._reference import parametrize_cases
from tests.metrics._cases import BINNED, close, reference_data


@parametrize_cases("ece_debiased")
def test_other_software(case):
    """Its bins are closed on the right and end half way between neighbours."""
    y, p, options = reference_data(case, None)
    options |= {"bins": [0.0, *case["expected"]["upper_edges"][:-1], 1.0], "closed": "right"}
    squared = ece(y, p, debiased=True, squared=True, **options)
    assert_allclose(squared, case["expected"]["debiased_squared"], **BINNED)
    root = ece(y, p, debiased=True, **options)
    assert_allclose(root, case["expected"]["debiased_root"], rtol=0, atol=1e-9)
    assert_allclose(ece(y, p, **options), case["expected"]["plugin_l1"], **BINNED)
    assert_allclose(ece(y, p, norm="l2", **options), case["expected"]["plugin_l2"], **BINNED)


def test_by_hand():
    """Four rows at 0.5 of which three are events, one row at 0.9, two at 0.1 without events."""
    y, p = [1, 1, 1, 0, 0, 0, 0], [0.5] * 4 + [0.9, 0.1, 0.1]
    expected = 4 / 7 * (0.25**2 - 0.75 * 0.25 / 3) + 1 / 7 * 0.0 + 2 / 7 * 0.1**2
    close(ece(y, p, n_bins=5, debiased=True, squared=True), expected)
    close(ece(y, p, n_bins=5, debiased=True), np.sqrt(expected))
    close(ece(y, p, n_bins=5, norm="l2", debiased=True), np.sqrt(expected))
    plain = 4 / 7 * 0.25**2 + 1 / 7 * 0.9**2 + 2 / 7 * 0.1**2
    close(ece(y, p, n_bins=5, squared=True), plain)
    close(ece(y, p, n_bins=5, norm="l2", squared=True), plain)


def test_one_row_a_bin_leaves_nothing_and_a_negative_square_has_root_zero():
    assert ece([0, 1], [0.1, 0.2], n_bins=10, debiased=True, squared=True) == 0.0
    y, p = [0, 1, 0, 1], [0.5] * 4
    close(ece(y, p, debiased=True, squared=True), -0.25 / 3)
    assert ece(y, p, debiased=True) == 0.0


@pytest.mark.parametrize("weighted", [False, True])
def test_the_square_is_unbiased(weighted):
    """Over all labels of five rows in two bins, with rates that differ from the probabilities."""
    p = np.array([0.25, 0.25, 0.25, 0.75, 0.75])
    weight = np.array([1.0, 2.0, 0.5, 1.0, 3.0]) if weighted else np.ones(5)
    rates = np.array([0.4, 0.4, 0.4, 0.9, 0.9])
    mean = 0.0
    for number in range(32):
        y = np.array([number >> k & 1 for k in range(5)])
        chance = np.prod(np.where(y == 1, rates, 1 - rates))
        mean += chance * ece(y, p, n_bins=2, debiased=True, squared=True, sample_weight=weight)
    share = weight[:3].sum() / weight.sum()
    close(mean, share * 0.15**2 + (1 - share) * 0.15**2)


def test_rates_that_differ_within_a_bin_take_off_their_variance():
    """Over all labels of four calibrated rows in one bin: minus the variance of p over four."""
    p = np.array([0.1, 0.3, 0.6, 0.9])
    mean = 0.0
    for number in range(16):
        y = np.array([number >> k & 1 for k in range(4)])
        chance = np.prod(np.where(y == 1, p, 1 - p))
        mean += chance * ece(y, p, n_bins=1, debiased=True, squared=True)
    close(mean, -np.var(p, ddof=1) / 4)


def test_weights_count_by_their_effective_number():
    """Weights 1, 1, 2 are 16 / 6 rows; only their ratios matter."""
    y, p, w = [1, 0, 1], [0.5, 0.5, 0.5], np.array([1.0, 1.0, 2.0])
    expected = 0.25**2 - 0.75 * 0.25 / (16 / 6 - 1)
    for scale in (1.0, 1e-200, 1e200):
        close(ece(y, p, debiased=True, squared=True, sample_weight=scale * w), expected)
    copies = ece([1, 0, 1, 1], [0.5] * 4, debiased=True, squared=True)
    assert copies > expected
    assert ece(y, p, debiased=True, sample_weight=[1, 0, 0]) == 0.0


def test_classes_average_squares():
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), size=50)
    y = rng.integers(0, 3, 50)
    each = [ece(y == k, P[:, k], debiased=True, squared=True) for k in range(3)]
    options = {"debiased": True, "target": "classwise"}
    close(ece(y, P, squared=True, **options), np.mean(each))
    close(ece(y, P, **options), np.sqrt(np.mean(each)))
