"""Data for scorers, and the metric that each scorer negates."""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_classification

from sklearn_calib import metrics

PLAIN = {
    "neg_skce": metrics.skce,
    "neg_kce": partial(metrics.kce, squared=False, bandwidth=0.2),
    "neg_mmce": metrics.mmce,
    "neg_ece": metrics.ece,
    "neg_mce": metrics.mce,
    "neg_average_calibration_error": metrics.average_calibration_error,
    "neg_smooth_ece": metrics.smooth_ece,
    "neg_klce": partial(metrics.klce, prob_bandwidth=0.2, feature_bandwidth="median"),
    "neg_multicalibration_error": metrics.multicalibration_error,
    "neg_ece_sweep": metrics.ece_sweep,
    "neg_integrated_calibration_index": metrics.integrated_calibration_index,
    "neg_kde_ece": partial(metrics.kde_ece, bandwidth=0.01),
    "neg_ks_calibration_error": metrics.ks_calibration_error,
    "neg_kuiper_calibration_error": metrics.kuiper_calibration_error,
    "neg_miscalibration": metrics.miscalibration,
    "neg_overconfidence": metrics.overconfidence,
    "neg_smooth_calibration_error": metrics.smooth_calibration_error,
    "neg_ucme": metrics.ucme,
    "neg_underconfidence": metrics.underconfidence,
    "neg_weighted_mmce": metrics.weighted_mmce,
}
# Their scores are distances from an ideal, which have tests of their own.
TWO_SIDED = {
    "neg_calibration_intercept",
    "neg_calibration_slope",
    "neg_observed_expected_ratio",
}
WITH_FEATURES = {"neg_klce", "neg_multicalibration_error"}
every = pytest.mark.parametrize("name", PLAIN)


def scorer_data(n_classes, kind="int"):
    X, y = make_classification(
        120, 4, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.3, random_state=0
    )
    names = {"int": np.arange(n_classes) * 2 + 3, "str": np.array(["b", "a", "c"])[:n_classes]}
    return X, names[kind][y]


def score_by_hand(name, estimator, X, y):
    """Score with the plain metric and the whole matrix of predict_proba."""
    data = (X,) if name in WITH_FEATURES else ()
    return -PLAIN[name](y, estimator.predict_proba(X), *data, labels=estimator.classes_)
