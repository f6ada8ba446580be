"""Calibrators of log odds take probabilities as well."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.special import logit

from sklearn_calib._utils.links import lift
from sklearn_calib.calibrators import (
    PlattCalibrator,
    TemperatureCalibrator,
)
from tests.calibrators._samples import sample


def test_probabilities_are_turned_into_log_odds():
    p, y, weight = sample(0, ends=True)
    assert p.min() == 0.0
    assert np.minimum(p, 1 - p)[(p > 0) & (p < 1)].min() == 0.02
    z = logit(np.clip(p, 0.01, 0.99))  # exact 0 and 1 are half the smallest distance away
    for kind in (PlattCalibrator, TemperatureCalibrator):
        expected = kind().fit(z, y, weight).predict_proba(z)
        assert kind().input_scale in ("score", "log_probability")
        for S in (p, np.column_stack([1 - p, p])):
            calibrator = kind(input="probability").fit(S, y, weight)
            assert calibrator.input_scale == "probability"
            assert_allclose(calibrator.predict_proba(S), expected, rtol=0, atol=1e-12)


def test_probabilities_closer_to_zero_and_one_than_in_fit_keep_their_order():
    p, y, _ = sample(0, ends=True)
    for kind in (PlattCalibrator, TemperatureCalibrator):
        calibrator = kind(input="probability").fit(p, y)
        assert calibrator.floor_ == 0.01
        queries = np.r_[0.0, 1e-3, 5e-3, 1e-2, 0.0199, 0.02, 0.021]
        queries = np.r_[queries, 1 - queries[::-1]]
        steps = np.diff(calibrator.predict_proba(queries)[:, 1])
        assert (steps > 0).all()


def test_lifted_distances_by_hand():
    assert_allclose(
        lift(np.array([0.0, 0.01, 0.02, 0.5, 0.99, 1.0]), 0.01),
        [0.01, 0.0125, 0.02, 0.5, 0.9875, 0.99],
        rtol=1e-15,
    )
