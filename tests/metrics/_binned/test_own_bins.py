"""Edges given by the user, the automatic number of bins, and bins within predicted classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_calib import ReliabilityDisplay, calibration_report, check_calibration
from sklearn_calib._data.bins import automatic_count
from sklearn_calib.metrics import (
    average_calibration_error,
    calibration_bins,
    ece,
    make_calibration_scorer,
    mce,
)
from tests.metrics._cases import close

Y, P = [0, 0, 1, 1, 1, 0], [0.12, 0.31, 0.38, 0.55, 0.72, 0.91]
ALL = [ece, mce, average_calibration_error]
P4 = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.5, 0.25, 0.25]])
Y4 = [0, 1, 1, 2]


def test_own_edges_by_hand():
    """Below 0.35 lie two rows at 0.215 without events, above it four at 0.64 with three."""
    edges = [0, 0.35, 1]
    close(ece(Y, P, bins=edges), 1 / 3 * 0.215 + 2 / 3 * 0.11)
    close(mce(Y, P, bins=edges), 0.215)
    close(average_calibration_error(Y, P, bins=edges), (0.215 + 0.11) / 2)
    table = calibration_bins(Y, P, bins=edges)
    assert table.edges.tolist() == edges
    assert table.count.tolist() == [2, 4]
    assert_allclose(table.prob_true, [0, 0.75])


@pytest.mark.parametrize("closed", ["left", "right"])
def test_the_edges_of_uniform_bins_give_uniform_bins(closed):
    rng = np.random.default_rng(0)
    p = rng.integers(0, 11, 200) / 10
    y = rng.integers(0, 2, 200)
    for metric in ALL:
        expected = metric(y, p, n_bins=10, closed=closed)
        assert metric(y, p, bins=np.arange(11) / 10, closed=closed) == expected
        assert metric(y, p, bins=(np.arange(11) / 10).tolist(), closed=closed) == expected


def test_a_value_on_an_own_edge_follows_closed():
    table = calibration_bins([0, 1], [0.35, 0.5], bins=[0, 0.35, 1])
    assert table.count.tolist() == [0, 2]
    table = calibration_bins([0, 1], [0.35, 0.5], bins=[0, 0.35, 1], closed="right")
    assert table.count.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("n", "count"), [(1, 1), (2, 2), (8, 2), (9, 3), (64, 4), (65, 5), (1000, 10), (1001, 11)]
)
def test_the_automatic_number_is_the_cube_root_rounded_up(n, count):
    assert automatic_count(n) == count
    rng = np.random.default_rng(0)
    p, y = rng.random(n), rng.integers(0, 2, n)
    for strategy in ("uniform", "quantile"):
        options = {"strategy": strategy}
        assert calibration_bins(y, p, n_bins="auto", **options).count.size == count
        for metric in ALL:
            assert metric(y, p, n_bins="auto", **options) == metric(y, p, n_bins=count, **options)


def test_every_cube_is_recognised():
    assert [automatic_count(k**3) for k in range(1, 300)] == list(range(1, 300))


def test_weights_count_by_their_effective_number():
    rng = np.random.default_rng(0)
    p, y = rng.random(64), rng.integers(0, 2, 64)
    for scale in (0.1, 7.0, 1e-200, 1e200):
        table = calibration_bins(y, p, n_bins="auto", sample_weight=np.full(64, scale))
        assert table.count.size == 4
    weight = np.r_[np.ones(8), np.full(56, 1e-9)]
    assert calibration_bins(y, p, n_bins="auto", sample_weight=weight).count.size == 3


def test_everything_that_has_bins_takes_them():
    rng = np.random.default_rng(0)
    p = rng.random(100)
    y = (rng.random(100) < p).astype(int)
    display = ReliabilityDisplay.from_predictions(y, p, bins=[0, 0.2, 0.7, 1], n_resamples=19)
    assert_array_equal(display.bin_edges, [[0, 0.2], [0.2, 0.7], [0.7, 1]])
    assert display.ece == ece(y, p, bins=[0, 0.2, 0.7, 1])
    display = ReliabilityDisplay.from_predictions(y, p, n_bins="auto", n_resamples=19)
    assert len(display.prob_true) == 5
    report = calibration_report(y, p, n_bins="auto", n_resamples=19, alpha=0.1)
    assert report.to_frame().loc["ece", "value"] == ece(y, p, n_bins=5)
    params = {"bins": [0, 0.2, 0.7, 1], "debiased": True}
    test = check_calibration(y, p, statistic="ece", statistic_params=params, n_resamples=19)
    assert test.statistic == ece(y, p, **params)
    make_calibration_scorer(ece, bins=[0, 0.2, 0.7, 1], debiased=True)


def test_the_effect_of_a_square_is_its_root():
    p = np.full(50, 0.5)
    y = np.repeat([0, 1], [10, 40])
    params = {"debiased": True, "squared": True}
    test = check_calibration(y, p, statistic="ece", statistic_params=params, n_resamples=19)
    close(test.effect_size, ece(y, p, debiased=True))


def test_top_label_by_hand():
    """Class 0 is predicted at 0.6 (right) and 0.5 (wrong), class 1 at 0.5 (right), 2 at 0.7."""
    options = {"target": "top_label", "n_bins": 1}
    gaps = [0.05, 0.5, 0.7]
    close(ece(Y4, P4, **options), 0.5 * gaps[0] + 0.25 * gaps[1] + 0.25 * gaps[2])
    close(mce(Y4, P4, **options), 0.7)
    close(average_calibration_error(Y4, P4, **options), sum(gaps) / 3)
    close(ece(Y4, P4, norm="l2", squared=True, **options), 0.5 * 0.05**2 + 0.25 * (0.25 + 0.49))
    fine = {"target": "top_label", "bins": [0, 0.55, 1]}
    close(ece(Y4, P4, **fine), 0.25 * (0.4 + 0.5 + 0.5 + 0.7))
    table = calibration_bins(Y4, P4, **fine)
    assert table.count.tolist() == [[1, 1], [1, 0], [0, 1]]


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_top_label_is_the_weighted_mean_over_the_predicted_classes(strategy):
    rng = np.random.default_rng(3)
    proba = rng.dirichlet(np.ones(4), size=80)
    y = rng.integers(0, 4, 80)
    weight = rng.uniform(0.5, 2.0, 80)
    top = proba.argmax(axis=1)
    total = largest = 0.0
    for k in range(4):
        rows = top == k
        data = {"n_bins": 3, "strategy": strategy, "sample_weight": weight[rows]}
        hit = (y[rows] == k).astype(int)
        total += weight[rows].sum() / weight.sum() * ece(hit, proba[rows, k], **data)
        largest = max(largest, mce(hit, proba[rows, k], **data))
    options = {"n_bins": 3, "strategy": strategy, "sample_weight": weight, "target": "top_label"}
    close(ece(y, proba, **options), total)
    close(mce(y, proba, **options), largest)


def test_top_label_is_stricter_than_confidence_and_leaves_out_classes_never_predicted():
    """Both classes are given 0.75 where they are largest; one happens always, one half the time."""
    proba = np.repeat([[0.75, 0.25, 0.0], [0.25, 0.75, 0.0]], 4, axis=0)
    y = np.array([0, 0, 0, 0, 1, 1, 0, 0])
    for strategy in ("uniform", "quantile"):
        options = {"labels": [0, 1, 2], "strategy": strategy}
        assert ece(y, proba, target="confidence", **options) == 0.0
        close(ece(y, proba, target="top_label", **options), 0.25)
        table = calibration_bins(y, proba, n_bins=2, target="top_label", **options)
        assert table.count.sum(axis=1).tolist() == [4, 4, 0]


@pytest.mark.parametrize("weight", [None, np.full(4, 2.0)])
def test_a_class_that_is_never_predicted_takes_no_part_in_the_correction(weight):
    """One bin of two rows a class: gap 0.05, variance 0.25 / 1, and gap 0.25, 0.25 / 1."""
    proba = np.array([[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.1, 0.8, 0.1]])
    options = {"target": "top_label", "debiased": True, "norm": "l2", "squared": True, "n_bins": 1}
    value = ece([0, 1, 1, 2], proba, sample_weight=weight, **options)
    close(value, 0.5 * (0.05**2 - 0.25) + 0.5 * (0.25**2 - 0.25))


def test_top_label_of_two_classes_separates_the_predicted_ones():
    p = np.array([0.2, 0.2, 0.8, 0.8])
    y = np.array([1, 0, 1, 1])
    close(ece(y, p, target="top_label", n_bins=1), 0.5 * 0.3 + 0.5 * 0.2)
    close(ece(y, np.column_stack([1 - p, p]), target="top_label", n_bins=1), 0.25)
