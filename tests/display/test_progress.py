"""Displays that draw labels show how far they are, on standard error, where they are asked to."""

import numpy as np
import pytest

from sklearn_calib import (
    CalibrationComparisonDisplay,
    GroupCalibrationDisplay,
    LocalBiasDisplay,
    ReliabilityDisplay,
)

RNG = np.random.default_rng(0)
P = RNG.uniform(0.1, 0.9, size=80)
Y = (RNG.random(80) < P).astype(int)
X = RNG.normal(size=(80, 1))
OPTIONS = {"n_resamples": 19, "alpha": 0.1}
DRAWS = {
    ReliabilityDisplay: lambda **o: ReliabilityDisplay.from_predictions(
        Y, P, strategy="isotonic", **OPTIONS, **o
    ),
    CalibrationComparisonDisplay: lambda **o: CalibrationComparisonDisplay.from_predictions(
        Y, {"a": P, "b": P**2}, strategy="isotonic", **OPTIONS, **o
    ),
    GroupCalibrationDisplay: lambda **o: GroupCalibrationDisplay.from_predictions(
        Y, P, X[:, 0] > 0, **OPTIONS, **o
    ),
    LocalBiasDisplay: lambda **o: LocalBiasDisplay.from_predictions(Y, P, X, **OPTIONS, **o),
}


@pytest.mark.parametrize("display", DRAWS)
def test_progress_of_the_draws_is_shown(display, capsys):
    DRAWS[display]()
    assert capsys.readouterr() == ("", "")
    DRAWS[display](verbose=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "19 of 19 draws" in err
