"""The ONNX recipe of the guide gives the numbers of the calibrators."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import calibrators

pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
RECIPE = Path(__file__).parents[2] / "doc" / "recipes" / "onnx_export.py"
BINARY = ["PlattCalibrator", "BetaCalibrator", "IsotonicCalibrator"]
ANY = ["TemperatureCalibrator", "VectorScalingCalibrator", "MatrixScalingCalibrator"]


@pytest.mark.parametrize(
    ("name", "n_classes"), [(n, 2) for n in BINARY + ANY] + [(n, 4) for n in ANY]
)
def test_same_probabilities(name, n_classes):
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(n_classes), 400)
    y = np.array(
        [rng.choice(n_classes, p=row) for row in proba**1.5 / (proba**1.5).sum(1)[:, None]]
    )
    proba[:2] = np.eye(n_classes)[:2]
    options = {} if name in BINARY[1:] else {"input": "probability"}
    calibrator = getattr(calibrators, name)(**options).fit(proba, y)
    model = runpy.run_path(str(RECIPE))["to_onnx"](calibrator)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    near = np.full((3, n_classes), np.array([[1e-5], [1e-3], [0.01]]) / (n_classes - 1))
    near[:, -1] = 1.0 - near[:, :-1].sum(axis=1)
    new = np.vstack([rng.dirichlet(np.ones(n_classes), 100), np.eye(n_classes), near])
    (calibrated,) = session.run(["calibrated"], {"proba": new})
    assert_allclose(calibrated, calibrator.predict_proba(new), atol=1e-12)
