"""Every calibrator that the common tests run on: one line each."""

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
