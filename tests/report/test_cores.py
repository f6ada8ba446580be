"""A report of many rows, whose metrics share the cores, against one that goes step by step."""

import numpy as np
import pytest

from sklearn_calib import calibration_report


@pytest.mark.parametrize("weighted", [False, True])
def test_the_numbers_do_not_depend_on_the_cores(monkeypatch, weighted):
    """Ties, exact 0 and 1, and an odd number of draws in several batches."""
    rng = np.random.default_rng(0)
    p = np.concatenate([[0.0, 1.0], np.round(rng.beta(1, 3, size=598), 2)])
    y = (rng.random(600) < p).astype(int)
    options = {"n_resamples": 39, "sample_weight": rng.exponential(size=600) if weighted else None}
    alone = calibration_report(y, p, **options)
    monkeypatch.setattr("sklearn_calib.inference._nulls.simulation._MANY_LABELS", 0)
    monkeypatch.setattr("sklearn_calib.report._errors._MANY_ROWS", 0)
    together = calibration_report(y, p, **options)
    assert together.metrics == alone.metrics
    assert str(together) == str(alone)
    for name, test in alone.tests.items():
        drawn = together.tests[name].null_distribution
        np.testing.assert_array_equal(drawn, test.null_distribution)
