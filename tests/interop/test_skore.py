"""skore reports on a classifier with its calibrator, with the scorers of this package."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from sklearn_calib import CalibratedClassifier, ece, get_scorer


@pytest.mark.filterwarnings("ignore")  # of the packages that skore imports
@pytest.mark.parametrize("labels", [[0, 1], ["benign", "malignant"]])
def test_the_report_has_the_calibration_error(labels):
    skore = pytest.importorskip("skore")
    X, y = load_breast_cancer(return_X_y=True)
    y = np.array(labels)[y]
    model = CalibratedClassifier(GaussianNB()).fit(X[::2], y[::2])
    report = skore.EstimatorReport(model, X_test=X[1::2], y_test=y[1::2], pos_label=labels[1])
    report.metrics.add(get_scorer("neg_ece"))
    found = report.metrics.summarize(metric="ece").frame().squeeze()
    expected = ece(y[1::2], model.predict_proba(X[1::2]))
    assert found == pytest.approx(expected, abs=1e-12)
