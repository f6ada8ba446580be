"""Isotonic calibration."""

import numpy as np
from sklearn.isotonic import isotonic_regression

from ...base import BaseBinaryCalibrator


class IsotonicCalibrator(BaseBinaryCalibrator):
    """Calibrate probabilities by the best non-decreasing step function, interpolated.

    The map is the non-decreasing function with the smallest weighted squared error against the
    labels at the calibration probabilities [1]_, linear between them and constant outside their
    range. Equal probabilities count as one with the mean of their labels.

    Take it from about 1000 calibration rows on (fewer overfit), for distortions of any increasing
    shape, and for probabilities that take few values or exact 0 and 1, as those of forests do.

    Attributes
    ----------
    X_thresholds_ : ndarray of shape (n_thresholds,)
        Increasing probabilities at which the map is stored; inner points of flat stretches are
        left out.
    y_thresholds_ : ndarray of shape (n_thresholds,)
        Non-decreasing calibrated probabilities there.
    classes_ : ndarray of shape (2,)
        The labels, sorted; the second one is the positive class.
    n_features_in_ : int
        Number of columns of `S`.

    See Also
    --------
    HistogramCalibrator : Not necessarily increasing, one value per bin.
    BetaCalibrator : Smooth, for smaller calibration sets.
    sklearn.isotonic.IsotonicRegression : The regression behind it.

    Notes
    -----
    Scores that were different may become equal, so ranking measures such as the ROC AUC can
    change; the order of two scores is never reversed. The ends of the map are often exact 0 and
    1, and one wrong label there makes the log loss infinite; judge by the Brier score or take
    another calibrator if that matters. Fitting costs one sort.

    References
    ----------
    .. [1] Zadrozny, B. and Elkan, C. (2002). Transforming classifier scores into accurate
       multiclass probability estimates. Proceedings of the 8th ACM SIGKDD International
       Conference on Knowledge Discovery and Data Mining, 694-699.
       https://doi.org/10.1145/775047.775151

    Examples
    --------
    >>> from sklearn_calib.calibrators import IsotonicCalibrator
    >>> calibrator = IsotonicCalibrator().fit([0.2, 0.4, 0.6, 0.8], [0, 0, 1, 1])
    >>> calibrator.predict_proba([0.05, 0.5, 0.95])
    array([[1. , 0. ],
           [0.5, 0.5],
           [0. , 1. ]])
    """

    method_names = ("isotonic",)
    _parameter_constraints: dict = {}

    def _fit_map(self, score, target, weight):
        # Ties are pooled here: IsotonicRegression also pools what differs by less than 1e-15.
        distinct, group = np.unique(score, return_inverse=True)
        group_weight = np.bincount(group, weights=weight)
        rate = np.bincount(group, weights=weight * target) / group_weight
        value = isotonic_regression(rate, sample_weight=group_weight, y_min=0.0, y_max=1.0)
        changes = value[1:] != value[:-1]
        keep = np.concatenate([[True], changes]) | np.concatenate([changes, [True]])
        self.X_thresholds_, self.y_thresholds_ = distinct[keep], value[keep]

    def _map(self, score):
        x, y = self.X_thresholds_, self.y_thresholds_
        score = np.clip(score, x[0], x[-1])
        left = np.searchsorted(x, score, side="right") - 1
        right = np.minimum(left + 1, x.size - 1)
        # Dividing distances first stays finite over the tiniest gap, unlike a slope; the minimum
        # keeps rounding from reversing the order.
        gap = np.where(right > left, x[right] - x[left], 1.0)
        return np.minimum(y[left] + (score - x[left]) / gap * (y[right] - y[left]), y[right])
