"""The ONNX recipe of the guide gives the numbers of the calibrators."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_calib import OneVsRestCalibrator, calibrators

pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
RECIPE = Path(__file__).parents[2] / "doc" / "recipes" / "onnx_export.py"
TO_ONNX = runpy.run_path(str(RECIPE))["to_onnx"]
READ_SCORES = {"input": "probability"}
BINARY = {
    "PlattCalibrator": READ_SCORES,
    "BetaCalibrator": {},
    "IsotonicCalibrator": {},
    "CenteredIsotonicCalibrator": {},
}
ANY = {
    "TemperatureCalibrator": READ_SCORES,
    "VectorScalingCalibrator": {},
    "MatrixScalingCalibrator": {},
    "DirichletCalibrator": {},
}


def make_data(n_classes):
    """Return overconfident predictions, two of them certain, and labels."""
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(n_classes), 400)
    true = np.sqrt(proba) / np.sqrt(proba).sum(axis=1, keepdims=True)
    y = (rng.random((400, 1)) > true.cumsum(axis=1)).sum(axis=1)
    proba[:2] = np.eye(n_classes)[:2]
    return proba, y


def exported_and_own(calibrator, n_classes):
    """Return the probabilities of the exported model and of the calibrator on new rows."""
    session = onnxruntime.InferenceSession(TO_ONNX(calibrator).SerializeToString())
    near = np.full((3, n_classes), np.array([[1e-5], [1e-3], [0.01]]) / (n_classes - 1))
    near[:, -1] = 1.0 - near[:, :-1].sum(axis=1)
    some = np.random.default_rng(1).dirichlet(np.ones(n_classes), 100)
    new = np.vstack([some, np.eye(n_classes), near, near[:, ::-1]])
    (calibrated,) = session.run(["calibrated"], {"proba": new})
    return calibrated, calibrator.predict_proba(new)


@pytest.mark.parametrize(
    ("name", "n_classes"), [(n, 2) for n in [*BINARY, *ANY]] + [(n, 4) for n in ANY]
)
def test_same_probabilities(name, n_classes):
    options = {**BINARY, **ANY}[name]
    calibrator = getattr(calibrators, name)(**options).fit(*make_data(n_classes))
    assert_allclose(*exported_and_own(calibrator, n_classes), atol=1e-12)


@pytest.mark.parametrize("method", ["beta", "isotonic", "centered_isotonic", "adaptive"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_one_against_the_rest(method, n_classes):
    calibrator = OneVsRestCalibrator(method).fit(*make_data(n_classes))
    atol = 1e-5 if method == "adaptive" else 1e-12
    assert_allclose(*exported_and_own(calibrator, n_classes), atol=atol)


def test_the_table_of_the_adaptive_calibrator_is_close():
    calibrator = calibrators.AdaptiveCalibrator().fit(*make_data(2))
    assert calibrator.effective_dof_["spline"] > 0.0
    assert_allclose(*exported_and_own(calibrator, 2), atol=1e-5)


@pytest.mark.parametrize(
    ("calibrator", "n_classes"),
    [
        (calibrators.AdaptiveCalibrator(), 4),
        (calibrators.HistogramCalibrator(), 2),
        (OneVsRestCalibrator("histogram"), 4),
        (OneVsRestCalibrator("platt", input="probability"), 4),
    ],
)
def test_other_maps_are_refused(calibrator, n_classes):
    with pytest.raises(ValueError, match="is not plain"):
        TO_ONNX(calibrator.fit(*make_data(n_classes)))
