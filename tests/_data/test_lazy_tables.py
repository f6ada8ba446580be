"""A lazy table of polars has no rows yet; whoever passes one is told to collect them."""

import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import sklearn_calib as sc
from sklearn_calib.calibrators import CalibratedClassifier, PlattCalibrator
from sklearn_calib.streaming import CalibrationState

polars = pytest.importorskip("polars")

Y, P = [0, 1, 1] * 10, [0.1, 0.2, 0.9] * 10
X = np.array(P)[:, np.newaxis]
LAZY = polars.DataFrame({"a": P}).lazy()


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("y_true", lambda: sc.ece(LAZY, P)),
        ("y_proba", lambda: sc.ece(Y, LAZY)),
        ("sample_weight", lambda: sc.ece(Y, P, sample_weight=LAZY)),
        ("X", lambda: sc.local_calibration_bias(Y, P, LAZY)),
        ("groups", lambda: sc.calibration_by_group(Y, P, groups=LAZY)),
        ("groups['site']", lambda: sc.calibration_by_group(Y, P, groups={"site": LAZY})),
        ("y_probas", lambda: sc.compare_calibration(Y, LAZY)),
        ("y_proba", lambda: sc.compare_calibration(Y, [P, LAZY])),
        ("y_proba", lambda: CalibrationState("ece").update(Y, LAZY)),
        ("S", lambda: PlattCalibrator().fit(LAZY, Y)),
        ("y", lambda: PlattCalibrator().fit(P, LAZY)),
        ("S", lambda: PlattCalibrator().fit(X * 2, Y).predict_proba(LAZY)),
        ("S", lambda: sc.KernelRecalibrator().fit(LAZY, Y)),
        ("y", lambda: sc.KernelRecalibrator().fit(P, LAZY)),
        ("X", lambda: CalibratedClassifier(LogisticRegression()).fit(LAZY, Y)),
        ("y", lambda: CalibratedClassifier(LogisticRegression()).fit(X, LAZY)),
    ],
)
def test_a_lazy_table_is_to_be_collected(name, call):
    message = re.escape(f"{name} is of type LazyFrame; pass its rows, {name}.collect().")
    with pytest.raises(ValueError, match=message):
        call()
