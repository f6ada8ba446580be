"""SHAP explains the probabilities of a classifier with its calibrator."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import RandomForestClassifier

from sklearn_calib import CalibratedClassifier

shap = pytest.importorskip("shap")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_explanations_add_up_to_the_calibrated_probabilities(n_classes):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=["age", "dose", "noise"])
    score = X["age"] + 0.5 * X["dose"] + rng.normal(size=300)
    y = pd.qcut(score, n_classes, labels=False).to_numpy()
    base = RandomForestClassifier(20, max_depth=3, random_state=0)
    model = CalibratedClassifier(base, "platt" if n_classes == 2 else "temperature").fit(X, y)
    rows = X.iloc[:10]
    explainer = shap.Explainer(model.predict_proba, X.iloc[100:150], seed=0)
    explanation = explainer(rows)
    assert list(explanation.feature_names) == list(X.columns)
    total = explanation.base_values + explanation.values.sum(axis=1)
    assert_allclose(total, model.predict_proba(rows), atol=1e-8)
    size = np.abs(explanation.values).mean(axis=(0, 2))
    assert size[0] > size[1] > size[2]
