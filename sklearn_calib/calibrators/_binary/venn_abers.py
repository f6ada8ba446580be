"""Venn-Abers calibration."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..._utils.docs import fill_doc
from ...base import BaseBinaryCalibrator
from .._solvers.logistic import join_ties


@fill_doc()
class VennAbersCalibrator(BaseBinaryCalibrator):
    """Calibrate probabilities by two isotonic fits per prediction (Venn-Abers prediction).

    For a new score, isotonic regression is fitted to the calibration rows and the new row, once
    with label 0 and once with label 1. The values p0 and p1 of the two fits at the new score are an
    interval that contains a calibrated probability, whatever the distribution of the data, as long
    as calibration rows and new row are exchangeable [1]_. The probability of the positive class is
    ``p1 / (1 - p0 + p1)``, the value with the smallest worst-case regret under the log loss [2]_.

    Use it like isotonic regression. The interval shows where calibration rows are scarce, and the
    probability is never exactly 0 or 1, unlike that of isotonic regression.

    Attributes
    ----------
    X_thresholds_ : ndarray of shape (n_thresholds,)
        The distinct calibration probabilities, increasing.
    p0_, p1_ : ndarray of shape (n_thresholds,)
        Lower and upper probability of a new row with that score, non-decreasing.
    <<binary_classes_>>
    <<n_features_in_>>

    See Also
    --------
    IsotonicCalibrator : One fit, without the interval.
    CenteredIsotonicCalibrator : One fit without flat stretches.

    Notes
    -----
    This is the inductive method: a prediction looks up tables that are computed once, in
    O(n log n) operations for n calibration rows, by the algorithm of [2]_. The new row has
    weight one.

    References
    ----------
    .. [1] Vovk, V. and Petej, I. (2014). Venn-Abers predictors. Proceedings of the 30th Conference
       on Uncertainty in Artificial Intelligence, 829-838. https://arxiv.org/abs/1211.0025

    .. [2] Vovk, V., Petej, I. and Fedorova, V. (2015). Large-scale probabilistic predictors with
       and without guarantees of validity. Advances in Neural Information Processing Systems 28.
       https://arxiv.org/abs/1511.00213

    Examples
    --------
    >>> from sklearn_calib.calibrators import VennAbersCalibrator
    >>> calibrator = VennAbersCalibrator().fit([0.2, 0.4, 0.6, 0.8], [0, 0, 1, 1])
    >>> p0, p1 = calibrator.predict_interval([0.3, 0.9])
    >>> p0.round(2), p1.round(2)
    (array([0.  , 0.67]), array([0.5, 1. ]))
    >>> calibrator.predict_proba([0.3, 0.9]).round(3)
    array([[0.667, 0.333],
           [0.25 , 0.75 ]])
    """

    method_names = ("venn_abers",)
    reads_scores = True

    def predict_interval(self, S: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return the two probabilities of the positive class that bracket a calibrated one.

        Parameters
        ----------
        S : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
            Probabilities, with as many columns as in `fit`.

        Returns
        -------
        p0, p1 : ndarray of shape (n_samples,)
            The isotonic value of each row if its label were the negative and the positive class;
            ``p0 <= p1``.
        """
        check_is_fitted(self)
        return self._interval(self._positive_score(self._validate_scores(S)))

    def _fit_map(self, score, target, weight):
        score, rate, weight = join_ties(score, target, weight)
        self.X_thresholds_ = score
        self.p1_ = _values_with_a_positive(rate, weight)
        self.p0_ = 1.0 - _values_with_a_positive(1.0 - rate[::-1], weight[::-1])[::-1]

    def _map(self, score):
        p0, p1 = self._interval(score)
        return p1 / (1.0 - p0 + p1)

    def _interval(self, score):
        x = self.X_thresholds_
        # A new positive between two scores is pooled with the upper one, a negative with the lower.
        p0 = np.r_[0.0, self.p0_][np.searchsorted(x, score, side="right")]
        p1 = np.r_[self.p1_, 1.0][np.searchsorted(x, score, side="left")]
        return p0, p1


def _values_with_a_positive(rate, weight):
    """Return, for each score, its isotonic value after a row with label 1 was added there.

    In the diagram of cumulative positives against cumulative weights, adding the row moves all
    earlier points by (-1, -1), and the value is the slope of the greatest convex minorant there.
    From one score to the next a single point moves. `corners` is the minorant from the point that
    moved last to the right end, topmost last.
    """
    x = np.r_[0.0, np.cumsum(weight)].tolist()
    y = np.r_[0.0, np.cumsum(weight * rate)].tolist()
    corners: list[tuple[float, float]] = []
    for point in zip(x[::-1], y[::-1]):
        _push(corners, *point)
    _push(corners, -1.0, -1.0)
    value = np.empty(rate.size)
    for k in range(rate.size):
        (x0, y0), (x1, y1) = corners[-1], corners[-2]
        value[k] = (y1 - y0) / (x1 - x0)
        moved = x[k + 1] - 1.0, y[k + 1] - 1.0
        if (moved[1] - y0) * (x1 - x0) < (y1 - y0) * (moved[0] - x0):
            corners.pop()
            _push(corners, *moved)
    return np.maximum.accumulate(np.clip(value, 0.0, 1.0))


def _push(corners, x, y):
    """Add a point on the left of a convex minorant and drop the corners above it."""
    while len(corners) > 1:
        (x0, y0), (x1, y1) = corners[-1], corners[-2]
        if (y0 - y) * (x1 - x0) < (y1 - y0) * (x0 - x):
            break
        corners.pop()
    corners.append((x, y))
