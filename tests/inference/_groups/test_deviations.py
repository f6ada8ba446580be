"""Deviations of groups and their p-values by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib.inference._groups import deviations
from sklearn_calib.inference._groups.deviations import Deviations, FamilyWise, simulate_family


def test_the_deviation_is_the_signed_root_of_the_binomial_deviance():
    """Ten and twenty equal rows of the rates 0.3 and 0.5, of which all and none have the event."""
    total, rate = np.array([10.0, 20.0]), np.array([[0.3], [0.5]])
    expected = total[:, np.newaxis] * rate
    made = Deviations(total, expected, expected * (1 - rate))
    assert_allclose(made.rate, rate)
    found = made.of(np.array([[[4.0, 3.0, 10.0]], [[0.0, 10.0, 15.0]]]))[:, 0]

    def root(observed, p, n):
        terms = [n * q * np.log(q / r) for q, r in ((observed, p), (1 - observed, 1 - p)) if q]
        return np.sign(observed - p) * np.sqrt(2 * max(sum(terms), 0.0))

    assert_allclose(found[0], [root(one, 0.3, 10) for one in (0.4, 0.3, 1.0)], atol=1e-7)
    assert_allclose(found[1], [root(one, 0.5, 20) for one in (0.0, 0.5, 0.75)], atol=1e-7)
    assert found[1, 0] == pytest.approx(-np.sqrt(2 * 20 * np.log(2)))


def test_predictions_that_are_certain_deviate_by_nothing_or_infinitely():
    made = Deviations(np.array([4.0]), np.array([[4.0]]), np.array([[0.0]]))
    assert made.of(np.array([[[4.0, 3.0]]])).tolist() == [[[0.0, -np.inf]]]


def test_certain_predictions_beside_uncertain_ones_deviate_as_they_do_alone():
    total = np.array([4.0, 10.0, 3.0])
    expected, variance = np.array([[0.0], [3.0], [3.0]]), np.array([[0.0], [2.1], [0.0]])
    hits = np.array([[[0.0, 1.0]], [[3.0, 5.0]], [[3.0, 2.0]]])
    found = Deviations(total, expected, variance).of(hits)[:, 0]
    assert found[0].tolist() == [0.0, np.inf]
    assert found[2].tolist() == [0.0, -np.inf]
    gain = 0.5 * np.log(0.5 / 0.3) + 0.5 * np.log(0.5 / 0.7)
    assert_allclose(found[1], [0.0, np.sqrt(2 * 10 * gain)], atol=1e-7)


def test_pvalues_and_critical_values_count_the_draws():
    family = FamilyWise(None, None, np.array([3.0, 1.0, 4.0, 2.0]))
    found = [family.single_step(one) for one in (0.5, 1.0, -2.0, 2.5, 4.0, 4.1)]
    assert found == pytest.approx([1.0, 1.0, 0.8, 0.6, 0.4, 0.2])
    critical = [family.critical_value(alpha) for alpha in (0.19, 0.2, 0.39, 0.4, 0.6)]
    assert critical == [np.inf, 4.0, 4.0, 3.0, 2.0]


@pytest.mark.parametrize("cells", [1, 1000])
def test_the_step_down_counts_draws_that_equal_a_deviation(cells, monkeypatch):
    """Of the larger one against the largest of both, then of the smaller one against its own."""
    monkeypatch.setattr(deviations, "_BATCH_CELLS", cells)
    drawn = np.array(
        [[[0.5, 0.1, 0.6, -0.5]], [[2.0, 0.5, 0.1, 0.0]], [[0.2, 1.0, -1.0, 0.0]], [[9.0] * 4]]
    )
    evidence = SimpleNamespace(
        n_entries=1,
        measure=SimpleNamespace(of=lambda hits: hits),
        drawing=lambda rng: lambda start, stop: drawn[:, :, start:stop],
    )
    observed, tested = np.array([[0.5], [-2.0], [1.0], [5.0]]), np.array([False, True, True, False])
    told = []
    say = SimpleNamespace(count=lambda *numbers: told.append(numbers))
    made = simulate_family(evidence, observed, tested, 4, None, say)
    assert made.pvalue[1:3, 0] == pytest.approx([0.4, 0.6])
    assert np.isnan(made.pvalue[[0, 3]]).all()
    assert made.overall == pytest.approx([0.8])
    assert made.maxima.tolist() == [0.0, 1.0, 1.0, 2.0]
    assert told[-1] == (4, 4, "draws")
