"""Which labels are drawn for the power with a number of rows, and how many."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.inference._sample_size import simulated_power
from sklearn_calib.inference._sample_size.pilot import Pilot, Truth


@pytest.fixture
def drawn(monkeypatch):
    """The probabilities from which labels are drawn and the number of draws, call by call."""
    calls, draw = [], simulated_power.draw_labels

    def draw_labels(rng, proba, n_draws):
        calls.append((proba.copy(), n_draws))
        return draw(rng, proba, n_draws)

    monkeypatch.setattr(simulated_power, "draw_labels", draw_labels)
    return calls


def planned(proba, truth, alpha=0.05):
    rng = np.random.default_rng(0)
    return simulated_power._PlannedTest(Pilot(np.array(proba)), truth, "ece", None, alpha, rng)


def three_classes(proba):
    return proba + np.array([0.1, -0.06, -0.04])


def two_of_three(proba):
    return proba + np.array([0.3, 0.0, -0.3])


@pytest.mark.parametrize(
    ("proba", "truth", "expected"),
    [
        ([0.2, 0.2], Truth(0.1), [0.6, 0.4]),
        ([0.05, 0.05], Truth(-0.04), [1.0, 0.0]),
        ([0.95, 0.95], Truth(0.04), [0.0, 1.0]),
        ([[0.6, 0.1, 0.3]] * 2, two_of_three, np.array([1.0, 0.1, 0.0]) / 1.1),
        ([[0.6, 0.35, 0.05]] * 2, three_classes, np.array([0.8, 0.23, 0.0]) / 1.03),
    ],
)
def test_a_quarter_of_the_rows_has_twice_the_error_within_the_simplex(
    monkeypatch, drawn, proba, truth, expected
):
    monkeypatch.setattr(simulated_power, "_MOST", 30)
    monkeypatch.setattr(simulated_power, "_MOST_EVENTS", 1)
    test = planned(proba, truth)
    assert test.most == 30
    test.power(120)
    (null, _), (other, _) = drawn
    assert len(null) == len(other) == 30
    assert_allclose(null, test.pilot.rows(30), rtol=1e-15)
    assert_allclose(other, np.tile(expected, (30, 1)), rtol=1e-12, atol=1e-15)


def test_fewer_rows_than_the_limit_are_drawn_from_the_truth(monkeypatch, drawn):
    monkeypatch.setattr(simulated_power, "_MOST", 30)
    planned([0.2, 0.2], Truth(0.1)).power(30)
    assert_allclose(drawn[1][0][:, 1], np.full(30, 0.3), rtol=1e-14)


@pytest.mark.parametrize(
    ("n_rows", "alpha", "n_draws", "n_null"),
    [(30, 0.05, 1000, 999), (50, 0.05, 800, 799), (80, 0.03, 500, 833), (400, 0.05, 100, 199)],
)
def test_draws_become_fewer_with_the_rows(monkeypatch, drawn, n_rows, alpha, n_draws, n_null):
    """One in 20 of the draws is the number of draws of the null beyond the critical value."""
    monkeypatch.setattr(simulated_power, "_CELLS_OF_DRAWS", 40_000)
    share, found = planned([0.2, 0.2], Truth(0.1), alpha).power(n_rows)
    assert found == n_draws
    assert [count for _, count in drawn] == [n_null, n_draws]
    assert 0.0 < share < 1.0


def test_large_samples_hold_500_events():
    assert planned([0.5, 0.5], Truth(0.1)).most == 100_000
    assert planned([0.001, 0.001], Truth(0.1)).most == int(500 / (2 * 0.001 * 0.999))
    assert planned([1.0, 1.0], Truth(-0.1)).most == pytest.approx(5e7, rel=1e-6)
