"""skops saves and loads the calibrators without code of its own."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from sklearn_calib import calibrators

skops = pytest.importorskip("skops.io")
OPTIONS = {
    "CalibratedClassifier": {"estimator": GaussianNB()},
    "CrossFitTransformer": {"estimator": GaussianNB()},
    "KernelRecalibrator": {"max_iter": 5, "n_networks": 1, "early_stopping": False},
    "PriorShiftCalibrator": {"prevalence": [0.2, 0.8]},
}


@pytest.mark.parametrize("name", calibrators.__all__)
@pytest.mark.filterwarnings("ignore:All values of S lie in")
def test_saved_and_loaded(name):
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, 200)
    y = (rng.random(200) < p).astype(int)
    proba = np.column_stack([1.0 - p, p])
    model = getattr(calibrators, name)(**OPTIONS.get(name, {})).fit(proba, y)
    saved = skops.dumps(model)
    types = skops.get_untrusted_types(data=saved)
    restored = skops.loads(saved, trusted=types)
    assert all(one.startswith("sklearn_calib.") for one in types)
    apply = "transform" if name == "CrossFitTransformer" else "predict_proba"
    np.testing.assert_array_equal(getattr(restored, apply)(proba), getattr(model, apply)(proba))
