"""One-vs-rest isotonic calibration of naive Bayes on the digits, end to end."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB

from sklearn_calib import CalibratedClassifier, OneVsRestCalibrator
from sklearn_calib.metrics import neg_ece_scorer, neg_mmce_scorer, neg_skce_scorer

FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def _held_out(model):
    X, y = load_digits(return_X_y=True)
    proba = cross_val_predict(model, X, y, cv=FOLDS, method="predict_proba")
    return log_loss(y, proba), accuracy_score(y, proba.argmax(axis=1))


def test_log_loss_and_accuracy_on_held_out_rows():
    raw = _held_out(GaussianNB())
    np.testing.assert_allclose(raw, [2.79, 0.851], atol=0.005)
    calibrated = _held_out(CalibratedClassifier(GaussianNB(), OneVsRestCalibrator()))
    assert calibrated[0] <= 0.48
    assert calibrated[1] >= 0.87


def test_every_calibration_score_improves():
    X, y = load_digits(return_X_y=True)
    calibrated = CalibratedClassifier(GaussianNB(), OneVsRestCalibrator())
    for scorer in (neg_ece_scorer, neg_skce_scorer, neg_mmce_scorer):
        before = cross_val_score(GaussianNB(), X, y, cv=FOLDS, scoring=scorer)
        after = cross_val_score(calibrated, X, y, cv=FOLDS, scoring=scorer)
        assert after.mean() > before.mean() / 2
