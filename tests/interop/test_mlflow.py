"""MLflow's flavour for scikit-learn logs and loads pipelines with a calibrator inside."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_calib import BetaCalibrator, CalibratedClassifier, CrossFitTransformer

mlflow_sklearn = pytest.importorskip("mlflow.sklearn")
X, Y = load_breast_cancer(return_X_y=True)
MODELS = {
    "pipeline inside": CalibratedClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()), "isotonic"
    ),
    "pipeline outside": make_pipeline(StandardScaler(), CalibratedClassifier(GaussianNB())),
    "calibrator as a step": make_pipeline(CrossFitTransformer(GaussianNB()), BetaCalibrator()),
}


@pytest.mark.filterwarnings("ignore")  # MLflow warns about its own future and about pickle
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("form", ["cloudpickle", "skops"])
def test_saved_and_loaded(name, form, tmp_path):
    model = MODELS[name].fit(X, Y)
    options = {"serialization_format": form, "pip_requirements": ["sklearn-calib"]}
    if form == "skops":
        skops = pytest.importorskip("skops.io")
        options["skops_trusted_types"] = skops.get_untrusted_types(data=skops.dumps(model))
    mlflow_sklearn.save_model(model, tmp_path / "model", **options)
    restored = mlflow_sklearn.load_model(str(tmp_path / "model"))
    np.testing.assert_array_equal(restored.predict_proba(X), model.predict_proba(X))
