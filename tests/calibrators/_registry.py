"""Every calibrator that the common tests run on: one line each.

A test fails as long as a public calibrator is not here.
"""

import pytest

from sklearn_calib.calibrators import (
    AdaptiveCalibrator,
    BetaCalibrator,
    CenteredIsotonicCalibrator,
    DirichletCalibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    KernelRecalibrator,
    MatrixScalingCalibrator,
    OneVsRestCalibrator,
    PlattCalibrator,
    PriorShiftCalibrator,
    ScalingBinningCalibrator,
    TemperatureCalibrator,
    VectorScalingCalibrator,
    VennAbersCalibrator,
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
    BetaCalibrator(parameters="a"),
    BetaCalibrator(smooth=True),
    IsotonicCalibrator(pseudo_count=1.0),
    HistogramCalibrator(pseudo_count=0.5),
    CenteredIsotonicCalibrator(),
    VennAbersCalibrator(),
    ScalingBinningCalibrator(),
    ScalingBinningCalibrator(input="native", n_bins=4),
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
    PriorShiftCalibrator(),
    AdaptiveCalibrator(),
    AdaptiveCalibrator(structure=["slope", "bias"]),
]

# Small and quick: what is tested over the registry does not depend on how well they are trained.
FEATURE_CALIBRATORS = [
    KernelRecalibrator(hidden_layer_sizes=(4,), n_networks=2, n_iter_no_change=40, random_state=0),
]

# A weight repeats a row and the order of the rows does not matter, unless rows are drawn in `fit`.
DETERMINISTIC_CALIBRATORS = BINARY_CALIBRATORS + MULTICLASS_CALIBRATORS
CALIBRATORS = DETERMINISTIC_CALIBRATORS + FEATURE_CALIBRATORS

# The binary calibrators that take probabilities, by the name of the method.
PROBABILITY_CALIBRATORS = {
    "platt": PlattCalibrator(input="probability"),
    "beta": BetaCalibrator(),
    "isotonic": IsotonicCalibrator(),
    "histogram": HistogramCalibrator(),
    "temperature": TemperatureCalibrator(input="probability"),
}
each_method = pytest.mark.parametrize("method", PROBABILITY_CALIBRATORS)
