"""Isotonic calibration."""

from __future__ import annotations

from ..._utils.docs import fill_doc
from .blocks import BlockCalibrator


@fill_doc(part="block of equal values")
class IsotonicCalibrator(BlockCalibrator):
    """Calibrate probabilities by the best non-decreasing step function, interpolated.

    The map is the non-decreasing function with the smallest weighted squared error against the
    labels at the calibration probabilities [1]_, linear between them and constant outside their
    range. Equal probabilities count as one with the mean of their labels.

    Take it from about 1000 calibration rows on (fewer overfit), for distortions of any increasing
    shape, and for probabilities that take few values or exact 0 and 1, as those of forests do.

    Parameters
    ----------
    <<pseudo_count>>
    tolerance : float, default=1e-15
        Scores that are less than this above the smallest one of their group count as equal, as in
        scikit-learn. 0 joins only exact ties.

    Attributes
    ----------
    X_thresholds_ : ndarray of shape (n_thresholds,)
        Increasing probabilities at which the map is stored; inner points of flat stretches are
        left out.
    y_thresholds_ : ndarray of shape (n_thresholds,)
        Non-decreasing calibrated probabilities there.
    <<binary_classes_>>
    <<n_features_in_>>

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
    another calibrator if that matters, or a `pseudo_count`; blocks that are out of order once its
    rows have been added are pooled again. Fitting costs one sort.

    <<references_multiclass>>

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
    reads_scores = True

    def _flat_parts(self, blocks):
        return blocks.first, blocks.last
