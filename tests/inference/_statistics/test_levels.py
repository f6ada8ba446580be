"""The level of statistics with drawn labels, on shapes of predictions that are known to be hard."""

import numpy as np
import pytest

from benchmarks._shapes import SHAPES
from benchmarks.asymptotic_study import STATISTICS, rejection_rates
from benchmarks.level_study import bounds
from sklearn_calib.inference._statistics.cox_likelihood_ratio import LikelihoodRatio

pytestmark = pytest.mark.slow

N_PREDICTIONS = 15


@pytest.mark.parametrize("n", [20])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", [*STATISTICS, "miscalibration"])
def test_drawn_labels_hold_the_level(name, shape, n):
    _, simulated = rejection_rates(shape, n, name, N_PREDICTIONS)
    assert simulated <= bounds(N_PREDICTIONS * 20, 0.9999)[1]


@pytest.mark.parametrize("name", STATISTICS)
def test_asymptotic_forms_hold_the_level_for_many_rows_and_easy_shapes(name):
    asymptotic, _ = rejection_rates("uniform", 5000, name, 8)
    assert asymptotic <= bounds(400, 0.9999)[1]


def test_the_gate_catches_a_statistic_that_favours_the_data(monkeypatch):
    """A value that is larger for the first column than for equal labels elsewhere."""
    value = LikelihoodRatio.__call__

    def favoured(self, codes):
        values = value(self, codes)
        values[:40] += 3.0
        return values

    monkeypatch.setattr(LikelihoodRatio, "__call__", favoured)
    _, simulated = rejection_rates("uniform", 50, "cox_likelihood_ratio", N_PREDICTIONS)
    assert simulated > bounds(N_PREDICTIONS * 20, 0.9999)[1]


def test_the_gate_sees_where_an_asymptotic_form_fails():
    asymptotic, _ = rejection_rates("rare events", 50, "spiegelhalter", N_PREDICTIONS)
    assert not np.isnan(asymptotic)
    assert np.isnan(rejection_rates("uniform", 20, "miscalibration", 1)[0])
