"""Seeded level and power of the tests, with gates that are tested on a broken null themselves."""

import numpy as np
import pytest

from benchmarks._shapes import SHAPES
from benchmarks.band_study import flagged_rate, found_rate
from benchmarks.level_study import bounds, rejection_rate
from benchmarks.power_study import power
from sklearn_calib.inference import check_calibration
from sklearn_calib.inference._local import band as _bias_band
from sklearn_calib.inference._nulls import simulation

pytestmark = pytest.mark.slow

N_REPEATS = 300
LOW, HIGH = bounds(N_REPEATS)


def _rate(shape, local, null="simulation"):
    return rejection_rate(shape, 50, local, null, N_REPEATS, n_resamples=99)


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_simulation_holds_its_level(shape, local):
    rate = _rate(shape, local)
    assert rate <= HIGH
    if shape != "rare events":  # where few label vectors are likely, ties make it conservative
        assert rate >= LOW


def _too_even_labels(rng, proba, n_draws):
    """Draw labels with the right rates that are not independent: sums vary too little."""
    n = len(proba)
    ranks = rng.permuted(np.tile(np.arange(n), (n_draws, 1)), axis=1)
    uniform = (ranks + rng.random((n_draws, n))) / n
    return (uniform < proba[:, 1]).T.astype(np.int8)


def test_the_gate_catches_a_broken_null(monkeypatch):
    monkeypatch.setattr(simulation, "draw_labels", _too_even_labels)
    assert _rate("uniform", local=False) > HIGH


def test_the_gate_catches_permutation_and_wild():
    assert _rate("tight uncertain cluster", True, "permutation") > HIGH
    assert _rate("rare events", True, "wild") > HIGH


def test_low_rank_holds_its_level():
    """Data and draws share the approximation, however coarse; here a tight cluster."""
    rate = rejection_rate(
        "tight uncertain cluster",
        50,
        True,
        "simulation",
        100,
        n_resamples=99,
        options={"algorithm": "low_rank"},
    )
    low, high = bounds(100)
    assert low <= rate <= high


def test_a_binned_statistic_holds_its_level():
    for statistic in ("ece", "mce", "average_calibration_error"):
        rate = rejection_rate(
            "uniform",
            50,
            False,
            "simulation",
            N_REPEATS,
            n_resamples=99,
            options={"statistic": statistic},
        )
        assert rate <= HIGH


def test_bernoulli_predictions_with_a_threshold_in_the_feature():
    """Labels drawn afresh keep the level where permuting residuals rejects too often."""
    rejected = 0
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        x = rng.random(100)
        p = np.where(x > 0.6, 0.5, 0.02)
        y = (rng.random(100) < p).astype(int)
        rejected += check_calibration(y, p, x, n_resamples=99, random_state=rng).pvalue <= 0.05
    assert rejected / 1000 <= 0.07


def test_power_on_a_uniform_shift():
    local = power("uniform shift of 0.1", True, "simulation", N_REPEATS)
    assert local >= 0.65
    assert power("uniform shift of 0.1", False, "simulation", N_REPEATS) >= 0.75
    assert power("uniform shift of 0.1", True, "permutation", N_REPEATS) <= HIGH


def test_power_on_one_sided_errors_is_not_below_permutation():
    simulation = power("one-sided, 0.15", True, "simulation", 100)
    assert simulation >= power("one-sided, 0.15", True, "permutation", 100)


@pytest.mark.parametrize(
    "shape", ["uniform", "tight uncertain cluster", "correlated features", "3 classes"]
)
def test_band_holds_its_level(shape):
    assert flagged_rate(shape, 50, N_REPEATS, n_resamples=99) <= HIGH


def test_band_gate_catches_a_pointwise_band(monkeypatch):
    monkeypatch.setattr(_bias_band, "_critical_values", lambda *_: (1.96, None))
    assert flagged_rate("uniform", 50, N_REPEATS, n_resamples=99) > HIGH


def test_band_finds_a_wrong_region():
    found, outside = found_rate(60)
    assert found >= 0.7
    assert outside <= 0.05
