"""Every calibrator that the common tests run on: one line each."""

import pytest

from sklearn_calib.calibrators import (
    BetaCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
)

BINARY_CALIBRATORS = [
    PlattCalibrator(),
    PlattCalibrator(input="probability"),
    BetaCalibrator(),
    BetaCalibrator(monotone=False),
    BetaCalibrator(parameters="am"),
    BetaCalibrator(parameters="ab"),
    IsotonicCalibrator(),
    HistogramCalibrator(),
    HistogramCalibrator(strategy="quantile"),
    TemperatureCalibrator(),
    TemperatureCalibrator(input="probability"),
]

MULTICLASS_CALIBRATORS = [
    OneVsRestCalibrator("platt"),
    OneVsRestCalibrator("platt", input="probability"),
    OneVsRestCalibrator("beta"),
    OneVsRestCalibrator(),
    OneVsRestCalibrator("histogram"),
    OneVsRestCalibrator("temperature"),
    OneVsRestCalibrator("temperature", input="probability"),
    OneVsRestCalibrator(HistogramCalibrator(n_bins=5, strategy="quantile")),
]

CALIBRATORS = BINARY_CALIBRATORS + MULTICLASS_CALIBRATORS

# The binary calibrators that take probabilities, by the name of the method.
PROBABILITY_CALIBRATORS = {
    "platt": PlattCalibrator(input="probability"),
    "beta": BetaCalibrator(),
    "isotonic": IsotonicCalibrator(),
    "histogram": HistogramCalibrator(),
    "temperature": TemperatureCalibrator(input="probability"),
}
each_method = pytest.mark.parametrize("method", PROBABILITY_CALIBRATORS)
