"""Every calibrator that the common tests run on: one line each."""

from sklearn_calib.calibrators import (
    BetaCalibrator,
    DirichletCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    MatrixScalingCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
    VectorScalingCalibrator,
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
    TemperatureCalibrator(),
    TemperatureCalibrator(input="probability"),
    VectorScalingCalibrator(),
    VectorScalingCalibrator(input="native"),
    MatrixScalingCalibrator(),
    MatrixScalingCalibrator(input="native"),
    DirichletCalibrator(),
    DirichletCalibrator(reg_lambda=0.01, eps=1e-12),
]

CALIBRATORS = BINARY_CALIBRATORS + MULTICLASS_CALIBRATORS
