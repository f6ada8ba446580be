"""Calibrators of log odds take probabilities as well."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.special import logit

from sklearn_calib.calibrators import PlattCalibrator, TemperatureCalibrator
from tests.calibrators._samples import sample


def test_probabilities_are_turned_into_log_odds():
    p, y, weight = sample(0, ends=True)
    z = logit(np.clip(p, np.finfo(float).eps, 1 - np.finfo(float).eps))
    for kind in (PlattCalibrator, TemperatureCalibrator):
        expected = kind().fit(z, y, weight).predict_proba(z)
        assert kind().input_scale in ("score", "logit")
        for S in (p, np.column_stack([1 - p, p])):
            calibrator = kind(input="probability").fit(S, y, weight)
            assert calibrator.input_scale == "probability"
            assert_allclose(calibrator.predict_proba(S), expected, rtol=0, atol=1e-12)
