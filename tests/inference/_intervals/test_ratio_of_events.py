"""The interval of the ratio of observed to expected events, also where every row has the event."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

from sklearn_calib.inference import calibration_ci

Z = norm.ppf(0.975)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 10, 500])
@pytest.mark.parametrize("p", [1e-9, 0.1, 0.3, 0.7, 1.0])
def test_every_row_has_the_event(p, n):
    """No ratio is larger than that of certain events, and the other end is that of Wilson."""
    result = calibration_ci(
        np.ones(n, int), np.full(n, p), metric="observed_expected_ratio", labels=[0, 1]
    )
    low = n / (n + Z**2) if n > Z**2 else 0.0
    assert_allclose([result.low, result.high], [low / p, 1.0 / p], rtol=1e-9)


def test_no_row_has_the_event():
    result = calibration_ci(np.zeros(10, int), np.full(10, 0.3), metric="observed_expected_ratio")
    assert_allclose([result.low, result.high], [0.0, Z**2 / (10 + Z**2) / 0.3], rtol=1e-9)


def test_the_interval_holds_its_estimate_for_any_few_rows():
    rng = np.random.default_rng(0)
    for _ in range(60):
        n = rng.integers(1, 12)
        p = rng.choice([0.0, 0.1, 0.25, 0.7, 1.0], n)
        p[0] = 0.3
        y = np.full(n, rng.integers(2)) if rng.random() < 0.7 else rng.integers(2, size=n)
        w = rng.choice([0.1, 1.0, 3.0, 1e-9, 1e12], n)
        options = {"metric": "observed_expected_ratio", "sample_weight": w, "labels": [0, 1]}
        made = calibration_ci(y, p, **options)
        most = w.sum() / (w @ p) * (1 + 1e-12)
        assert 0.0 <= made.low <= made.estimate * (1 + 1e-12)
        assert made.estimate <= made.high * (1 + 1e-12) <= most * (1 + 1e-12)
